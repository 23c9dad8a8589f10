--- Which picker shows hits: Telescope, fzf-lua or snacks.nvim where one is installed. They are looked for when a search
--- begins, never before.
local options = require("contexture.options")

local M = {}

-- In this order, by the names that the option `picker` has for them, with the module that shows they are there.
local known = {
  { "telescope", "telescope", "contexture.pickers.telescope" },
  { "fzf-lua", "fzf-lua", "contexture.pickers.fzf_lua" },
  { "snacks", "snacks", "contexture.pickers.snacks" },
}

--- Returns the picker of the option, else the first that is installed. It is "buffer", without a module, where there is
--- none, or the person wants none.
---@return string name
---@return { open: fun(query: string) }? module
function M.choose()
  local wanted = options.get().picker
  for _, picker in ipairs(known) do
    if (not wanted or wanted == picker[1]) and pcall(require, picker[2]) then
      return picker[1], require(picker[3])
    end
  end
  return "buffer", nil
end

return M
