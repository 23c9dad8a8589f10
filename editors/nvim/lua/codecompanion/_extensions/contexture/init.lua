--- The extension of CodeCompanion (19 and newer): `extensions = { contexture = {} }` in its setup adds the tools, the slash
--- command /contexture and the editor context #{contexture} to the chat; with `opts = { always = true }` every prompt
--- gets its context.
local M = {}

--- One tool in the form that CodeCompanion's chat takes.
---@param tool contexture.Tool
---@return table
function M.chat_tool(tool)
  return {
    description = tool.description,
    -- A function: a table here is not resolved.
    callback = function()
      return {
        name = tool.name,
        cmds = {
          function(_, args, opts)
            tool.run(args, function(err, text)
              opts.output_cb({ status = err and "error" or "success", data = err or text })
            end)
          end,
        },
        schema = {
          type = "function",
          ["function"] = {
            name = tool.name,
            description = tool.description,
            parameters = require("contexture.integrations.tools").schema(tool),
          },
        },
        output = {
          success = function(self, stdout, meta)
            local text = vim.iter({ stdout }):flatten():join("\n")
            meta.tools.chat:add_tool_output(self, text ~= "" and text or "Nothing was found.", tool.name)
          end,
          error = function(self, stderr, meta)
            meta.tools.chat:add_tool_output(self, tool.name .. ": " .. vim.iter({ stderr }):flatten():join("\n"))
          end,
        },
      }
    end,
  }
end

---@param opts? { always?: boolean }
function M.setup(opts)
  local interactions = require("codecompanion.config").interactions
  for _, tool in ipairs(require("contexture.integrations.tools").list) do
    interactions.chat.tools[tool.name] = M.chat_tool(tool)
  end
  interactions.chat.slash_commands.contexture = {
    description = "Add what this workspace and earlier conversations have for the prompt",
    callback = function(chat)
      require("contexture.integrations.codecompanion").slash(chat)
    end,
    opts = { contains_code = true },
  }
  interactions.shared.editor_context.contexture = {
    path = "contexture.integrations.codecompanion",
    description = "What this workspace and earlier conversations have for the prompt",
    opts = { contains_code = true, interactions = { "chat" } },
  }
  if opts and opts.always then
    vim.api.nvim_create_autocmd("User", {
      group = vim.api.nvim_create_augroup("contexture.codecompanion", { clear = true }),
      pattern = "CodeCompanionChatCreated",
      callback = function(event)
        local chat = require("codecompanion").buf_get_chat(event.data.bufnr)
        if chat then
          require("contexture.integrations.codecompanion").always(chat)
        end
      end,
    })
  end
end

return M
