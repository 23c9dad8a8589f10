--- What run.lua tests of what was learned from conversations.
local contexture = require("contexture")

return function(kit, text_of)
  local it, eq, wait, await = kit.it, kit.eq, kit.wait, kit.await

  -- Records what a conversation was given before a prompt, as hooks do.
  local function give(conversation, at, tokens)
    local client = require("contexture.client").get()
    local cmd = client.config.cmd
    local folder = vim.fs.joinpath(cmd[vim.fn.index(cmd, "--state-dir") + 2], "hosts", "receipts")
    vim.fn.mkdir(folder, "p")
    local given = { root = client.root_dir, conversation = conversation, at = at, moment = "beforePrompt", names = { "retry.go" }, bytes = 4 * tokens, took = 2e7 }
    vim.fn.writefile({ vim.json.encode(given) }, vim.fs.joinpath(folder, conversation:gsub("/", "-") .. ".jsonl"))
  end

  it("lists in its status what assistants were given", function()
    local function status_shows(what, text)
      vim.cmd("Contexture status")
      wait(what, function()
        return text_of(0):find(text)
      end)
      local shown = text_of(0)
      vim.cmd.close()
      return shown
    end
    local shown = status_shows("the state of the learning", "learned   %d+ topics")
    assert(not shown:find("to assistants", 1, true), shown)
    give("codex/unseen", "2026-01-09T03:04:05Z", 20)
    status_shows("what was given", "given     20 tokens to assistants in thirty days; what came of it is not known")
    await(function(done)
      local said = { role = "user", content = "Where is it retried?", at = "2026-01-09T03:04:05Z" }
      contexture.execute("contexture.conversation.append", { conversationId = "given", messages = { said } }, done)
    end)
    give("given", "2026-01-09T03:04:06Z", 100)
    status_shows("what it spared", "given     120 tokens to assistants in thirty days; spared 0, net %-120; conversations not captured: 1")
    await(function(done)
      contexture.execute("contexture.conversation.delete", { conversationId = "given" }, done)
    end)
    local total = { prompts = 1, given = 20, spared = 90 }
    local line = require("contexture.status").given({ total = total, conversations = { { seen = true } }, unseen = 0 })
    eq(line, "given     20 tokens to assistants in thirty days; spared 90, net +70")
  end)

  it("offers once what is a topic and an entity", function()
    local function subject(id, label, kind, turns)
      return { id = id, label = label, kind = kind, names = {}, turns = turns, trend = "steady", last = "2026-01-03T03:04:05Z" }
    end
    local once = require("contexture.learned").each_once({
      subject("topic-1", "Olga", "topic", 3),
      subject("topic-2", "Quay", "topic", 4), -- another's, that somebody renamed
      subject("topic-3", "bookings", "topic", 3),
      subject("entity-1", "Olga", "name", 3),
      subject("entity-2", "Quay", "name", 3),
    })
    eq(vim.tbl_map(function(s)
      return s.id
    end, once), { "topic-2", "topic-3", "entity-1", "entity-2" })
  end)

  it("shows what was learned, and changes it", function()
    for i, said in ipairs({
      "Olga runs the harbour-ledger service. The harbour-ledger keeps the bookings.",
      "Olga says that harbour-ledger is slow when customs declarations arrive.",
      "We moved customs declarations out of harbour-ledger; Olga agreed.",
    }) do
      local err = await(function(done)
        contexture.execute("contexture.conversation.append", {
          conversationId = "ledger-" .. i,
          messages = { { role = "user", content = said, at = ("2026-01-0%dT03:04:05Z"):format(i) } },
        }, done)
      end)
      eq(err, nil)
    end
    kit.said = {}
    vim.cmd("Contexture learn")
    wait("the learning", function()
      return kit.said[1] and kit.said[1]:find("%d+ topics, %d+ entities")
    end)
    vim.cmd("Contexture learned olga")
    wait("the profile", function()
      return text_of(0):find("Olga: name", 1, true) -- a person is what has a mail address
    end)
    assert(vim.fn.search("^  T-1 ") > 0, text_of(0))
    vim.api.nvim_feedkeys(vim.keycode("<CR>"), "x", false)
    wait("the turn", function()
      return text_of(0):find("Olga", 1, true) and not text_of(0):find("Olga: name", 1, true)
    end)
    vim.cmd.close()
    local select, input = vim.ui.select, vim.ui.input
    vim.ui.select = function(items, _, choose)
      choose(vim.tbl_contains(items, "rename") and "rename" or items[1])
    end
    vim.ui.input = function(_, use)
      use("Olga of the harbour")
    end
    vim.api.nvim_feedkeys("c", "x", false)
    wait("the new name", function()
      local _, all = await(function(done)
        contexture.execute("contexture.knowledge.entities", {}, done)
      end)
      return vim.iter(all.entities):any(function(e)
        return e.name == "Olga of the harbour"
      end)
    end)
    vim.ui.select, vim.ui.input = select, input
    vim.cmd.close()
    kit.said = {}
    vim.cmd("Contexture learned nobody")
    wait("a word that nothing is known", function()
      return kit.said[1] and kit.said[1]:find('nothing is known of "nobody"', 1, true)
    end)
    vim.cmd("Contexture status")
    wait("the state of the learning", function()
      return text_of(0):find("learned   %d+ topics")
    end)
    vim.cmd.close()
    local status = require("contexture.status")
    status.set_learning({ state = "running", progress = { share = 0.42, reason = "first run", ms = 1 }, topics = 0, entities = 0, changes = {} })
    eq(contexture.statusline(), "ctx learning 42%%")
    status.set_learning({ state = "idle", topics = 0, entities = 0, changes = {} })
    assert(contexture.statusline():find("✓", 1, true), contexture.statusline())
    for i = 1, 3 do
      await(function(done)
        contexture.execute("contexture.conversation.delete", { conversationId = "ledger-" .. i }, done)
      end)
    end
  end)
end
