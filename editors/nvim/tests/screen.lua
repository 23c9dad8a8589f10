-- What a person sees: a second Neovim whose screen is read.
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local kit = dofile(here .. "/kit.lua")

local files = vim.tbl_extend("force", kit.files, { ["wide.go"] = "package shop\n\nfunc " .. ("veryWide"):rep(20) .. "() {}\n" })
local ui = dofile(here .. "/ui.lua").start({
  args = { "--clean", "-n", "--cmd", "set rtp^=" .. kit.plugin },
  columns = 100,
  lines = 32,
  cwd = kit.workspace(files),
})

kit.it("a person installs, asks, reads and opens", function()
  ui:lua(
    [[
      local cmd = ...
      vim.cmd.runtime("plugin/contexture.lua")
      require("contexture").setup({ cmd = cmd, ticklers = { virtual_text = true } })
      vim.o.statusline = "%f %{%v:lua.require'contexture'.statusline()%}"
      vim.o.laststatus = 2
      vim.cmd.edit("retry.go")
      vim.bo.filetype = "go"
    ]],
    kit.cmd()
  )
  ui:see("ctx ✓")
  ui:keys(":Contexture<CR>")
  ui:see("Contexture")
  ui:see("Type a prompt above")
  ui:see("<CR> open · x exclude")
  ui:keys("how are payments retried")
  ui:see("retry.go:1")
  ui:see("tokens · question")
  ui:see("Found for this prompt █")
  ui:keys("<CR>/retry.go<CR><CR>")
  ui:see("type RetryPolicy struct")
  ui:see("retry.go ctx ✓")
end)

kit.it("begins at the first item, with a path as one types it", function()
  ui:keys(":Contexture where does veryWide stand?<CR>")
  ui:see("wide.go:1")
  ui:see("…│") -- its title goes on to the right
  ui:keys("<CR><CR>")
  ui:see("wide.go ctx ✓")
  ui:keys(":edit retry.go<CR>")
  ui:see("retry.go ctx ✓")
end)

kit.it("reminders stand at the ends of lines", function()
  ui:lua([[
    require("contexture").execute("contexture.conversation.append", {
      conversationId = "talk",
      messages = { { id = "1", role = "user", content = "Why does retryPayment give up so early?", at = "2026-02-03T04:05:06Z" } },
    }, function() vim.cmd.edit("retry.go") end)
  ]])
  local ok = vim.wait(15000, function()
    ui:lua([[require("contexture.ticklers").refresh(0)]])
    return ui:text():find("Turn 1", 1, true) ~= nil
  end, 200)
  assert(ok, ui:text())
  ui:see("⟲ Turn 1 · 2026-02-03")
end)

ui:stop()
kit.finish()
