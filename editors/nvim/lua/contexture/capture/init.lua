--- Brings the conversations of other plugins' chats to the server's memory, for those that the person switched on. The
--- first event of a chat loads it. Nothing here may disturb a chat: what goes wrong is kept for |:checkhealth|.
local client = require("contexture.client")
local folders = require("contexture.folders")

local M = {}

---@class contexture.Talk
---@field id string of the conversation
---@field buffer? integer the file that the chat is about, which says which folder it belongs to
---@field messages contexture.Message[] every one has an id

-- The contract admits 4 MiB a message; a request holds no more than this many bytes, or one message.
local most, batch = 4 * 1024 * 1024 - 64 * 1024, 1024 * 1024

local talks = {} ---@type table<string, { known: table<string, true>, busy: boolean, next?: contexture.Talk }>
local problem ---@type string?

local function talk_of(id)
  talks[id] = talks[id] or { known = {}, busy = false }
  return talks[id]
end

--- The last thing that went wrong, or nil.
---@return string?
function M.problem()
  return problem
end

--- Marks a message as one that is not to be sent: the server has it, or it was there before the chat.
---@param conversation string
---@param message string
function M.know(conversation, message)
  talk_of(conversation).known[message] = true
end

--- A value of another plugin as JSON admits it: an empty table is an object, what has no JSON form is described.
---@param value any
---@return any
function M.json(value)
  if value == nil then
    return vim.NIL
  end
  if type(value) == "table" and next(value) == nil then
    return vim.empty_dict()
  end
  return pcall(vim.json.encode, value) and value or vim.inspect(value)
end

-- Cuts the end off a text, at a character's start.
local function clip(text, limit)
  if not text or #text <= limit then
    return text
  end
  local at = limit + 1
  at = at + vim.str_utf_start(text, at)
  return ("%s\n[%d bytes cut: a message holds at most 4 MiB]"):format(text:sub(1, at - 1), #text - at + 1)
end

local function size(message)
  local n = #message.content + #(message.reasoning or "")
  for _, call in ipairs(message.toolCalls or {}) do
    n = n + #call.name + #vim.json.encode(call.arguments) + #vim.json.encode(call.result)
  end
  return n
end

-- A message within the contract's limit, the longest parts cut first, and its size.
local function fit(message)
  local n, limit = size(message), most / 2
  while n > most and limit > 1024 do
    message.content, message.reasoning = clip(message.content, limit), clip(message.reasoning, limit)
    for _, call in ipairs(message.toolCalls or {}) do
      for _, part in ipairs({ "arguments", "result" }) do
        local value = call[part]
        local text = type(value) == "string" and value or vim.json.encode(value)
        if #text > limit then
          call[part] = clip(text, limit)
        end
      end
    end
    n, limit = size(message), limit / 2
  end
  return n
end

-- Takes what one request holds off a list.
local function take(messages)
  local part, n = {}, 0
  while messages[1] do
    n = n + fit(messages[1])
    if #part > 0 and n > batch then
      break
    end
    table.insert(part, table.remove(messages, 1))
  end
  return part
end

local function append(talk, messages, done)
  local args = { conversationId = talk.id, messages = messages, workspace = folders.of(talk.buffer) }
  client.execute("contexture.conversation.append", args, done)
end

local send

-- Ends the sending of a conversation, and goes on with what came meanwhile.
local function finish(state)
  local waiting = state.next
  state.busy, state.next = false, nil
  if waiting then
    send(waiting)
  end
end

-- Sends messages one request after the other. A request that the server refuses for what is in it is sent again message
-- by message, so that one that no server would take does not keep the others back.
local function go_on(state, talk, messages, single)
  local part = single and { table.remove(messages, 1) } or take(messages)
  if #part == 0 then
    finish(state)
    return
  end
  append(talk, part, function(err)
    if err then
      problem = ("%s: %s"):format(talk.id, err.message)
      if err.code ~= -32602 then
        finish(state) -- no server, or a busy one: the next event brings these messages again
        return
      end
      if #part > 1 then
        vim.list_extend(part, messages)
        go_on(state, talk, part, true)
        return
      end
    end
    for _, message in ipairs(part) do
      state.known[message.id] = true
    end
    go_on(state, talk, messages, single)
  end)
end

--- Sends the messages that are not known yet. Without a server that runs it does nothing.
---@param talk contexture.Talk
function send(talk)
  if not client.get() then
    return
  end
  local state = talk_of(talk.id)
  if state.busy then
    state.next = talk
    return
  end
  local new = vim.tbl_filter(function(message)
    return not state.known[message.id]
  end, talk.messages)
  if #new > 0 then
    state.busy = true
    go_on(state, talk, new, false)
  end
end

--- Takes an event of a chat. What it says is read at once, what follows from it is done when Neovim is idle.
---@param source "codecompanion"|"avante"
---@param event table as |nvim_create_autocmd()| gives it
---@param since string local time at which this Neovim began to bring conversations in, "2026-01-31 12:00:00"
function M.take(source, event, since)
  local ok, err = pcall(function()
    local read = require("contexture.capture." .. source).on(event, since)
    if not read then
      return
    end
    vim.schedule(function()
      local fine, why = pcall(function()
        for _, talk in ipairs(read()) do
          send(talk)
        end
      end)
      if not fine then
        problem = ("%s: %s"):format(source, why)
      end
    end)
  end)
  if not ok then
    problem = ("%s: %s"):format(source, err)
  end
end

return M
