--- Numbers as a line of small bars.
local M = {}

local bars = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" }

--- Returns a bar for each number, the largest one full. Nothing and less is the lowest bar, and every number above it
--- is higher.
---@param numbers number[]
---@return string
function M.of(numbers)
  local most = 0
  for _, n in ipairs(numbers) do
    most = math.max(most, n)
  end
  return table.concat(vim.tbl_map(function(n)
    if n <= 0 then
      return bars[1]
    end
    return bars[math.max(2, math.ceil(n / most * #bars))]
  end, numbers))
end

return M
