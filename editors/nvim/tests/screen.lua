-- What a person sees: a second Neovim whose screen is read.
local kit = dofile(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)) .. "/kit.lua")

local root = kit.workspace(kit.files)
local child = vim.fn.jobstart(
  { vim.v.progpath, "--clean", "--embed", "--headless", "--cmd", "set rtp^=" .. kit.plugin .. " columns=100 lines=32" },
  { rpc = true, cwd = root }
)
local function lua(code, ...)
  return vim.rpcrequest(child, "nvim_exec_lua", code, { ... })
end
local function screen()
  return lua([[
    vim.cmd.redraw()
    local rows = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do
        cells[column] = vim.fn.screenstring(row, column)
      end
      rows[row] = table.concat(cells)
    end
    return table.concat(rows, "\n")
  ]])
end
local function see(text)
  local ok = vim.wait(15000, function()
    return screen():find(text, 1, true) ~= nil
  end, 50)
  assert(ok, text .. " is not on\n" .. screen())
end
local function type_keys(keys)
  vim.rpcrequest(child, "nvim_input", keys)
end

kit.it("a person installs, asks, reads and opens", function()
  lua(
    [[
      local cmd, folder = ...
      vim.cmd.runtime("plugin/contexture.lua")
      require("contexture").setup({ cmd = cmd, ticklers = { virtual_text = true } })
      vim.o.statusline = "%f %{%v:lua.require'contexture'.statusline()%}"
      vim.o.laststatus = 2
      vim.cmd.edit("retry.go")
      vim.bo.filetype = "go"
    ]],
    kit.cmd()
  )
  see("ctx ✓")
  type_keys(":Contexture<CR>")
  see("Contexture")
  see("Type a prompt above")
  type_keys("how are payments retried")
  see("retry.go:1")
  see("tokens · question")
  see("█")
  type_keys("<CR>/retry.go<CR><CR>")
  see("type RetryPolicy struct")
  see("retry.go ctx ✓")
end)

kit.it("reminders stand at the ends of lines", function()
  lua([[
    require("contexture").execute("contexture.conversation.append", {
      conversationId = "talk",
      messages = { { id = "1", role = "user", content = "Why does retryPayment give up so early?", at = "2026-02-03T04:05:06Z" } },
    }, function() vim.cmd.edit("retry.go") end)
  ]])
  local ok = vim.wait(15000, function()
    lua([[require("contexture.ticklers").refresh(0)]])
    return screen():find("Turn 1", 1, true) ~= nil
  end, 200)
  assert(ok, screen())
  see("⟲ Turn 1 · 2026-02-03")
end)

vim.fn.jobstop(child)
kit.finish()
