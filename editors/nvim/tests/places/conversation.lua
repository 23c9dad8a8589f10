--- What places.lua tests of the timeline of a conversation.
return function(kit)
  local it, eq, wait = kit.it, kit.eq, kit.wait

  it("shows the turns with what was decided and asked in them", function()
    local messages = {
      { "user", "How often do we retry a payment? We decided to keep three attempts, because the bank blocks after four." },
      { "assistant", "Understood. The policy is in retry.go." },
      { "user", "From now on always log the attempt number. Which queue keeps the failed ones?" },
      { "assistant", "That is open: nobody has said which queue." },
    }
    for i, message in ipairs(messages) do
      messages[i] = { id = tostring(i), role = message[1], content = message[2], at = ("2026-02-01T10:0%d:00Z"):format(i) }
    end
    kit.call("conversation.append", { conversationId = "payments", messages = messages })
    vim.cmd("Contexture conversation payments")
    eq(vim.bo.filetype, "contexture-conversation")
    kit.see("payments   2 turns")
    kit.see("◆ decision")
    kit.see("● rule")
    kit.see("T-2")
    assert(vim.api.nvim_get_current_line():find("^T%-2"), "the cursor is not at the latest turn: " .. vim.api.nvim_get_current_line())
  end)

  it("unfolds the text of a turn at a level, and goes from turn to turn", function()
    kit.press("[[")
    assert(vim.api.nvim_get_current_line():find("^T%-1"), vim.api.nvim_get_current_line())
    kit.press("<CR>")
    kit.see("smoothed, ")
    kit.press("+")
    kit.see("verbatim, ")
    kit.see("│ ")
    kit.see("the bank blocks after four")
    assert(vim.api.nvim_get_current_line():find("^T%-1"), vim.api.nvim_get_current_line())
    kit.press("---")
    kit.see("one line, ")
    kit.press("]]")
    assert(vim.api.nvim_get_current_line():find("^T%-2"), vim.api.nvim_get_current_line())
    kit.press("[[<CR>")
    wait("the turn without its text", function()
      return not kit.text():find("│", 1, true)
    end)
    assert(vim.fn.foldlevel(".") == 1, "a turn is no fold")
    kit.press("o")
    wait("the turn in a window", function()
      return vim.api.nvim_win_get_config(0).relative ~= "" and kit.text():find("the bank blocks after four", 1, true)
    end)
    assert(not kit.text():find("</T-", 1, true), kit.text())
    vim.cmd.close()
  end)

  it("searches in the conversation, into the location list", function()
    kit.answers("which queue keeps failed payments")
    kit.press("s")
    wait("the location list", function()
      return #vim.fn.getloclist(0) > 0 and vim.bo.buftype == "quickfix"
    end)
    vim.cmd.lfirst()
    assert(vim.api.nvim_get_current_line():find("^T%-%d"), vim.api.nvim_get_current_line())
    vim.cmd.lclose()
  end)

  it("forks at a turn, and leads from one to the other", function()
    kit.go("T-1 ")
    kit.answers("payments-2")
    kit.press("F")
    kit.told("payments-2 has the turns up to T-1")
    kit.see("⑂ fork  payments-2")
    kit.go("⑂ fork")
    kit.press("<CR>")
    kit.see("payments-2   1 turn")
    kit.go("fork of payments at T-1")
    kit.press("<CR>")
    kit.see("payments   2 turns")
    vim.cmd("normal! " .. vim.keycode("<C-o>"))
    kit.see("payments-2   1 turn")
  end)

  it("forgets the conversation and closes", function()
    kit.answers("yes")
    kit.press("d")
    kit.told("forgotten: payments-2")
    wait("the window", function()
      return vim.bo.filetype ~= "contexture-conversation"
    end)
  end)

  it("finds conversations by their words", function()
    vim.cmd("Contexture conversations bank blocks")
    kit.see('match "bank blocks"')
    kit.go("How often do we retry")
    kit.press("<CR>")
    kit.see("payments   2 turns")
    kit.press("q")
  end)

  it("gives each turn one line in windows of any width", function()
    local turns = {}
    for i, title in ipairs({ ("a long title "):rep(12), "支払いを再試行する回数を決めました。銀行は四回で止めます。理由を書いてください。", "short" }) do
      turns[i] = { turnId = "T-" .. i, at = "2026-02-01T10:00:00Z", author = "Olga", title = title, messageCount = 12, tokens = 12345, marks = {} }
    end
    for _, width in ipairs({ 50, 60, 79, 80, 120, 200 }) do
      local out = require("contexture.places.conversation").listing({
        argument = "c",
        level = "S",
        texts = {},
        turns = { turns = turns, forks = {} },
        width = function()
          return width
        end,
      })
      for _, line in ipairs(out.lines) do
        local cells = vim.fn.strdisplaywidth(line) + out.depth
        assert(cells <= width, ("%d of %d cells: %s"):format(cells, width, line))
      end
    end
  end)
end
