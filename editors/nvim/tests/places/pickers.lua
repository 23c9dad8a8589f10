--- What places.lua tests of the pickers. None of them is in Debian's archive, so these are stand-ins for the functions
--- that the adapters call, and the hits are the server's.
return function(kit)
  local it, eq, wait = kit.it, kit.eq, kit.wait
  local pickers = require("contexture.pickers")
  local options = require("contexture.options").get()
  local loaded = {}

  local function provide(name, module)
    package.loaded[name] = module
    table.insert(loaded, name)
  end

  local function remove_all()
    for _, name in ipairs(loaded) do
      package.loaded[name] = nil
    end
    loaded = {}
    for _, name in ipairs({ "telescope", "fzf_lua", "snacks" }) do
      package.loaded["contexture.pickers." .. name] = nil
    end
  end

  it("uses a buffer where no picker is installed, or the person wants it", function()
    eq(pickers.choose(), "buffer")
    provide("snacks", {})
    eq(pickers.choose(), "snacks")
    provide("telescope", {})
    eq(pickers.choose(), "telescope")
    options.picker = "snacks"
    eq(pickers.choose(), "snacks")
    options.picker = "buffer"
    eq(pickers.choose(), "buffer")
    options.picker = nil
    remove_all()
    eq(pickers.choose(), "buffer")
  end)

  it("refuses a picker that it does not know", function()
    local ok, err = pcall(require("contexture.options").set, { picker = "emacs" })
    assert(not ok and err:find("fzf-lua", 1, true), err)
  end)

  it("searches in Telescope", function()
    local given, condition, replacement, closed
    local selected
    provide("telescope", {})
    provide("telescope.actions", {
      select_default = {
        replace_if = function(_, c, r)
          condition, replacement = c, r
        end,
      },
      close = function(prompt)
        closed = prompt
      end,
    })
    provide("telescope.actions.state", {
      get_selected_entry = function()
        return selected
      end,
    })
    provide("telescope.sorters", { empty = function() return {} end })
    provide("telescope.config", {
      values = {
        buffer_previewer_maker = function(path, buffer, o)
          vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.fn.readfile(path))
          o.callback(buffer)
        end,
      },
    })
    provide("telescope.previewers", { new_buffer_previewer = function(o) return o end })
    provide("telescope.pickers", {
      new = function(_, o)
        given = o
        return { find = function() end }
      end,
    })
    vim.cmd("Contexture search retry")
    eq(given.default_text, "retry")
    assert(given.attach_mappings(7))
    local entries, done = {}, false
    given.finder("harbourmaster", function() error("a cancelled search has answered") end, function() end)
    given.finder("retryPayment kind:code", function(entry)
      table.insert(entries, entry)
    end, function()
      done = true
    end)
    wait("hits", function()
      return done
    end)
    selected = entries[1]
    eq(vim.fs.basename(selected.filename), "retry.go")
    eq(condition(), false) -- Telescope opens files by itself
    local buffer = vim.api.nvim_create_buf(false, true)
    vim.cmd.split()
    vim.api.nvim_win_set_buf(0, buffer)
    given.previewer.define_preview({ state = { bufnr = buffer, winid = vim.api.nvim_get_current_win() } }, selected)
    eq(vim.fn.line("."), selected.lnum)
    selected = { value = { hit = { conversationId = "lamps", turnId = "T-1", snippet = "a lamp\nblinks" }, title = "t", filetype = "markdown" } }
    given.previewer.define_preview({ state = { bufnr = buffer } }, selected)
    eq(kit.text(buffer), "a lamp\nblinks")
    vim.cmd.close()
    eq(condition(), true)
    replacement()
    eq(closed, 7)
    wait("the turn", function()
      return vim.api.nvim_win_get_config(0).relative ~= ""
    end)
    vim.cmd.close()
    kit.call("conversation.append", { conversationId = "pickers", messages = { { role = "user", content = "Who polishes the brass telescope?" } } })
    entries, done = {}, false
    given.finder("brass telescope", function(entry)
      table.insert(entries, entry)
    end, function()
      done = true
    end)
    wait("the turn's hit", function()
      return done
    end)
    eq(entries[1].filename, "contexture://conversation/pickers") -- else Telescope takes the value, a table, for a path
    given.finder:close()
    remove_all()
  end)

  it("searches in fzf-lua", function()
    local contents, given
    local base = {} -- a class that is called to make an object, as in fzf-lua
    base.__index = base
    function base.extend(parent)
      local class = { super = parent }
      class.__index = class
      return setmetatable(class, {
        __index = parent,
        __call = function()
          return setmetatable({}, class)
        end,
      })
    end
    function base.get_tmp_buffer()
      return vim.api.nvim_create_buf(false, true)
    end
    function base:set_preview_buf(buffer)
      self.shown = buffer
    end
    provide("fzf-lua.previewer.builtin", { base = base })
    provide("fzf-lua", {
      fzf_live = function(c, o)
        contents, given = c, o
      end,
    })
    vim.cmd("Contexture search retry")
    eq(given.query, "retry")
    local ended = 0
    contents({ "payment" })(function(line)
      assert(line == nil, "a cancelled search has answered")
      ended = ended + 1
    end)
    for _, args in ipairs({ { "retryPayment kind:code" }, "retryPayment kind:code" }) do -- newer versions, older ones
      local lines, done = {}, false
      contents(args)(function(line)
        if line then
          table.insert(lines, line)
        else
          done = true
        end
      end)
      wait("hits", function()
        return done
      end)
      eq(ended, 1) -- with the search that came after it
      assert(lines[1]:find("^retry.go:%d+  "), vim.inspect(lines))
      local previewer = given.previewer._ctor()({}, {}, {})
      previewer:populate_preview_buf(lines[1])
      assert(kit.text(previewer.shown):find("retry", 1, true))
      eq(vim.bo[previewer.shown].filetype, "go")
      given.actions["ctrl-q"](lines)
      eq(#vim.fn.getqflist(), #lines)
      vim.cmd.cclose()
      given.actions.default({ lines[1] })
      eq(vim.fs.basename(vim.api.nvim_buf_get_name(0)), "retry.go")
    end
    remove_all()
  end)

  it("searches in snacks", function()
    local given
    local previews = {
      file = function() return "file" end,
      preview = function() return "text" end,
    }
    provide("snacks", {
      picker = {
        pick = function(o)
          given = o
        end,
        preview = previews,
      },
    })
    vim.cmd("Contexture search retry")
    eq({ given.search, given.live }, { "retry", true })
    local items, done, thread = {}, false, nil
    local async = {
      on = function() end,
      suspend = function()
        coroutine.yield()
      end,
      resume = function()
        coroutine.resume(thread)
      end,
    }
    thread = coroutine.create(function()
      given.finder({}, { async = async, filter = { search = "retryPayment" } })(function(item)
        table.insert(items, item)
      end)
      done = true
    end)
    coroutine.resume(thread)
    wait("hits", function()
      return done
    end)
    local item = items[1]
    eq(vim.fs.basename(item.file), "retry.go")
    eq(item.pos[2], 0)
    assert(given.format(item)[1][1]:find("^retry.go:"), vim.inspect(given.format(item)))
    eq(given.preview({ item = item }), "file")
    local action
    local picker = {
      action = function(_, name)
        action = name
      end,
      close = function() end,
    }
    given.confirm(picker, item)
    eq(action, "jump")
    local turn = { found = { hit = { conversationId = "lamps", turnId = "T-1" } } }
    eq(given.preview({ item = turn }), "text")
    given.confirm(picker, turn)
    wait("the turn", function()
      return vim.api.nvim_win_get_config(0).relative ~= ""
    end)
    vim.cmd.close()
    remove_all()
  end)

  it("tells :checkhealth of a picker that is named and not there, and of no other", function()
    vim.cmd("checkhealth contexture")
    assert(not kit.text():find("picker", 1, true) and not kit.text():find("WARN", 1, true), kit.text())
    vim.cmd.bwipeout({ bang = true })
    options.picker = "snacks"
    vim.cmd("checkhealth contexture")
    assert(kit.text():find("names snacks, which is not installed", 1, true), kit.text())
    vim.cmd.bwipeout({ bang = true })
    options.picker = nil
  end)
end
