-- The plugin against the real program, in this Neovim.
local here = vim.fn.fnamemodify(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)), ":p")
local kit = dofile(here .. "kit.lua")
local it, eq, wait, await = kit.it, kit.eq, kit.wait, kit.await

local root = kit.start()
local contexture = require("contexture")
local client = require("contexture.client")

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
end

it("refuses options that it does not know", function()
  local ok, err = pcall(contexture.setup, { comand = {} })
  assert(not ok and err:find("comand", 1, true), err)
  ok, err = pcall(contexture.setup, { cmd = "contexture" })
  assert(not ok and err:find("table", 1, true), err)
end)

it("takes the program's place from `contexture install` unless setup names one", function()
  local options = require("contexture.options")
  contexture.setup()
  vim.g.contexture_program = "/opt/bin/contexture" -- of a file that is read after setup()
  eq(options.get().cmd, { "/opt/bin/contexture", "serve" })
  contexture.setup({ cmd = { "mine" } })
  eq(options.get().cmd, { "mine" })
  vim.g.contexture_program = nil
  contexture.setup()
  eq(options.get().cmd, { "contexture", "serve" })
end)

it("is quiet and empty before it runs", function()
  eq(contexture.statusline(), "")
end)

it("attaches to a file that is opened", function()
  contexture.setup({ cmd = kit.cmd(), panel = { delay = 10 } })
  vim.cmd.edit("retry.go")
  if vim.bo.filetype == "" then
    vim.bo.filetype = "go"
  end
  wait("attached", function()
    local c = client.get()
    return c and c.initialized and vim.lsp.buf_is_attached(0, c.id)
  end)
  eq(vim.fs.normalize(client.get().root_dir), root)
end)

it("tells how the index stands", function()
  wait("status", function()
    local status = require("contexture.status").get()
    return status and status.state == "idle" and status.files == 3
  end)
  assert(contexture.statusline():find("✓", 1, true), contexture.statusline())
end)

it("serves a second folder with the same client", function()
  local other = kit.workspace({ ["other.go"] = "package other\n\nfunc elsewhere() {}\n" })
  local id = client.get().id
  vim.cmd.edit(other .. "/other.go")
  vim.bo.filetype = "go"
  wait("attached", function()
    return vim.lsp.buf_is_attached(0, id)
  end)
  eq(#vim.lsp.get_clients({ name = "contexture" }), 1)
  wait("found", function()
    local err, result = await(function(done)
      contexture.execute("contexture.search", { query = "elsewhere", workspace = vim.uri_from_fname(other) }, done)
    end)
    return not err and result.hits[1] and result.hits[1].uri:match("other.go$")
  end)
  wait("the status of both", function()
    local status = require("contexture.status").get()
    return status and status.state == "idle" and status.files == 4
  end)
  local panel = require("contexture.panel").open("what is elsewhere?") -- about the folder of the file one is in
  wait("the panel about the second folder", function()
    return text_of(panel.result):find("other.go:1", 1, true)
  end)
  panel:close()
  local err, why = await(function(done)
    contexture.execute("contexture.index.why", { textDocument = { uri = vim.uri_from_fname(root .. "/retry.go") } }, done)
  end)
  assert(not err and why.indexed, vim.inspect(err or why))
  vim.cmd.bwipeout({ bang = true })
  local function notify(method, params)
    local c = client.get()
    if vim.fn.has("nvim-0.11") == 1 then
      c:notify(method, params)
    else
      c.notify(method, params)
    end
  end
  notify("workspace/didChangeWorkspaceFolders", {
    event = { added = {}, removed = { { uri = vim.uri_from_fname(other), name = "other" } } },
  })
end)

it("bundles, with what is not saved yet", function()
  vim.cmd.edit("main.go")
  wait("attached", function()
    return vim.lsp.buf_is_attached(0, client.get().id)
  end)
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { "", "func brandNewThing() { retryPayment(RetryPolicy{9}) }" })
  local err, result = await(function(done)
    contexture.contract():bundle({ prompt = "what does brandNewThing do?" }, done)
  end)
  assert(not err, vim.inspect(err))
  assert(result.tokens <= result.budget)
  assert(result.text:find("func brandNewThing", 1, true), result.text)
  vim.cmd("edit!")
end)

it("gives the server's errors with the field", function()
  local err = await(function(done)
    contexture.execute("contexture.bundle", { prompt = "x", budget = 1 }, done)
  end)
  eq(err.code, -32602)
  eq(err.data.field, "budget")
end)

it("cancels", function()
  local called = false
  local cancel = contexture.execute("contexture.bundle", { prompt = "retry" }, function()
    called = true
  end)
  cancel()
  vim.wait(300)
  assert(not called, "a cancelled request has called back")
end)

local conversation = "talk"
it("remembers, reminds and opens the turn", function()
  local err = await(function(done)
    contexture.contract():conversation_append({
      conversationId = conversation,
      messages = {
        { id = "1", role = "user", at = "2026-02-02T03:04:05Z", content = "We decided to keep three attempts in retryPayment of retry.go, because the bank blocks after four." },
        { id = "2", role = "assistant", at = "2026-02-02T03:05:05Z", content = "Understood." },
      },
    }, done)
  end)
  assert(not err, vim.inspect(err))
  err = await(function(done)
    contexture.contract():conversation_append({
      conversationId = "older",
      messages = { { id = "1", role = "user", content = "Are failed payments retried at night as well?", at = "2026-01-02T03:04:05Z" } },
    }, done)
  end)
  assert(not err, vim.inspect(err))
  vim.cmd.edit("retry.go")
  local ticklers = require("contexture.ticklers")
  wait("virtual text", function()
    ticklers.refresh(0)
    vim.wait(100)
    local marks = vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace("contexture.ticklers"), 0, -1, { details = true })
    return marks[1] and marks[1][4].virt_text[1][1]:find("Turn 1", 1, true)
  end)
  ticklers.switch("off")
  eq(vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace("contexture.ticklers"), 0, -1, {}), {})
  vim.cmd("Contexture turn " .. conversation .. " T-1")
  wait("the turn", function()
    return vim.api.nvim_win_get_config(0).relative ~= "" and text_of(0):find("the bank blocks", 1, true)
  end)
  vim.cmd.close()
end)

it("shows the arc, whose lines open turns", function()
  vim.cmd("Contexture arc")
  wait("the arc", function()
    return vim.api.nvim_win_get_config(0).relative ~= "" and text_of(0):find("three attempts", 1, true)
  end)
  vim.fn.search("T-1")
  vim.api.nvim_feedkeys(vim.keycode("<CR>"), "x", false)
  wait("the turn", function()
    return text_of(0):find("the bank blocks", 1, true) and not text_of(0):find("Open questions", 1, true)
  end)
  vim.cmd("fclose!")
  vim.cmd("fclose!")
end)

it("shows a bundle in the panel, live", function()
  vim.cmd.edit("main.go")
  vim.cmd("Contexture bundle where are payments retried?")
  local panel = require("contexture.panel").get()
  wait("items", function()
    return text_of(panel.result):find("retry.go", 1, true)
  end)
  for _, want in ipairs({ "tokens", "Conversation: none", "Found for this prompt", "█" }) do
    wait(want .. " in\n" .. text_of(panel.result), function()
      return text_of(panel.result):find(want, 1, true)
    end)
  end
  vim.api.nvim_buf_set_lines(panel.prompt, 0, -1, false, { "Shop README" })
  vim.api.nvim_exec_autocmds("TextChanged", { buffer = panel.prompt })
  wait("the new answer", function()
    return panel.bundle and panel.bundle.text:find("\nShop README\n", 1, true)
  end)
end)

dofile(here .. "continues.lua")(kit, text_of)

it("excludes, undoes and opens from the panel", function()
  local panel = require("contexture.panel").get()
  local function go(pattern)
    vim.api.nvim_set_current_win(panel.result_window)
    vim.cmd.stopinsert()
    vim.fn.cursor(1, 1)
    assert(vim.fn.search(pattern) > 0, pattern .. " is not in\n" .. text_of(panel.result))
  end
  local function has(name)
    return panel.bundle and vim.iter(panel.bundle.items):any(function(item)
      return item.uri and vim.endswith(item.uri, name)
    end)
  end
  go("README.md")
  vim.api.nvim_feedkeys("X", "x", false)
  wait("excluded", function()
    return panel.bundle and not has("README.md") and text_of(panel.result):find("- left out  README.md", 1, true)
  end)
  vim.api.nvim_feedkeys("u", "x", false)
  wait("back", function()
    return has("README.md") and not text_of(panel.result):find("- left out", 1, true)
  end)
  go("README.md")
  vim.api.nvim_feedkeys("y", "x", false)
  assert(vim.fn.getreg('"'):find("Shop README", 1, true), "the text is not copied: " .. vim.fn.getreg('"'))
  go("README.md")
  vim.api.nvim_feedkeys("p", "x", false)
  wait("pinned", function()
    local _, board = await(function(done)
      contexture.execute("contexture.board.list", { conversationId = conversation }, done)
    end)
    return board and board.items[1] and board.items[1].content:find("three times", 1, true)
  end)
  go("retry.go:1") -- what is pinned is not repeated
  vim.api.nvim_feedkeys(vim.keycode("<CR>"), "x", false)
  eq(vim.fs.basename(vim.api.nvim_buf_get_name(0)), "retry.go")
  eq(require("contexture.panel").get(), nil)
end)

dofile(here .. "learned.lua")(kit, text_of)

it("searches into the quickfix list", function()
  vim.cmd("Contexture quickfix retryPayment")
  wait("hits", function()
    local list = vim.fn.getqflist()
    return list[1] and vim.fs.basename(vim.fn.bufname(list[1].bufnr)) == "retry.go"
  end)
  vim.cmd.cclose()
end)

it("says why, and what is no subcommand", function()
  kit.said = {}
  vim.cmd("Contexture why main.go")
  wait("why", function()
    return kit.said[1] and kit.said[1]:find("indexed", 1, true)
  end)
  kit.said = {}
  vim.cmd("Contexture nonsense")
  assert(kit.said[1]:find("nonsense", 1, true) and kit.said[1]:find("ticklers", 1, true), kit.said[1])
end)

it("takes words without a subcommand for a prompt", function()
  for _, prompt in ipairs({ "where are payments retried?", "why are payments retried?" }) do
    vim.cmd("Contexture " .. prompt)
    local panel = assert(require("contexture.panel").get(), prompt .. " opens no panel")
    eq(text_of(panel.prompt), prompt)
    panel:close()
  end
end)

it("completes", function()
  eq(vim.fn.getcompletion("Contexture tick", "cmdline"), { "ticklers" })
  eq(vim.fn.getcompletion("Contexture ticklers o", "cmdline"), { "off", "on" })
end)

it("pauses and goes on", function()
  local function paused()
    local _, config = await(function(done)
      contexture.execute("contexture.config", {}, done)
    end)
    for _, s in ipairs(config.settings) do
      if s.key == "index.paused" then
        return s.value
      end
    end
  end
  vim.cmd("Contexture pause")
  wait("paused", function()
    return paused() == true
  end)
  vim.cmd("Contexture resume")
  wait("on", function()
    return paused() == false
  end)
end)

it("forgets only after a yes", function()
  local answer = "no"
  vim.ui.input = function(_, done)
    done(answer)
  end
  kit.said = {}
  vim.cmd("Contexture forget " .. conversation)
  assert(kit.said[1]:find("nothing", 1, true), kit.said[1])
  answer = "yes"
  vim.cmd("Contexture forget " .. conversation)
  wait("forgotten", function()
    return kit.said[2] and kit.said[2]:find("forgotten", 1, true)
  end)
end)

it("is healthy", function()
  vim.cmd("checkhealth contexture")
  local text = text_of(0)
  assert(text:find("the client runs with %d folders?; index: idle, %d of %d files") and not text:find("ERROR", 1, true), text)
  local said = vim.tbl_filter(function(line)
    return vim.startswith(line, "- ")
  end, vim.api.nvim_buf_get_lines(0, 0, -1, false))
  assert(#said <= 2, "what is well takes a line each: " .. text)
  vim.cmd.bwipeout({ bang = true })
end)

it("is asked while it starts", function()
  client.stop()
  wait("stopped", function()
    return client.get() == nil
  end)
  vim.cmd.edit("retry.go")
  local id = assert(client.start(0))
  assert(not vim.lsp.get_client_by_id(id).initialized)
  local err, result = await(function(done)
    contexture.execute("contexture.search", { query = "retryPayment" }, done)
  end)
  assert(not err and result.hits, vim.inspect(err))
  eq(client.get().id, id)
end)

it("asks again when the index is done", function()
  local panel = require("contexture.panel").open("where are payments retried?")
  wait("items", function()
    return panel.bundle
  end)
  panel.bundle.degraded = { { stage = "index", reason = "indexing", detail = "the index is behind the disk" } }
  panel:draw()
  assert(text_of(panel.result):find("! index: indexing (the index is behind the disk)", 1, true), text_of(panel.result))
  local status = require("contexture.status")
  local before, done = panel.asked, vim.tbl_extend("force", status.get(), { state = "idle" })
  status.set(vim.tbl_extend("force", done, { state = "indexing" }))
  eq(panel.timer:is_active(), false)
  status.set(done)
  wait("asked", function()
    return panel.asked > before and #panel.bundle.degraded == 0
  end)
  panel:close()
end)

it("opens without a border", function()
  require("contexture.options").get().panel.border = "none"
  local panel = require("contexture.panel").open()
  eq(text_of(panel.result), "Type a prompt above.\nConversation: none   c chooses")
  panel:close()
  require("contexture.options").get().panel.border = "rounded"
end)

it("names files below their folder, wherever one is", function()
  local uri = vim.uri_from_fname(root .. "/retry.go")
  vim.cmd.cd("/")
  eq(require("contexture.folders").relative(uri), "retry.go")
  vim.cmd.cd(root)
end)

it("serves the folder that Neovim works in where there is no repository", function()
  local plain = kit.workspace({ ["notes.txt"] = "nothing yet" })
  vim.fn.delete(plain .. "/.git", "rf")
  local folders = require("contexture.folders")
  vim.cmd.cd(plain)
  vim.cmd.edit("notes.txt")
  eq(folders.root(0), plain)
  vim.cmd.cd("/")
  eq(folders.root(0), nil)
  vim.cmd.cd(root)
  eq(folders.root(0), nil) -- a file from elsewhere does not make this its workspace
  vim.cmd.bwipeout({ bang = true })
end)

it("restarts and goes on", function()
  vim.cmd.edit("retry.go")
  local id = client.get().id
  vim.cmd("Contexture restart")
  wait("a new client", function()
    local c = client.get()
    return c and c.id ~= id and c.initialized
  end)
  local err, result = await(function(done)
    contexture.execute("contexture.search", { query = "retryPayment" }, done)
  end)
  assert(not err and #result.hits > 0, vim.inspect(err))
end)

it("says so when the program is missing", function()
  client.stop()
  wait("stopped", function()
    return client.get() == nil
  end)
  require("contexture.options").set({ cmd = { "no-such-program" } })
  kit.said = {}
  eq(client.start(0), nil)
  assert(kit.said[1]:find("no-such-program", 1, true), kit.said[1])
  eq(contexture.statusline(), "")
end)

it("brings in conversations of other chats, in a Neovim of its own", function()
  local done = vim
    .system({ vim.v.progpath, "--clean", "--headless", "-l", kit.plugin .. "/tests/capture.lua" }, { text = true })
    :wait(120000)
  io.write("\n", (done.stdout:gsub("([^\n]+)", "    %1")))
  eq(done.code, 0)
end)

kit.finish()
