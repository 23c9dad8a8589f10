-- The picture of the panel in the README: this repository, asked as a person would. It goes to
-- out/nvim-<version>-panel.png, or where SCREENSHOT says:
--
--   SCREENSHOT=editors/screenshots/nvim.png CONTEXTURE=$PWD/bin/contexture \
--     $(sh editors/nvim/tests/install.sh forky) --clean --headless -l editors/nvim/tests/screenshot.lua
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local kit = dofile(here .. "/kit.lua")
local eq = kit.eq
local repository = vim.fs.dirname(vim.fs.dirname(kit.plugin))
local home = vim.fn.tempname() -- nothing of the person's own
local version = tostring(vim.version()):match("^%d+%.%d+")
local target = vim.fn.fnamemodify(vim.env.SCREENSHOT or (kit.plugin .. "/out/nvim-" .. version .. "-panel.png"), ":p")

local env = { HOME = home }
for _, kind in ipairs({ "CONFIG", "STATE", "CACHE", "DATA" }) do
  env["XDG_" .. kind .. "_HOME"] = home .. "/" .. kind:lower()
end
local ui = dofile(here .. "/ui.lua").start({
  args = { "--clean", "-n", "--cmd", "set rtp^=" .. kit.plugin },
  columns = 110,
  lines = 38,
  cwd = repository,
  env = env,
})

local conversation = {
  { id = "1", role = "user", at = "2026-03-02T09:12:00Z", content = "Should we cut the prompt when it does not fit into the budget?" },
  { id = "2", role = "assistant", at = "2026-03-02T09:13:00Z", content = "Decision: the prompt is never cut, because half a question gets a wrong answer. PromptExceedsError names the smallest budget that would do." },
  { id = "3", role = "user", at = "2026-03-02T09:20:00Z", content = "Good. From now on let every error say what to do next. Open question: what does an editor show when the budget is too small?" },
  { id = "4", role = "assistant", at = "2026-03-02T09:21:00Z", content = "It shows the error's message, which names the budget to raise to." },
}

kit.it("looks as in the README", function()
  ui:lua(
    [[
      local cmd = ...
      require("contexture").setup({ cmd = cmd, budget = 1500 })
      vim.o.background = "dark"
      vim.o.number = true
      vim.o.wrap = false
      vim.o.statusline = " %f %h%m%r%=%{%v:lua.require'contexture'.statusline()%}   %l:%c "
      vim.cmd.edit("context/budget/errors.go")
      vim.bo.filetype = "go"
    ]],
    kit.cmd()
  )
  ui:see("ctx ✓   1:1", 120000) -- all of the repository is indexed, its vectors too
  ui:lua(
    [[
      require("contexture").execute("contexture.conversation.append", ..., function(err)
        vim.g.appended = err and err.message or "yes"
      end)
    ]],
    { conversationId = "budgets", messages = conversation }
  )
  kit.wait("the conversation", function()
    return ui:lua("return vim.g.appended") == "yes"
  end)
  ui:keys(":Contexture what happens when the prompt exceeds the budget?<CR>")
  for _, want in ipairs({ "tokens · question", "Found for this prompt █", "History               █", "Turn 1", "context/budget/errors.go:", "q close" }) do
    ui:see(want)
  end
  local text = ui:text()
  assert(not text:find("\n[^\n]*! ", 1), "something is lacking:\n" .. text)
  for _, own in ipairs({ home, repository, vim.fs.dirname(vim.fn.fnamemodify(kit.program, ":p")) }) do
    assert(not text:find(own, 1, true), own .. " is on\n" .. text)
  end
end)

kit.it("is drawn", function()
  local width, height = dofile(here .. "/picture.lua").png(ui, target)
  local head = assert(io.open(target, "rb")):read(24)
  eq(head:sub(2, 4), "PNG")
  local function number(from)
    local a, b, c, d = head:byte(from, from + 3)
    return ((a * 256 + b) * 256 + c) * 256 + d
  end
  eq({ number(17), number(21) }, { width, height })
  assert(vim.uv.fs_stat(target).size < 300000, "the picture is large")
end)

ui:stop()
vim.fn.delete(home, "rf")
kit.finish()
