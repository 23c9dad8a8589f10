-- What the plugin costs at a start, in milliseconds: the median of pairs of starts, with it and without.
local kit = dofile(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)) .. "/kit.lua")

local function start(with)
  local log = vim.fn.tempname()
  local cmd = { vim.v.progpath, "--clean", "--headless", "--startuptime", log }
  if with then
    -- The way a plugin manager loads it: on the runtimepath, its plugin/ folder read at the start.
    vim.list_extend(cmd, { "--cmd", "set rtp^=" .. kit.plugin })
  end
  assert(vim.system(vim.list_extend(cmd, { "+qa" })):wait(10000).code == 0)
  for _, line in ipairs(vim.fn.readfile(log)) do
    local total = line:match("^(%d+%.%d+).*NVIM STARTED")
    if total then
      return tonumber(total)
    end
  end
  error("no time was told")
end

kit.it("costs at most 5 ms at the start", function()
  local more = {}
  for i = 1, 21 do -- neighbours are compared: a busy machine slows both
    more[i] = start(true) - start(false)
  end
  table.sort(more)
  io.write(("start: %.2f ms more with the plugin, the median of 21 pairs\n"):format(more[11]))
  assert(more[11] <= 5)
end)

kit.finish()
