--- The extension of CodeCompanion (19 and newer): `extensions = { contexture = {} }` in its setup adds the tools to the
--- chat.
local M = {}

--- One tool in the form that CodeCompanion's chat takes.
---@param tool contexture.Tool
---@return table
function M.chat_tool(tool)
  local properties, required = {}, {}
  for name, property in vim.spairs(tool.properties) do
    properties[name] = { type = property.type, description = property.description }
    if property.required then
      table.insert(required, name)
    end
  end
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
            parameters = { type = "object", properties = properties, required = required },
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

function M.setup()
  local tools = require("codecompanion.config").interactions.chat.tools
  for _, tool in ipairs(require("contexture.integrations.tools").list) do
    tools[tool.name] = M.chat_tool(tool)
  end
end

return M
