--- What places.lua tests of search: the buffer, and what it shares with pickers.
return function(kit)
  local it, eq, wait = kit.it, kit.eq, kit.wait
  local search, words = require("contexture.search"), require("contexture.words")

  it("takes filters out of a query", function()
    eq(search.arguments("retry kind:code,doc payment lang:go path:server/** mode:symbol"), {
      query = "retry payment",
      kinds = { "code", "doc" },
      languages = { "go" },
      paths = { "server/**" },
      mode = "symbol",
      limit = 50,
    })
    eq(search.arguments("std::vector http://host").query, "std::vector http://host")
  end)

  it("marks words at their beginnings only", function()
    eq(words.of("Where are the Payments retried, and by whom?"), { "payments", "retried", "whom" })
    eq(words.find("func retryPayment(payment) // nonpayment", { "payment" }), { { 10, 17 }, { 18, 25 } })
    eq(words.find("  payment payment", { "payment" }, 4), { { 10, 17 } })
  end)

  it("shows hits with their lines, and opens one at its line", function()
    vim.cmd("Contexture search retryPayment kind:code")
    eq(vim.bo.filetype, "contexture-search")
    eq(vim.api.nvim_buf_get_name(0), "contexture://search/retryPayment kind:code")
    kit.see("retry.go:")
    kit.see("│ ")
    local namespace = vim.api.nvim_create_namespace("contexture.view")
    local marked = vim.iter(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })):any(function(mark)
      return mark[4].hl_group == "ContextureMatch"
    end)
    assert(marked, "no word is marked")
    kit.go("│ func retryPayment")
    local number = tonumber(vim.api.nvim_get_current_line():match("^ *(%d+) │"))
    kit.press("gf")
    eq(vim.fs.basename(vim.api.nvim_buf_get_name(0)), "retry.go")
    eq(vim.fn.line("."), number)
    assert(vim.api.nvim_get_current_line():find("^func retryPayment"), vim.api.nvim_get_current_line())
  end)

  it("fills the quickfix list from the buffer", function()
    vim.cmd("Contexture search retryPayment kind:code")
    kit.see("retry.go:")
    kit.press("Q")
    eq(vim.bo.buftype, "quickfix")
    assert(#vim.fn.getqflist() > 0)
    vim.cmd.cclose()
  end)

  it("searches for something else, and goes back", function()
    vim.cmd("Contexture search retryPayment kind:code")
    kit.see("retry.go:")
    kit.answers("Shop README kind:doc")
    kit.press("s")
    kit.see("README.md")
    vim.cmd("normal! " .. vim.keycode("<C-o>"))
    kit.see("retry.go:")
    kit.press("q")
  end)

  it("asks what to search for, and says that nothing was found", function()
    kit.answers("zzzzunknown mode:symbol")
    vim.cmd("Contexture search")
    kit.see("0 hits")
    kit.see("Nothing found")
    kit.press("q")
  end)

  it("opens turns that are found", function()
    kit.call("conversation.append", {
      conversationId = "lamps",
      messages = { { role = "user", content = "Which lamp blinks when the harbourmaster is late?", at = "2026-02-01T10:00:00Z" } },
    })
    vim.cmd("Contexture search harbourmaster lamp")
    kit.see("T-1 of lamps")
    kit.go("T-1 of lamps")
    kit.press("<CR>")
    wait("the turn", function()
      return vim.api.nvim_win_get_config(0).relative ~= "" and kit.text():find("harbourmaster is late", 1, true)
    end)
    vim.cmd.close()
    kit.press("q")
  end)
end
