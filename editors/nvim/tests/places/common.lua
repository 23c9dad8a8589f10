--- What places.lua tests of what all places have.
return function(kit)
  local it, eq = kit.it, kit.eq

  it("keeps the cursor, the height and the folds when a listing changes", function()
    local listing = require("contexture.listing")
    vim.cmd("botright 12new")
    local view = require("contexture.view").new(vim.api.nvim_get_current_buf(), "test")
    require("contexture.view").dress(0)
    local function draw(names)
      local out = listing.new()
      out:add("head")
      for _, name in ipairs(names) do
        out:fold(name, name == "b3")
        out:add(name, { key = name })
        out:add("  more of " .. name, { key = name .. "/more" })
        out:unfold()
      end
      view:draw(out)
    end
    local names = {}
    for i = 1, 40 do
      names[i] = "b" .. i
    end
    draw(names)
    eq(vim.fn.foldclosed(6), 6)
    kit.go("b20")
    vim.cmd("normal! zt")
    vim.cmd("normal! 3" .. vim.keycode("<C-y>"))
    local height = vim.fn.line(".") - vim.fn.line("w0")
    vim.cmd("12foldclose")
    table.insert(names, 1, "new")
    table.insert(names, 2, "newer")
    draw(names)
    eq(vim.api.nvim_get_current_line(), "b20")
    eq(vim.fn.line(".") - vim.fn.line("w0"), height)
    eq(vim.fn.foldclosed(vim.fn.search("^b6$", "nw")), vim.fn.search("^b6$", "nw"))
    eq(vim.fn.foldclosed(vim.fn.search("^b3$", "nw")), vim.fn.search("^b3$", "nw"))
    eq(vim.fn.foldclosed(vim.fn.search("^b7$", "nw")), -1)
    table.remove(names, 22) -- the entry of the cursor
    local line = vim.fn.line(".")
    draw(names)
    eq(vim.fn.line("."), line)
    assert(not vim.bo.modifiable and not vim.bo.modified)
    vim.cmd("bwipeout!")
  end)

  it("cuts by cells", function()
    local cut = require("contexture.listing").cut
    eq(cut("short", 5), "short")
    eq(cut("longer", 5), "long…")
    eq(cut("日本語の題", 7), "日本語…")
    eq(cut("日本語の題", 6), "日本…")
  end)

  it("cuts paths where they say least", function()
    local path = require("contexture.listing").path
    eq(path("a/b/c.go:7", 10), "a/b/c.go:7")
    eq(path("first/second/third.go:7", 18), "first/…/third.go:7")
    eq(path("first/second/folder/", 12), "fir…/folder/")
    eq(path("a_name_that_is_long.go", 10), "…s_long.go")
    eq(path("日本日本日本/語.go", 12), "日本…/語.go")
  end)

  it("groups the digits of large numbers", function()
    local listing = require("contexture.listing")
    eq(vim.tbl_map(listing.number, { 0, 999, 1000, 123456, 1234567, -123456 }), { "0", "999", "1,000", "123,456", "1,234,567", "-123,456" })
    eq(listing.count(1000, "turn"), "1,000 turns")
  end)

  it("wraps sentences to the window, and says what to do about errors", function()
    local function lines(err)
      local out = require("contexture.listing").new(60)
      out:unavailable("The list", err)
      return out.lines
    end
    eq(lines({ message = "the memory is damaged", data = { code = "corrupt" } }), {
      "The list is unavailable: the memory is damaged",
      "`contexture doctor` in a terminal says what is damaged",
      "and what to do.",
    })
    eq(lines({ message = "it broke" })[2], "R tries again; :checkhealth contexture says what is")
  end)

  it("tells times in local time", function()
    local date = require("contexture.listing").date
    local now = os.time()
    local minute = os.date("*t", now)
    local want = ("%d %s %02d:%02d"):format(minute.day, ("JanFebMarAprMayJunJulAugSepOctNovDec"):sub(3 * minute.month - 2, 3 * minute.month), minute.hour, minute.min)
    eq(date(os.date("!%Y-%m-%dT%H:%M:%SZ", now)), want)
    eq(date("2020-06-15T12:00:00Z"), "2020-06-15")
    eq(date(nil), "")
    eq(date("soon"), "soon")
  end)

  it("names places so that they are found again", function()
    local name = require("contexture.place").name
    eq(name("rules"), "contexture://rules")
    eq(name("search", "a/b 100% [x]"), "contexture://search/a/b 100%25 [x]")
    for _, argument in ipairs({ "codecompanion/12", "100% of [x] {y} *", "tab\there", "日本" }) do
      vim.cmd("Contexture search " .. argument)
      eq(require("contexture.place").get().argument, argument)
      kit.press("q")
    end
  end)

  it("takes keys from the options, and lists them", function()
    local options = require("contexture.options")
    options.get().keys = { rules = { accept = { "<Space>", "A" }, scope = false } }
    vim.cmd("Contexture rules")
    kit.see("Rules and decisions")
    eq(vim.fn.maparg("A", "n", false, true).desc, "Contexture: Accept the candidate")
    eq(vim.fn.maparg("a", "n"), "")
    eq(vim.fn.maparg("s", "n"), "")
    kit.press("g?")
    kit.see("<Space> A")
    kit.see("Close the window")
    assert(not kit.text():find("Restrict", 1, true), kit.text())
    kit.press("q")
    options.get().keys = {}
    vim.cmd("bwipeout!")
  end)

  it("opens where the modifiers say, and once", function()
    local before = #vim.api.nvim_list_tabpages()
    vim.cmd("tab Contexture rules")
    eq(#vim.api.nvim_list_tabpages(), before + 1)
    eq(#vim.api.nvim_tabpage_list_wins(0), 1)
    vim.cmd("Contexture rules")
    eq(#vim.api.nvim_tabpage_list_wins(0), 1)
    kit.press("q")
    eq(#vim.api.nvim_list_tabpages(), before)
  end)

  it("is read by its name, and refuses a name that is none", function()
    vim.cmd.edit("contexture://rules")
    kit.see("Rules and decisions")
    vim.cmd("edit")
    kit.see("Rules and decisions")
    kit.said = {}
    vim.cmd.edit("contexture://nothing")
    kit.told("there is no place")
    vim.cmd("bwipeout!")
    vim.cmd.edit("retry.go")
  end)

  it("says what a server that is older cannot tell", function()
    local out = require("contexture.listing").new()
    local err = kit.await(function(done)
      require("contexture").execute("contexture.nothing", {}, done)
    end)
    out:unavailable("The list", err)
    eq(out.lines, { "The list is unavailable: the server is older than this plugin; update contexture" })
  end)

  it("draws five thousand entries within a second", function()
    local listing = require("contexture.listing")
    vim.cmd("botright 12new")
    local view = require("contexture.view").new(vim.api.nvim_get_current_buf(), "test")
    require("contexture.view").dress(0)
    for _, first in ipairs({ "first", "second" }) do
      local before = os.clock() -- of the processor: others may use the machine
      local out = listing.new()
      out:add(first)
      for i = 1, 5000 do
        out:fold("entry " .. i, i % 3 == 0)
        out:add({ { "name " .. i, "Title" }, { " of an entry", "Comment" } }, { key = "k" .. i })
        out:add("  its text", { key = "b" .. i })
        out:unfold()
      end
      view:draw(out)
      local ms = 1000 * (os.clock() - before)
      assert(ms < 1000, ("%d ms"):format(ms))
    end
    eq(vim.api.nvim_buf_line_count(0), 10001)
    vim.cmd("bwipeout!")
  end)

  it("documents every place and every action", function()
    local help = table.concat(vim.fn.readfile(kit.plugin .. "/doc/contexture.txt"), "\n")
    local place = { kind = "any", argument = "", view = {} }
    for name in vim.fs.dir(kit.plugin .. "/lua/contexture/places") do
      local kind = name:gsub("%.lua$", "")
      local module = require("contexture.places." .. kind)
      if module.keys then
        local section = help:match("%*contexture%-" .. kind .. "%*(.-)\n[^\n]*%*contexture%-") or help:match("%*contexture%-" .. kind .. "%*(.*)")
        assert(section, kind .. " has no section")
        for _, key in ipairs(module.keys(place)) do
          assert(section:find("[(, ]" .. key[1] .. "[),]"), ("%s of %s is not documented"):format(key[1], kind))
        end
      end
    end
    local panel = help:match("%*contexture%-panel%*(.-)%*contexture%-places%*")
    for _, key in ipairs(require("contexture.panel_keys").list({})) do
      assert(panel:find("[(, ]" .. key[1] .. "[),]"), key[1] .. " of the panel is not documented")
    end
    local command = require("contexture.command")
    for name in pairs(command.subcommands) do
      assert(help:find("\n:Contexture %[?" .. name), name .. " is not documented")
    end
  end)

  it("has tags that help finds, each once", function()
    local folder = vim.fn.tempname()
    vim.fn.mkdir(folder, "p")
    for _, name in ipairs({ "contexture.txt", "contexture-reference.txt" }) do
      vim.fn.writefile(vim.fn.readfile(kit.plugin .. "/doc/" .. name), folder .. "/" .. name)
    end
    vim.cmd.helptags(folder) -- fails where a tag is there twice
    local tags = {}
    for _, line in ipairs(vim.fn.readfile(folder .. "/tags")) do
      tags[line:match("^[^\t]+")] = true
    end
    local text = table.concat(vim.fn.readfile(folder .. "/contexture.txt"), "\n")
    for tag in text:gmatch("|(contexture[%w%-%.]+)|") do
      assert(tags[tag], "no tag " .. tag)
    end
    vim.fn.delete(folder, "rf")
  end)

  it("is restored by a session", function()
    vim.cmd.edit("retry.go")
    vim.cmd("Contexture rules")
    kit.see("Rules and decisions")
    local session = vim.fn.tempname()
    vim.cmd("mksession! " .. session)
    vim.cmd("silent! only! | %bwipeout!")
    vim.cmd.source(session)
    vim.cmd("wincmd b")
    eq(vim.api.nvim_buf_get_name(0), "contexture://rules")
    kit.see("Rules and decisions")
    eq(vim.bo.filetype, "contexture-rules")
    kit.press("q")
    eq(vim.fs.basename(vim.api.nvim_buf_get_name(0)), "retry.go")
    vim.fn.delete(session)
  end)
end
