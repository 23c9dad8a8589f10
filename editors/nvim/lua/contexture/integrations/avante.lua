--- Tools for Avante: `custom_tools = require("contexture.integrations.avante").tools` in its setup.
local M = {}

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
  end, require("contexture.integrations.tools").list)
end

return M
