--- Reads the chats of Avante, as revision a9334315 has them: the User event AvanteViewBufferUpdated at the end of a turn,
--- without data; `sidebars` of the plugin, one a tab page, with `chat_history.messages`, `current_state` and `code.bufnr`;
--- a message's `uuid`, `timestamp` (local time), `message.role` and `message.content`, a text or a list of one item.
local capture = require("contexture.capture")

local M = {}

local busy = { generating = true, ["tool calling"] = true, thinking = true, searching = true, compacting = true, initializing = true }

local function item_of(message)
  local content = message.message and message.message.content
  if type(content) == "table" then
    content = content[1]
  end
  return type(content) == "string" and { type = "text", text = content } or type(content) == "table" and content or {}
end

-- The uuid comes of math.random(), which begins alike in every Neovim, so the time is part of the id.
local function id_of(message)
  return ("%s-%s"):format(tostring(message.timestamp):gsub("%D", ""), message.uuid)
end

local function at_of(message)
  local year, month, day, hour, min, sec = tostring(message.timestamp):match("^(%d+)-(%d+)-(%d+) (%d+):(%d+):(%d+)$")
  if not year then
    return nil
  end
  local time = os.time({ year = year, month = month, day = day, hour = hour, min = min, sec = sec })
  return os.date("!%Y-%m-%dT%H:%M:%SZ", time)
end

-- Whether a message is part of the plugin's workings: shown only, made up, hidden, attached, deleted by the person.
local function aside(message)
  return message.just_for_display or message.is_dummy or message.is_context or message.is_deleted or message.visible == false
end

-- An agent of its own (ACP) tells what its calls were and gave beside the message.
local function call_of(message, item, results)
  local result, agent = item.id and results[item.id], message.acp_tool_call or {}
  local name = item.name ~= "" and item.name or agent.kind or agent.title or "tool"
  return {
    name = tostring(name),
    arguments = capture.json(item.input or agent.rawInput),
    result = capture.json(result and result.content or agent.rawOutput or agent.content),
    isError = result and (result.is_error or result.is_user_declined) or nil,
  }
end

-- A message as the server takes it, or nil. Reasoning comes as a message of its own, before what it led to.
local function said(message, results, thoughts)
  local item = item_of(message)
  local text = item.text or item.content
  if item.type == "tool_use" and item.name == "attempt_completion" and type(item.input) == "table" and item.input.result then
    return { role = "assistant", content = tostring(item.input.result), reasoning = thoughts } -- the answer in this form
  elseif item.type == "tool_use" then
    return { role = "assistant", content = "", toolCalls = { call_of(message, item, results) }, reasoning = thoughts }
  elseif item.type ~= "text" or type(text) ~= "string" or vim.trim(text) == "" then
    return nil
  elseif message.message.role == "user" then
    return { role = "user", content = text }
  end
  return { role = "assistant", content = vim.trim(text), reasoning = thoughts }
end

-- Chats are kept on disk and go on in the next Neovim. What was said before this one stays as it is: it was brought in
-- then, or the person had not switched this on, or has had it forgotten.
---@return contexture.Talk?
local function talk_of(sidebar, since)
  local all, first, results, messages, thoughts = sidebar.chat_history.messages, nil, {}, {}, nil
  for _, message in ipairs(all) do
    local item = item_of(message)
    if item.type == "tool_result" then
      results[item.tool_use_id] = item
    end
    first = first or (message.uuid and not aside(message) and id_of(message)) or nil
  end
  for _, message in ipairs(all) do
    local item = item_of(message)
    if message.uuid and not aside(message) and tostring(message.timestamp) >= since then
      local out = said(message, results, thoughts)
      if out then
        out.id, out.at, thoughts = id_of(message), at_of(message), nil
        table.insert(messages, out)
      elseif item.type == "thinking" and type(item.thinking) == "string" then
        thoughts = thoughts and thoughts .. "\n\n" .. item.thinking or item.thinking
      end
    end
  end
  return first and { id = "avante/" .. first, buffer = sidebar.code and sidebar.code.bufnr, messages = messages }
end

--- Takes an event of the plugin.
---@param since string the time from which on messages are taken, as the plugin writes times
---@return (fun(): contexture.Talk[])? read
function M.on(_, since)
  local plugin = package.loaded["avante"]
  if not plugin then
    return nil
  end
  return function()
    local talks = {}
    for _, sidebar in pairs(plugin.sidebars or {}) do
      local history = sidebar.chat_history
      if type(history) == "table" and type(history.messages) == "table" and not busy[sidebar.current_state] then
        table.insert(talks, talk_of(sidebar, since))
      end
    end
    return talks
  end
end

return M
