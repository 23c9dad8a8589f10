--- What places.lua tests of the list of conversations and of their sources.
return function(kit)
  local it, eq, wait = kit.it, kit.eq, kit.wait

  it("lists conversations, the latest first, and searches in them", function()
    for i, said in ipairs({ "Where is the retry limit read?", "Which port does the shop listen on?", "Does the bank answer at night?" }) do
      kit.call("conversation.append", {
        conversationId = "list-" .. i,
        messages = { { role = "user", content = said, at = ("2026-03-0%dT03:04:05Z"):format(i) } },
      })
    end
    vim.cmd("Contexture conversations")
    eq(vim.bo.filetype, "contexture-conversations")
    kit.see("Where is the retry limit read?")
    assert(vim.fn.search("bank answer", "nw") < vim.fn.search("retry limit", "nw"), kit.text())
    assert(kit.text():find("1 turn +%d+ %u%l%l %d%d:%d%d") or kit.text():find("1 turn +2026%-03"), kit.text())
  end)

  it("forgets a conversation only after a yes", function()
    kit.said = {}
    kit.go("Which port")
    kit.answers("n", "yes")
    kit.press("d")
    kit.told("nothing was forgotten")
    kit.press("d")
    kit.told("forgotten: list-2")
    wait("the list without it", function()
      return not kit.text():find("Which port", 1, true)
    end)
  end)

  it("shows the arc of a conversation", function()
    kit.go("Does the bank")
    kit.press("a")
    wait("the arc", function()
      return kit.text():find("Open questions", 1, true)
    end)
    vim.cmd.close()
    kit.press("q")
  end)

  it("loads again when the server reports a change, without moving the cursor", function()
    vim.cmd("Contexture conversations")
    kit.go("Where is the retry limit read?")
    kit.call("conversation.append", {
      conversationId = "list-4",
      messages = { { role = "user", content = "Who calls at noon?", at = "2026-03-04T03:04:05Z" } },
    })
    kit.see("Who calls at noon?")
    assert(vim.api.nvim_get_current_line():find("retry limit", 1, true), vim.api.nvim_get_current_line())
    kit.press("q")
  end)

  it("shows where conversations come from, and switches a source", function()
    vim.cmd("Contexture sources")
    eq(vim.bo.filetype, "contexture-sources")
    kit.see("Import sources   0 of")
    kit.said = {}
    kit.go("claude-code")
    local before = vim.fn.line(".")
    kit.press("i")
    kit.told("claude-code is off")
    kit.press("t")
    kit.told("claude-code is on")
    kit.see("Import sources   1 of")
    eq(vim.fn.line("."), before)
    kit.press("t")
    kit.told("claude-code is off")
    kit.see("Import sources   0 of")
    kit.press("q")
  end)
end
