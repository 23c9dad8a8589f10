--- For Avante, as revision a9334315 has it. In its setup, `custom_tools = require("contexture.integrations.avante").tools`
--- are tools for the model, and `slash_commands = { require("contexture.integrations.avante").command }` is
--- "/contexture", which sends a prompt with its context; after its setup, `always()` does so with every prompt.
local tools = require("contexture.integrations.tools")

local M = {}

local submit -- Avante's own function, once `always` has replaced it

-- Sends a prompt, after a message that is not shown with what the chat has not been given yet.
local function send(sidebar, prompt)
  local function go()
    (submit or sidebar.handle_submit)(sidebar, prompt)
  end
  local function had(text)
    return vim.iter(sidebar.chat_history and sidebar.chat_history.messages or {}):any(function(message)
      local content = message.message.content
      return message.visible == false and type(content) == "string" and content:find(text, 1, true) ~= nil
    end)
  end
  local about = { buffer = sidebar.code and sidebar.code.bufnr, selection = M.selection(sidebar), had = had }
  tools.context(prompt, about, function(err, context)
    if err then
      vim.notify("contexture: no context: " .. err, vim.log.levels.WARN)
    elseif context.text ~= "" then
      local message = require("avante.history.message"):new("user", context.text, { visible = false })
      sidebar:add_history_messages({ message })
      vim.notify("contexture: " .. context.title)
    end
    go()
  end)
end

--- The lines that were selected when the sidebar was opened.
---@return lsp.Range?
function M.selection(sidebar)
  local range = sidebar.code and sidebar.code.selection and sidebar.code.selection.range
  return range
    and {
      start = { line = range.start.lnum - 1, character = 0 },
      ["end"] = { line = range.finish.lnum, character = 0 },
    }
end

--- "/contexture QUESTION" in Avante's chat.
M.command = {
  name = "contexture",
  shorthelp = "Ask with the context of this workspace and of earlier conversations",
  description = "/contexture <question>",
  details = "Ask with the context of this workspace and of earlier conversations\n/contexture <question>",
  callback = function(sidebar, prompt)
    if vim.trim(prompt or "") == "" then
      vim.notify("contexture: add what you ask: /contexture where are payments retried?", vim.log.levels.WARN)
    else
      send(sidebar, prompt)
    end
  end,
}

--- Gives every prompt its context. Avante has no event before a prompt is sent, so its function is replaced.
function M.always()
  local sidebar = require("avante.sidebar")
  if submit then
    return
  end
  submit = sidebar.handle_submit
  sidebar.handle_submit = function(self, prompt)
    if self.is_generating or vim.startswith(prompt, "/") then
      return submit(self, prompt)
    end
    send(self, prompt)
  end
end

--- Tools for the model.
---@return table[]
function M.tools()
  return vim.tbl_map(function(tool)
    local fields = {}
    for name, property in vim.spairs(tool.properties) do
      table.insert(fields, {
        name = name,
        description = property.description,
        type = property.type,
        optional = not property.required,
      })
    end
    return {
      name = tool.name,
      description = tool.description,
      param = { type = "table", fields = fields },
      returns = {
        { name = "result", description = "the text found", type = "string" },
        { name = "error", description = "what went wrong", type = "string", optional = true },
      },
      func = function(params, _, on_complete)
        tool.run(params, function(err, text)
          on_complete(text, err)
        end)
      end,
    }
  end, tools.list)
end

return M
