--- The context of a prompt in CodeCompanion's chat, as revision f1afd025 (19.22) has it: the slash command /contexture,
--- the editor context #{contexture}, and a callback that adds it to every prompt.
local tools = require("contexture.integrations.tools")

local M = {}
M.__index = M

local tag = "contexture"

-- What the person has typed and not sent yet.
local function typed(chat)
  local message = require("codecompanion.interactions.chat.parser").messages(chat, chat.header_line)
  return message and vim.trim((message.content:gsub("#{contexture}", "")))
end

-- What the chat is about: the file, and what was selected in it when the chat was opened.
local function about(chat)
  local context, selection = chat.buffer_context or {}, nil
  if context.is_visual and context.start_line and context.end_line then
    selection = { start = { line = context.start_line - 1, character = 0 }, ["end"] = { line = context.end_line, character = 0 } }
  end
  return {
    buffer = context.bufnr,
    selection = selection,
    had = function(text)
      return vim.iter(chat.messages or {}):any(function(message)
        return message._meta and message._meta.tag == tag and message.content:find(text, 1, true) ~= nil
      end)
    end,
  }
end

-- Whether the person lets CodeCompanion send code at all.
local function may_send()
  return require("codecompanion.config").can_send_code()
end

-- A line of the chat shows it; without that line it is not sent.
local function add(chat, context)
  if context and context.text ~= "" then
    chat:add_context({ content = context.text }, tag, ("<contexture>%s</contexture>"):format(context.title))
  end
end

--- Adds the context of what is typed, or asks for what it is about. For the slash command.
---@param chat table
function M.slash(chat)
  if not may_send() then
    vim.notify("contexture: CodeCompanion is set to send no code", vim.log.levels.WARN)
    return
  end
  local function give(prompt)
    if not prompt or prompt == "" then
      return
    end
    tools.context(prompt, about(chat), function(err, context)
      if err then
        vim.notify("contexture: " .. err, vim.log.levels.WARN)
      elseif vim.api.nvim_buf_is_valid(chat.bufnr) then
        add(chat, context)
        if context.text == "" then
          vim.notify("contexture: nothing more concerns this prompt")
        end
      end
    end)
  end
  local prompt = typed(chat)
  if prompt and prompt ~= "" then
    give(prompt)
  else
    vim.ui.input({ prompt = "Context for: " }, give)
  end
end

--- Adds the context of every prompt that the person sends in a chat.
---@param chat table
function M.always(chat)
  chat:add_callback("on_before_submit", function()
    local message = require("codecompanion.interactions.chat.parser").messages(chat, chat.header_line)
    if message and may_send() and not message.content:find("#{contexture}", 1, true) then
      add(chat, tools.wait(message.content, about(chat)))
    end
  end)
end

--- What CodeCompanion makes of `#{contexture}` in a prompt that is sent.
---@param args { Chat: table }
function M.new(args)
  return setmetatable({ Chat = args.Chat }, M)
end

function M:chat_render()
  local prompt = typed(self.Chat)
  if prompt and prompt ~= "" then
    add(self.Chat, tools.wait(prompt, about(self.Chat)))
  end
end

--- The prompt without it.
function M.replace(_, message)
  return vim.trim((message:gsub("%s*#{contexture}", "")))
end

return M
