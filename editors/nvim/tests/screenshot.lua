-- Pictures of all places, of this repository, used as a person would. They go to out/nvim-<version>-<place>.png; that of
-- the panel, which is in the README, goes where SCREENSHOT says:
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

local env = { HOME = home, TZ = "UTC" }
for _, kind in ipairs({ "CONFIG", "STATE", "CACHE", "DATA" }) do
  env["XDG_" .. kind .. "_HOME"] = home .. "/" .. kind:lower()
end
local ui = dofile(here .. "/ui.lua").start({
  args = { "--clean", "-n", "--cmd", "set rtp^=" .. kit.plugin },
  columns = 110,
  lines = 52,
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
      require("contexture").setup({ cmd = cmd, ticklers = { virtual_text = false }, budget = 1500, conversation = "budgets" })
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
  for _, want in ipairs({ "tokens · question", "Found for this prompt █", "History               █", "T-1 of budgets", "context/budget/errors.go:", "g? keys" }) do
    ui:see(want)
  end
  local text = ui:text()
  assert(not text:find("\n[^\n]*! ", 1), "something is lacking:\n" .. text)
  for _, own in ipairs({ home, repository, vim.fs.dirname(vim.fn.fnamemodify(kit.program, ":p")) }) do
    assert(not text:find(own, 1, true), own .. " is on\n" .. text)
  end
end)

-- Draws the screen, and checks that the file is a picture of its size.
local function draw(path)
  ui:lua("vim.cmd.redraw()") -- what is on its way to the screen arrives before the answer
  for _ = 1, 2 do
    ui:request("nvim_get_mode") -- and the cursor's place before these: it follows when Neovim waits for keys again
  end
  local width, height = dofile(here .. "/picture.lua").png(ui, path)
  local head = assert(io.open(path, "rb")):read(24)
  eq(head:sub(2, 4), "PNG")
  local function number(from)
    local a, b, c, d = head:byte(from, from + 3)
    return ((a * 256 + b) * 256 + c) * 256 + d
  end
  eq({ number(17), number(21) }, { width, height })
end

kit.it("is drawn", function()
  draw(target)
  assert(vim.uv.fs_stat(target).size < 400000, "the picture is large for the README")
end)

-- The other places, each with what is typed, in steps that wait for a text to be seen.
local others = {
  { "search", { { ":tab Contexture search when does a prompt exceed the budget<CR>", "50 hits" } } },
  { "conversations", { { ":tab Contexture conversations<CR>", "Conversations   4" } } },
  { "conversation", { { ":tab Contexture conversation budgets<CR>", "budgets   3 turns" }, { "[[<CR>", "smoothed, " } } },
  { "sources", { { ":tab Contexture sources<CR>", "Import sources" }, { "zR", "~/." } } },
  { "rules", { { ":tab Contexture rules<CR>", "Active rules" }, { "zR", "replaced by" } } },
  { "topics", { { ":Contexture learn<CR>", "are known" }, { "<CR>:tab Contexture topics<CR>", "People and things" }, { "zR", "with  " } } },
  { "index", { { ":tab Contexture index<CR>", "Languages" } } },
  { "keys", { { ":tab Contexture rules<CR>", "Active rules" }, { "g?", "Show the keys" } } },
}

-- What the places show beside the panel's conversation: commands with their arguments.
local function memories()
  local list = {}
  local function say(id, day, messages)
    for i, text in ipairs(messages) do
      messages[i] = { id = tostring(i), role = i % 2 == 1 and "user" or "assistant", content = text, at = ("2026-03-%02dT10:%02d:00Z"):format(day, i) }
    end
    table.insert(list, { "conversation.append", { conversationId = id, messages = messages } })
  end
  say("errors", 4, {
    "Olga asked how errors are worded. From now on write error messages in lower case, the operation first.",
    "Understood: `negotiate budget: …`.",
    "We decided that budget negotiation refuses what is too small with PromptExceedsError, Olga agreed.",
    "Yes.",
  })
  say("retrieval", 5, {
    "Olga runs the retrieval-bench service. The retrieval-bench measures budget negotiation too.",
    "The keyword match in indexer/lexical takes longest.",
    "From now on always measure retrieval before changing it. Olga says that retrieval-bench is slow.",
    "Understood.",
    "Marek moved budget negotiation out of retrieval-bench; Olga agreed. Which stage takes longest now?",
    "The semantic match.",
  })
  say("ranking", 12, {
    "Marek says that the retrieval-bench of the ranking is ready; Olga has seen it.",
    "Good.",
    "Marek found that budget negotiation takes 2 ms of a bundle.",
    "Then it is not what is slow.",
  })
  table.insert(list, { "remember", { kind = "rule", text = "Always run the tests of what was changed before a commit." } })
  table.insert(list, { "remember", { kind = "rule", text = "From now on never write error messages in lower case, the operation first." } })
  table.insert(list, { "remember", { kind = "decision", text = "The prompt is never cut: half a question gets a wrong answer." } })
  table.insert(list, { "conversation.append", { conversationId = "budgets", messages = {
    { id = "5", role = "user", at = "2026-03-02T09:30:00Z", content = "We decided to show the smallest budget that would do in the editor. Olga knows the budget negotiation best." },
  } } })
  return list
end

local function remember()
  kit.execute(ui, memories())
end

kit.it("draws the other places", function()
  ui:keys("<Esc><Esc>")
  remember()
  ui:lua([[vim.o.laststatus = 3]])
  for _, place in ipairs(others) do
    for _, step in ipairs(place[2]) do
      ui:keys(step[1])
      ui:see(step[2], 60000)
    end
    draw(vim.fn.fnamemodify(kit.plugin .. "/out/nvim-" .. version .. "-" .. place[1] .. ".png", ":p"))
    ui:keys("<C-\\><C-n>:silent! fclose!<CR>:silent! tabonly<CR>:silent! tabclose<CR>:edit context/budget/errors.go<CR>")
    ui:see("package budget")
  end
end)

ui:stop()
vim.fn.delete(home, "rf")
kit.finish()
