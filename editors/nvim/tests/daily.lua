-- A person's ten daily tasks, each in one command or at most three actions: a command, keys, or an answer. A second
-- Neovim does them, with the keys that a person presses, and its screen is read.
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local kit = dofile(here .. "/kit.lua")

local yesterday = os.date("!%Y-%m-%d", os.time() - 24 * 3600) --[[@as string]]
local files = vim.tbl_extend("force", kit.files, { [".gitignore"] = "*.log\n", ["server.log"] = "started\n", ["thirdparty/lib.go"] = "package thirdparty\n" })
local root = kit.workspace(files)
local cmd = kit.cmd()
local ui = dofile(here .. "/ui.lua").start({
  args = { "--clean", "-n", "--cmd", "set rtp^=" .. kit.plugin },
  columns = 120,
  lines = 40,
  cwd = root,
  env = { TZ = "UTC" },
})

-- What a hook gave to a conversation, as the program records it.
local function give(conversation, at, tokens)
  local folder = vim.fs.joinpath(cmd[vim.fn.index(cmd, "--state-dir") + 2], "hosts", "receipts")
  vim.fn.mkdir(folder, "p")
  local given = { root = root, conversation = conversation, at = at, moment = "beforePrompt", names = { "retry.go" }, bytes = 4 * tokens, took = 2e7 }
  vim.fn.writefile({ vim.json.encode(given) }, vim.fs.joinpath(folder, conversation:gsub("/", "-") .. ".jsonl"))
  local texts = vim.fs.joinpath(vim.fs.dirname(folder), "texts")
  vim.fn.mkdir(texts, "p")
  local line = vim.json.encode({ at = at, text = "Found by Contexture:\nretry.go:3  func retryPayment\n" })
  vim.fn.writefile({ line }, vim.fs.joinpath(texts, at:sub(1, 10) .. ".jsonl"), "a")
end

ui:lua(
  [[
    local cmd = ...
    vim.cmd.runtime("plugin/contexture.lua")
    require("contexture").setup({ cmd = cmd, ticklers = { virtual_text = false } })
    vim.o.statusline = "%f %{%v:lua.require'contexture'.statusline()%}"
    vim.o.laststatus = 2
    vim.cmd.edit("retry.go")
    vim.bo.filetype = "go"
  ]],
  cmd
)
ui:see("ctx ✓")
kit.execute(ui, {
  {
    "conversation.append",
    {
      conversationId = "refunds",
      title = "Refunds",
      messages = {
        { id = "1", role = "user", at = yesterday .. "T10:00:00Z", content = "From now on always name the bank in logs." },
        { id = "2", role = "assistant", at = yesterday .. "T10:01:00Z", content = "Understood." },
        { id = "3", role = "user", at = yesterday .. "T10:02:00Z", content = "We decided to never retry refunds, because the bank books them twice." },
        { id = "4", role = "assistant", at = yesterday .. "T10:03:00Z", content = "Noted. Which bank books them twice?" },
      },
    },
  },
  {
    "conversation.append",
    {
      conversationId = "idle",
      title = "Idle talk",
      messages = { { id = "1", role = "user", at = "2026-01-02T03:04:05Z", content = "Is it late?" } },
    },
  },
})
give("refunds", yesterday .. "T10:02:01Z", 100)
give("codex/other", "2026-01-09T03:04:05Z", 20)
give("codex/now", os.date("!%Y-%m-%dT%H:%M:%SZ", os.time() - 600), 30)

-- Does a task: each step is one action, and what is to be seen then.
local function task(name, steps)
  kit.it(("%s: %d action%s"):format(name, #steps, #steps == 1 and "" or "s"), function()
    assert(#steps <= 3, #steps .. " actions")
    for _, step in ipairs(steps) do
      ui:keys(step[1])
      kit.wait("an end of typing", function()
        return ui:lua("return vim.api.nvim_get_mode().mode") ~= "i" or not step.typed
      end)
      for i = 2, #step do
        ui:see(step[i])
      end
    end
    ui:keys("<Esc><Esc>:silent! fclose!<CR>:silent! only!<CR>:silent! edit! retry.go<CR>:echo<CR>")
    ui:see("retry.go ctx ✓")
  end)
end

task("find where the attempts are decided", {
  { ":Contexture where is decided how often a payment is tried again?<CR>", "retry.go:1", "type RetryPolicy struct" },
})

-- An assistant in this Neovim asks, as the integrations do.
ui:lua([[
  vim.g.asked = false
  require("contexture.integrations.tools").context("where are payments retried?", {}, function() vim.g.asked = true end)
]])
kit.wait("a context", function()
  return ui:lua("return vim.g.asked")
end)
task("see what the model got ten minutes ago, and why", {
  { ":Contexture receipts<CR>", "here · ", "where are payments retried?", "retry.go:1", "Refunds", "named: retry.go" },
  { "/named: retry<CR>", "named: retry.go" },
  { "K", "30 tokens", "retry.go:3  func retryPayment" },
})
task("see why a file is missing", {
  { ":Contexture why server.log<CR>", "not indexed: *.log (.gitignore:1)" },
})
task("accept a rule", {
  { ":Contexture rules<CR>", "Candidates to accept", "never retry refunds" },
  { "/never retry<CR>", "never retry refunds" },
  { "a", "accepted" },
})
task("see what was decided about refunds, and when", {
  { ":Contexture recall what was decided about refunds?<CR>", "never retry refunds", yesterday },
})
task("forget a chat", {
  { ":Contexture forget<CR>", "Forget which conversation?", "Idle talk" },
  { "2<CR>", "permanently?" },
  { "yes<CR>", "forgotten: idle" },
})
task("leave a folder out", {
  { ":Contexture exclude thirdparty<CR>", "/thirdparty/ is now in .contextureignore" },
})
task("copy a context", {
  { ":Contexture where are payments retried?<CR>", "func retryPayment" },
  { "<CR>", "func retryPayment", typed = true },
  { "y", "copied" },
})
task("resume yesterday's work", {
  { ":Contexture arc<CR>", "refunds", "Decisions", "never retry refunds", "Open questions", "Which bank books them twice?" },
})
task("see what it cost this week", {
  { ":Contexture receipts<CR>", "This week    130 tokens given, 0 spared, net -130", "Thirty days  150 tokens given" },
})

kit.it("left no byte of what was forgotten", function()
  local state = cmd[vim.fn.index(cmd, "--state-dir") + 2]
  for _, path in ipairs(vim.fs.find(function() return true end, { path = state, type = "file", limit = math.huge })) do
    local file = io.open(path, "rb")
    if file then -- else the store has removed it meanwhile
      kit.eq({ path, file:read("*a"):find("Is it late?", 1, true) }, { path })
      file:close()
    end
  end
end)

kit.it("did what was asked", function()
  kit.eq(ui:lua([[return vim.fn.getreg('"'):find("func retryPayment", 1, true) ~= nil]]), true)
  kit.eq(vim.fn.readfile(root .. "/.contextureignore"), { "/thirdparty/" })
end)

ui:stop()
kit.finish()
