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
      require("contexture").setup({ cmd = cmd })
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
  ui:see("<CR> open · x leave out")
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
  ui:see(":Contexture ticklers off hides them")
end)

kit.it("reminders never move the cursor's line, and are hidden while one types", function()
  local problem = ui:lua([[
    local ticklers = require("contexture.ticklers")
    local namespace = vim.api.nvim_create_namespace("contexture.ticklers")
    require("contexture.options").get().ticklers.position = "above"
    vim.cmd("botright 12new")
    local buffer, text, lenses = vim.api.nvim_get_current_buf(), {}, {}
    for i = 1, 60 do
      text[i] = "\tline " .. i
    end
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, text)
    for i, line in ipairs({ 0, 21, 23, 24, 40 }) do
      lenses[i] = { range = { start = { line = line, character = 0 } }, command = { title = "Turn " .. line } }
    end
    local function marks()
      return vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })
    end
    local function check(what, condition)
      if not condition then
        error(what .. ": " .. vim.inspect({ vim.fn.winsaveview(), vim.fn.winline(), marks() }), 0)
      end
    end
    local ok, problem = pcall(function()
      for _, start in ipairs({ { 26, 20 }, { 30, 21 }, { 25, 22 }, { 59, 50 } }) do -- lines of the cursor and the top
        for _, margin in ipairs({ 0, 3 }) do
          vim.wo.scrolloff = margin
          vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
          vim.fn.winrestview({ lnum = start[1], topline = start[2], topfill = 0 })
          vim.cmd.redraw()
          local row = vim.fn.winline()
          local function still(what)
            vim.cmd.redraw()
            check(what, vim.fn.winline() == row and vim.fn.line(".") == start[1])
          end
          ticklers.draw(buffer, lenses)
          still("after all have come")
          ticklers.draw(buffer, { lenses[2], lenses[5] })
          still("after some have gone")
          ticklers.hide(buffer)
          still("after hiding")
          check("hidden", #marks() == 2 and marks()[1][4].virt_lines[1][1][1] == "")
        end
      end
      check("scrolloff", vim.wo.scrolloff == 3)
      ticklers.draw(buffer, lenses)
      check("at the end of the first line", marks()[1][4].virt_text[1][1] == "  ⟲ Turn 0")
      check("indented", marks()[2][4].virt_lines[1][1][1] == (" "):rep(vim.bo.tabstop) .. "⟲ Turn 21")
      vim.api.nvim_exec_autocmds("InsertEnter", { buffer = buffer })
      check("while typing", #marks() == 4 and marks()[1][4].virt_lines[1][1][1] == "")
    end)
    vim.cmd("bwipeout!")
    return not ok and problem or ""
  ]])
  kit.eq(problem, "")
end)

ui:stop()
kit.finish()
