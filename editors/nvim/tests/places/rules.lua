--- What places.lua tests of rules and decisions.
return function(kit)
  local it, eq, wait = kit.it, kit.eq, kit.wait

  local function rule_of(text)
    for _, item in ipairs(kit.call("knowledge.list", { kind = "rule", superseded = true }).items) do
      if item.content:find(text, 1, true) then
        return item
      end
    end
  end

  it("says that there are no rules, and stores one", function()
    vim.cmd("Contexture rules")
    eq(vim.bo.filetype, "contexture-rules")
    eq(vim.bo.buftype, "nofile")
    kit.see("No rule has been stored yet")
    kit.answers("Always name the retry limit in the error.")
    kit.press("o")
    kit.see("Active rules (1)")
    kit.see("Always name the retry limit")
    kit.told("stored")
  end)

  it("shows a rule with its quotation, and what it has replaced", function()
    kit.call("conversation.append", {
      conversationId = "habits",
      messages = {
        { role = "user", at = "2026-02-01T10:00:00Z", content = "We decided to always use tabs in shell scripts." },
        { role = "assistant", at = "2026-02-01T10:00:05Z", content = "Understood." },
      },
    })
    kit.press("R")
    kit.see("Candidates to accept (1)")
    kit.see("T-1 of habits")
    kit.go("T-1 of habits")
    kit.press("<CR>")
    wait("the turn", function()
      return vim.api.nvim_win_get_config(0).relative ~= "" and kit.text():find("We decided to always use tabs", 1, true)
    end)
    vim.cmd.close()
  end)

  it("accepts a candidate and keeps the cursor at it", function()
    kit.go("always use tabs")
    kit.press("a")
    kit.see("Active rules (2)")
    kit.told("accepted")
    assert(vim.api.nvim_get_current_line():find("always use tabs", 1, true), vim.api.nvim_get_current_line())
    eq(rule_of("always use tabs").state, "confirmed")
    kit.press("a")
    kit.told("this is no candidate")
  end)

  it("edits a rule in a buffer that :w stores", function()
    kit.go("Always name the retry limit")
    kit.press("e")
    eq(vim.bo.buftype, "acwrite")
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { "Always name the retry limit and the bank." })
    assert(vim.bo.modified)
    vim.cmd.write()
    assert(not vim.bo.modified)
    kit.told("stored: Always name the retry limit and the bank.")
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { " " })
    vim.cmd.write()
    kit.told("a rule needs words")
    vim.cmd("close!")
    kit.see("limit and the bank.")
    eq(rule_of("and the bank").title, "Always name the retry limit and the bank.")
  end)

  it("restricts a rule to files", function()
    kit.go("Always name the retry limit")
    kit.answers("retry.go", "")
    kit.press("s")
    kit.told("applies to retry.go")
    kit.see("only retry.go")
    eq(rule_of("and the bank").scope, "retry.go")
    kit.press("s")
    kit.told("applies everywhere")
    wait("no scope", function()
      return not kit.text():find("only retry.go", 1, true)
    end)
  end)

  it("removes a rule only after a yes", function()
    kit.go("and the bank")
    kit.answers("no", "yes")
    kit.press("d")
    kit.told("nothing was removed")
    assert(rule_of("and the bank"))
    kit.press("d")
    kit.told("removed")
    wait("the list without it", function()
      return not kit.text():find("and the bank", 1, true)
    end)
    eq(rule_of("and the bank"), nil)
  end)

  it("shows what replaced a rule, folded", function()
    kit.call("remember", { kind = "rule", text = "From now on never use tabs in shell scripts." })
    kit.press("R")
    kit.see("Replaced (1)")
    local line = vim.fn.search("^Replaced", "w")
    assert(vim.fn.foldclosed(line) == line, "what was replaced is not folded")
    vim.cmd("normal! zR")
    kit.go("replaced by")
    kit.press("<CR>")
    assert(vim.api.nvim_get_current_line():find("● From now on never use tabs", 1, true), vim.api.nvim_get_current_line())
    kit.press("q")
    assert(vim.bo.filetype ~= "contexture-rules")
  end)
end
