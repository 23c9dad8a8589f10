--- What places.lua tests of the index: its state, what is left out, and what keeps files out.
return function(kit)
  local it, eq, wait = kit.it, kit.eq, kit.wait
  local root = vim.uri_to_fname(require("contexture.client").get().workspace_folders[1].uri)

  it("shows the state, the languages and what was asked", function()
    kit.call("search", { query = "retryPayment" })
    vim.cmd("Contexture index")
    eq(vim.bo.filetype, "contexture-index")
    kit.see("Index   up to date")
    kit.see("files      3 of 3")
    kit.see("Languages (2)")
    kit.see("go            █")
    kit.see("search")
    kit.see(" median, ")
    local head = vim.fn.search("^  search ", "nw")
    eq(vim.fn.foldclosed(head), head)
  end)

  it("lists what is left out with its rule, and opens the rule", function()
    vim.fn.writefile({ "# ours", "*.tmp" }, root .. "/.gitignore")
    vim.fn.writefile({ "left out" }, root .. "/notes.tmp")
    wait("the file is noticed", function()
      kit.press("R")
      vim.wait(200)
      return kit.text():find("ignored by .gitignore", 1, true)
    end)
    kit.go("ignored by .gitignore")
    kit.press("<CR>")
    kit.see("notes.tmp   *.tmp   .gitignore:2")
    kit.go("notes.tmp")
    kit.said = {}
    kit.press("w")
    kit.told("notes.tmp is not indexed: *.tmp (.gitignore:2)")
    kit.press("<CR>")
    eq(vim.fs.basename(vim.api.nvim_buf_get_name(0)), ".gitignore")
    eq(vim.fn.line("."), 2)
    vim.cmd("Contexture index")
    kit.go("notes.tmp")
    kit.press("gf")
    eq(vim.fs.basename(vim.api.nvim_buf_get_name(0)), "notes.tmp")
    vim.cmd("Contexture index")
  end)

  it("finds a file that is left out by a part of its path", function()
    kit.answers("nothing-has-this", "notes")
    kit.press("s")
    kit.see('with "nothing-has-this" in the path')
    wait("no file", function()
      return not kit.text():find("notes.tmp", 1, true)
    end)
    kit.press("s")
    kit.see("notes.tmp   *.tmp")
    kit.press("q")
    vim.fn.delete(root .. "/.gitignore")
    vim.fn.delete(root .. "/notes.tmp")
  end)

  it("makes patterns that match one path", function()
    local pattern = require("contexture.exclude").pattern
    eq(pattern("a/b[1].go", false), "/a/b\\[1\\].go")
    eq(pattern("vendor", true), "/vendor/")
    eq(pattern("what?/x*", true), "/what\\?/x\\*/")
  end)

  it("pauses indexing and resumes it", function()
    vim.cmd("Contexture index")
    kit.see("Index   ")
    kit.said = {}
    kit.press("PR") -- loading again does not take the answer away
    kit.told("indexing is paused")
    kit.press("P")
    kit.told("indexing is resumed")
    kit.press("q")
  end)

  it("lists secrets, faults and latencies", function()
    local out = require("contexture.places.index_lines").listing({
      status = {
        state = "indexing",
        files = 8,
        filesTotal = 10,
        queue = 2,
        bytes = 1234567,
        chunks = 1,
        symbols = 2,
        skipped = { { reason = "binary", count = 3 } },
        embedder = { name = "small", source = "ollama", pending = 4, problem = "not reachable" },
        watcher = { mode = "poll", watches = 0 },
        quarantined = { { path = "bad.go", reason = "too slow" } },
      },
      query = "",
      files = { binary = { files = { { path = "logo", folder = true, rule = "binary", source = "builtin" } }, next = "x" } },
      secrets = { total = 2, next = "x", findings = { { rule = "aws-access-key", path = "deploy.sh", count = 2 } } },
      recent = {
        requests = {
          { command = "contexture.bundle", ms = 20, outcome = "ok", stages = { { name = "retrieve", ms = 12 } } },
          { command = "contexture.bundle", ms = 4, outcome = "error", stages = {} },
          { command = "contexture.search", ms = 12345, outcome = "ok", stages = {} },
        },
        faults = { { at = "2026-02-01T10:00:00Z", component = "indexer", message = "cannot\nread" } },
      },
      errors = {},
    })
    local text = table.concat(out.lines, "\n")
    for _, want in ipairs({
      "░ 80 %, 2 files wait",
      "1.2 MB",
      "small, ollama, 4 pending  not reachable",
      "set aside  bad.go  too slow",
      "      3  not text",
      "logo/   binary   builtin",
      "…  <CR> lists more",
      "2 found; they are never shown or sent",
      "aws-access-key            deploy.sh",
      "…  the first 1 are listed",
      "   2 ×   4.0 ms median,    20 ms slowest  ▂█  1 failed",
      "12.3 s",
      "retrieve",
      "indexer     cannot read",
    }) do
      assert(text:find(want, 1, true), want .. " is not in\n" .. text)
    end
  end)

  it("keeps a file out of the index, and takes that back", function()
    vim.cmd("Contexture index")
    kit.see("files      3 of 3")
    kit.said = {}
    vim.cmd("Contexture exclude main.go")
    kit.told("/main.go is now in .contextureignore")
    wait("the index without it", function()
      kit.press("R")
      vim.wait(200)
      return kit.text():find("ignored by .gitignore", 1, true)
    end)
    if not kit.text():find("main.go   /main.go", 1, true) then
      kit.go("ignored by .gitignore")
      kit.press("<CR>")
    end
    kit.see("main.go   /main.go   .contextureignore:1")
    kit.go("main.go   /main.go")
    kit.press("i")
    kit.told("/main.go is no longer in .contextureignore")
    wait("the index with it", function()
      kit.press("R")
      vim.wait(200)
      return not kit.text():find("ignored by .gitignore", 1, true)
    end)
    vim.fn.delete(root .. "/.contextureignore")
    kit.press("q")
  end)

  it("names the rule and the file of a secret, never the text", function()
    local key = "AKIA" .. "IOSFODNN7" .. "REALKEYX"
    vim.fn.writefile({ "package shop", "", 'const accessKey = "' .. key .. '"' }, root .. "/keys.go")
    vim.cmd("Contexture index")
    wait("the secret", function()
      kit.press("R")
      vim.wait(200)
      return kit.text():find("1 found; they are never shown or sent", 1, true)
    end)
    assert(not kit.text():find(key, 1, true), "the secret is shown")
    kit.go("keys.go")
    kit.press("gf")
    eq(vim.fs.basename(vim.api.nvim_buf_get_name(0)), "keys.go")
    vim.cmd("Contexture index")
    kit.press("q")
    vim.cmd("bwipeout! " .. vim.fn.fnameescape(root .. "/keys.go"))
    vim.fn.delete(root .. "/keys.go")
  end)
end
