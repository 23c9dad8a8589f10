--- What run.lua tests of what was learned from conversations.
local contexture = require("contexture")

return function(kit, text_of)
  local it, eq, wait, await = kit.it, kit.eq, kit.wait, kit.await

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
      return text_of(0):find("Olga: person", 1, true)
    end)
    assert(vim.fn.search("^  T-1 ") > 0, text_of(0))
    vim.api.nvim_feedkeys(vim.keycode("<CR>"), "x", false)
    wait("the turn", function()
      return text_of(0):find("Olga", 1, true) and not text_of(0):find("Olga: person", 1, true)
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
