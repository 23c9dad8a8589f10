--- What places.lua tests of topics, people and things.
return function(kit)
  local it, eq, wait = kit.it, kit.eq, kit.wait

  -- Puts the cursor on the line of a person or a thing.
  local function go_to(name)
    vim.fn.cursor(1, 1)
    assert(vim.fn.search("^    " .. name .. " .*turns", "c") > 0, kit.text())
  end

  it("draws numbers as bars", function()
    local of = require("contexture.sparkline").of
    eq(of({ 0, 1, 100, 50 }), "▁▂█▄")
    eq(of({ 0, 0 }), "▁▁")
    eq(of({}), "")
  end)

  it("lists topics and people with their trend, and learns", function()
    for i, said in ipairs({
      "Olga runs the Quaymaster service. The Quaymaster keeps the bookings.",
      "Olga says that Quaymaster is slow when customs declarations arrive.",
      "We moved customs declarations out of Quaymaster; the harbour agreed.",
    }) do
      kit.call("conversation.append", {
        conversationId = "ledger-" .. i,
        messages = { { role = "user", content = said, at = ("2026-01-0%dT03:04:05Z"):format(i) } },
      })
    end
    vim.cmd("Contexture topics")
    eq(vim.bo.filetype, "contexture-topics")
    kit.see("Topics and people")
    kit.said = {}
    kit.press("L")
    kit.told("entities")
    kit.see("Olga")
    go_to("Olga")
    assert(vim.api.nvim_get_current_line():find("name", 1, true), vim.api.nvim_get_current_line())
    assert(vim.api.nvim_get_current_line():find("▁▁▁.*2 turns"), vim.api.nvim_get_current_line())
    vim.cmd("normal! zR")
    kit.see("with  ")
  end)

  it("shows what is known of one, and leads to what is related", function()
    go_to("Olga")
    kit.press("<CR>")
    kit.see("Olga: name")
    kit.see("Related")
    kit.go("  Quaymaster")
    kit.press("<CR>")
    kit.see("Quaymaster: name")
    vim.cmd.close()
  end)

  it("renames in place", function()
    go_to("Olga")
    kit.answers("rename", "Olga of the harbour")
    kit.press("c")
    kit.told("later runs keep to it")
    kit.see("Olga of the harbour")
    assert(vim.api.nvim_get_current_line():find("Olga of the harbour", 1, true), vim.api.nvim_get_current_line())
    kit.press("q")
    for i = 1, 3 do
      kit.call("conversation.delete", { conversationId = "ledger-" .. i })
    end
  end)

  it("shows what goes together, and the last twelve weeks", function()
    local function subject(id, label, kind, history)
      return { id = id, label = label, kind = kind, names = {}, turns = 3, trend = "rising", last = "2026-01-03T03:04:05Z", history = history }
    end
    local out = require("contexture.places.topics").listing({ subject("t", "bookings", "topic", { 0, 1, 4 }), subject("e", "Olga", "person") }, {
      nodes = { { id = "t", label = "bookings", kind = "topic" }, { id = "e", label = "Olga", kind = "person" }, { id = "f", label = "retry.go", kind = "file" } },
      edges = { { from = "t", to = "e", weight = 1 }, { from = "f", to = "t", weight = 2 }, { from = "t", to = "gone", weight = 9 } },
    }, nil, 100)
    local text = table.concat(out.lines, "\n")
    assert(text:find("bookings .*▁▂█ .*↗ rising"), text)
    assert(text:find("with  retry.go  file\n              Olga  person", 1, true), text)
    wait("the fold", function()
      return out.depth == 2
    end)
  end)
end
