--- Reads the chats of CodeCompanion, as revision f1afd025 (19.22) has them: User events CodeCompanionChat*, whose data
--- hold `bufnr` and `id`; a chat's `messages` with `role` ("user", "llm", "system", "tool"), `content`, `reasoning`,
--- `opts.visible`, `context`, `_meta` (`id`, a hash; `cycle`; `tag`), `tools.calls` and `tools.call_id`.
local capture = require("contexture.capture")

local M = {}

-- A chat's own id comes of math.random(), which begins alike in every Neovim: the time that the chat was first seen is
-- part of the conversation's, unless the chat has it itself. `part` counts the clearings, each of which starts a new one.
local seen = setmetatable({}, { __mode = "k" }) ---@type table<table, { session: string, part: integer, at: table<string, string> }>

local function state_of(chat)
  if not seen[chat] then
    local session = type(chat.session_id) == "string" and chat.session_id:gsub("^codecompanion%-", "")
      or ("%d-%s"):format(os.time(), chat.id)
    seen[chat] = { session = session, part = 1, at = {} }
  end
  return seen[chat]
end

local function conversation_of(chat)
  local state = state_of(chat)
  return "codecompanion/" .. state.session .. (state.part > 1 and "-" .. state.part or "")
end

local function text_of(value)
  if type(value) == "table" then
    value = value.content
  end
  return type(value) == "string" and value ~= "" and value or nil
end

-- Calls visit for every message with an id that stays its own: messages before it may go or change, and the same words
-- may be said twice.
local function each(chat, visit)
  local times = {}
  for position, message in ipairs(chat.messages or {}) do
    local meta = message._meta or {}
    local id = ("%s.%s"):format(meta.cycle or 0, meta.id or "p" .. position)
    times[id] = (times[id] or 0) + 1
    visit(message, times[id] > 1 and ("%s.%d"):format(id, times[id]) or id)
  end
end

local function calls_of(message, results)
  local calls = {}
  for _, call in ipairs(message.tools and message.tools.calls or {}) do
    local what = call["function"] or call
    local ok, arguments = pcall(vim.json.decode, what.arguments)
    local result = call.id and results[call.id]
    table.insert(calls, {
      name = tostring(what.name or "tool"),
      arguments = capture.json(ok and arguments or what.arguments),
      result = capture.json(result and result.content),
      isError = result and result.tools.is_error or nil,
    })
  end
  return #calls > 0 and calls or nil
end

-- A message as the server takes it, or nil for what neither the person nor the assistant said: prompts of the system,
-- hidden ones, files that were attached, summaries.
local function said(message, results)
  local content = text_of(message.content)
  if message.role == "user" then
    local hidden = message.opts and message.opts.visible == false or message.context or message._meta and message._meta.tag
    return content and not hidden and { role = "user", content = content } or nil
  elseif message.role == "llm" then
    local out = { role = "assistant", content = content or "", reasoning = text_of(message.reasoning) }
    out.toolCalls = calls_of(message, results)
    return (content or out.reasoning or out.toolCalls) and out or nil
  end
end

---@return contexture.Talk
local function talk_of(chat)
  local state, results, messages = state_of(chat), {}, {}
  each(chat, function(message)
    if message.tools and message.tools.call_id then
      results[message.tools.call_id] = message
    end
  end)
  each(chat, function(message, id)
    local out = said(message, results)
    if out then
      out.id, out.at = id, state.at[id]
      table.insert(messages, out)
    end
  end)
  local about = chat.buffer_context and chat.buffer_context.bufnr
  return { id = conversation_of(chat), buffer = about, messages = messages }
end

-- Notes when messages were first seen, as they have no time of their own.
local function stamp(chat)
  local at, now = state_of(chat).at, os.date("!%Y-%m-%dT%H:%M:%SZ") --[[@as string]]
  each(chat, function(_, id)
    at[id] = at[id] or now
  end)
end

-- What a chat is made with, up to the last answer, was said elsewhere: it was restored or copied.
local function skip(chat)
  local ids, last = {}, 0
  each(chat, function(message, id)
    table.insert(ids, id)
    last = message.role == "llm" and #ids or last
  end)
  for i = 1, last do
    capture.know(conversation_of(chat), ids[i])
  end
end

--- Takes an event of the plugin.
---@param event table
---@return (fun(): contexture.Talk[])? read
function M.on(event)
  local plugin, data = package.loaded["codecompanion"], event.data or {}
  local chat = plugin and data.bufnr and plugin.buf_get_chat(data.bufnr)
  if type(chat) ~= "table" or type(chat.messages) ~= "table" then
    return nil
  end
  if event.match == "CodeCompanionChatCreated" then
    skip(chat)
  elseif event.match == "CodeCompanionChatCleared" then
    local state = state_of(chat)
    state.part, state.at = state.part + 1, {}
  elseif event.match == "CodeCompanionChatSubmitted" then
    stamp(chat)
  else
    stamp(chat)
    return function()
      return { talk_of(chat) }
    end
  end
end

return M
