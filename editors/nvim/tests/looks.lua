-- Looks at every place with every kind of data, in a second Neovim whose screens are compared with tests/goldens:
--
--   CONTEXTURE=… nvim --clean --headless -l tests/looks.lua
--   UPDATE=1     writes the goldens, with the newest Neovim first; look at each before it is committed
--   ONLY=rules   some, by a part of their name
--   PICTURES=1   also draws them, to out/looks
local here = vim.fn.fnamemodify(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)), ":p:h")
local kit = dofile(here .. "/kit.lua")
local goldens = dofile(here .. "/looks/goldens.lua")
local oldest = vim.fn.has("nvim-0.11") == 0
local only = vim.env.ONLY or ""
local kept = goldens.new(here .. "/goldens", vim.env.UPDATE == "1", oldest and "0.10" or nil)
local home = vim.fn.tempname() -- nothing of the person's own
local columns, lines = 100, 32

local env = { HOME = home, TZ = "UTC", LC_ALL = "C.UTF-8", LANG = "C.UTF-8" }
for _, kind in ipairs({ "CONFIG", "STATE", "CACHE", "DATA" }) do
  env["XDG_" .. kind .. "_HOME"] = home .. "/" .. kind:lower()
end
local ui = dofile(here .. "/ui.lua").start({
  args = { "--clean", "-n", "--cmd", "set rtp^=" .. kit.plugin },
  columns = columns,
  lines = lines,
  cwd = kit.workspace(kit.files),
  env = env,
})

-- What is typed for each place, and what then, once it is there.
local places = {
  { "context", ":Contexture how are payments retried?<CR>" },
  { "search", ":tab Contexture search retry<CR>" },
  { "conversations", ":tab Contexture conversations<CR>" },
  { "conversation", ":tab Contexture conversation payments<CR>" },
  { "sources", ":tab Contexture sources<CR>" },
  { "rules", ":tab Contexture rules<CR>" },
  { "topics", ":tab Contexture topics<CR>" },
  { "index", ":tab Contexture index<CR>" },
  { "keys", ":tab Contexture rules<CR>", "g?" },
}

-- Waits until every question has its answer and the screen is the same twice. Returns the screen.
local function still(name)
  local last
  local ok = vim.wait(20000, function()
    if ui:lua("return looks.waiting > 0 or looks.kind == 'offline' and not looks.ended") then
      last = nil
      return false
    end
    ui:lua("vim.cmd.redraw()") -- what is on its way to the screen arrives before the answer
    for _ = 1, 2 do
      ui:request("nvim_get_mode") -- and the cursor's place before these: it follows when Neovim waits for keys again
    end
    local now = goldens.text(goldens.screen(ui))
    local same = now == last
    last = now
    return same
  end, 20)
  assert(ok, name .. ": the screen does not come to rest\n" .. ui:text())
  return goldens.screen(ui)
end

-- Back to the file alone, whatever is open.
local function leave()
  ui:keys("<C-\\><C-n>")
  ui:lua([[
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" and vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_close(window, true)
      end
    end
    vim.cmd("silent! only | silent! tabonly | silent! edit retry.go | normal! gg0")
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      if vim.startswith(vim.api.nvim_buf_get_name(buffer), "contexture://") then
        vim.api.nvim_buf_delete(buffer, { force = true })
      end
    end
    vim.cmd("echo ''")
  ]])
end

-- Opens the place that was looked at last again, and returns its screen.
local opens

-- Opens a place as a person does, and compares what it looks like.
local function look(place, name)
  if not name:find(only, 1, true) then
    return
  end
  kit.it(name, function()
    opens = function()
      leave()
      ui:lua("looks.spent, looks.ended = 0, false")
      ui:keys(place[2])
      return still(name)
    end
    local screen = opens()
    if place[3] then
      ui:keys(place[3])
      screen = still(name)
    end
    if vim.env.PICTURES then
      dofile(here .. "/picture.lua").png(ui, ("%s/out/looks/%s%s.png"):format(kit.plugin, name, oldest and "-0.10" or ""))
    end
    kept.check(name, screen)
  end)
end

-- Checks that the huge place that was opened last took no time that a person notices, and takes none to be read to its
-- end. What is measured is the processor's time: others may use the machine.
local function at_once(name)
  kit.it(name .. " opens and scrolls at once", function()
    local opened = 1000 * ui:lua("return looks.spent")
    for _ = 1, 4 do -- what else runs only adds to a time
      if opened <= 200 then
        break
      end
      opens()
      opened = math.min(opened, 1000 * ui:lua("return looks.spent"))
    end
    assert(opened > 0 and opened <= 200, ("opened in %d ms"):format(opened))
    local slowest = ui:lua([[
      local slowest = 0
      local window = require("contexture.panel").get()
      if window then
        vim.cmd.stopinsert()
        vim.api.nvim_set_current_win(window.result_window)
      end
      for _, keys in ipairs({ "gg", "<C-f>", "<C-d>", "G", "<C-b>", "zR", "<C-b>", "gg" }) do
        local began = os.clock()
        vim.cmd("silent! normal! " .. vim.keycode(keys))
        vim.cmd.redraw()
        slowest = math.max(slowest, os.clock() - began)
      end
      return 1000 * slowest
    ]])
    assert(slowest <= 100, ("scrolled in %d ms"):format(slowest))
  end)
end

local function kind(data)
  ui:lua("looks.kind = ...", data)
end

-- Status lines are Neovim's own, and of other colours in each version.
local function background(name)
  ui:lua([[
    vim.o.background = ...
    vim.api.nvim_set_hl(0, "StatusLine", { bold = true })
    vim.api.nvim_set_hl(0, "StatusLineNC", { italic = true })
  ]], name)
end

kit.it("starts", function()
  ui:lua(
    [[
      local cmd, data = ...
      require("contexture").setup({ cmd = cmd, ticklers = { virtual_text = false } })
      looks = dofile(data)
      looks.install()
      vim.o.laststatus = 2
      vim.o.showtabline = 0 -- a place has the whole screen from the start, in a tab page
      vim.o.statusline = " %f %=%{%v:lua.require'contexture'.statusline()%} "
      vim.o.ruler = false
      vim.o.showcmd = false
      vim.cmd.edit("retry.go")
      vim.bo.filetype = "go"
    ]],
    kit.cmd(),
    here .. "/looks/data.lua"
  )
  background("dark")
  -- Not "ctx ✓ +3", which it says while pieces have no vector yet.
  local rests = vim.wait(60000, function()
    return ui:lua("return require('contexture').statusline()") == "ctx ✓"
  end, 20)
  assert(rests, "the status does not come to rest\n" .. ui:text())
  ui:lua("vim.cmd.redraw()")
end)

for _, place in ipairs(places) do
  look(place, place[1] .. "-empty")
end

kit.it("remembers", function()
  kit.execute(ui, ui:lua("return looks.fill()"))
  ui:see("ctx ✓")
end)

kind("small")
for _, place in ipairs(places) do
  look(place, place[1] .. "-small")
end
background("light")
for _, place in ipairs({ places[1], places[6] }) do
  look(place, place[1] .. "-small-light")
end
background("dark")
ui:request("nvim_ui_try_resize", 60, lines)
for _, place in ipairs(places) do
  look(place, place[1] .. "-small-60")
end
ui:request("nvim_ui_try_resize", columns, lines)

for _, data in ipairs({ "huge", "broken", "nonsense" }) do
  kind(data)
  for i = 1, 8 do
    look(places[i], places[i][1] .. "-" .. data)
    if data == "huge" and places[i][1]:find(only, 1, true) then
      at_once(places[i][1])
    end
  end
end

kind("offline")
kit.it("ends", function()
  leave()
  ui:lua([[
    require("contexture").setup({ cmd = { "false" }, ticklers = { virtual_text = false } })
    require("contexture.client").stop()
  ]])
  kit.wait("the server's end", function()
    return ui:lua([[return #vim.lsp.get_clients({ name = "contexture", _uninitialized = true })]]) == 0
  end)
end)
for i = 1, 8 do
  look(places[i], places[i][1] .. "-offline")
end

kit.it("tells what is tolerated from what is not", function()
  local folder = vim.fn.tempname()
  local function screen(change)
    local rows = {}
    for row = 1, 32 do
      rows[row] = {}
      for column = 1, 100 do
        rows[row][column] = { row % 3 == 0 and " " or "日", row == 2 and "bold" or "" }
        if row % 3 ~= 0 and column % 2 == 0 then
          rows[row][column][1] = "" -- the second half
        end
      end
    end
    change(rows)
    return { columns = 100, rows = rows, head = "100 columns, 32 lines, cursor in line 1, column 1" }
  end
  local function cells(row, first, last, index, value)
    return function(rows)
      for column = first, last do
        rows[row][column][index] = value
      end
    end
  end
  local function nothing() end
  goldens.new(folder, true).check("one", screen(nothing))
  local strict = goldens.new(folder, false, "0.10")
  for _, case in ipairs({
    { true, nothing },
    { true, cells(5, 1, 9, 2, "fg #ffffff") },
    { false, cells(5, 1, 10, 2, "fg #ffffff") }, -- a word
    { true, cells(3, 1, 3, 1, "x") },
    { false, cells(3, 1, 4, 1, "x") }, -- a word
    { false, function(rows) table.remove(rows) end },
  }) do
    local other = screen(case[2])
    other.head = other.head:gsub("32 lines", #other.rows .. " lines")
    kit.eq({ (pcall(strict.check, "one", other)) }, { case[1] })
  end
  kit.eq((pcall(strict.check, "two", screen(nothing))), false)
  local own = goldens.new(folder, true, "0.10")
  own.check("one", screen(cells(3, 1, 40, 1, "x")))
  strict.check("one", screen(cells(3, 1, 40, 1, "x")))
  own.check("one", screen(nothing)) -- as in other versions again
  kit.eq(vim.fn.readdir(folder), { "one.txt" })
  kit.eq(goldens.new(folder, false).stale(), { "one.txt" })
  vim.fn.delete(folder, "rf")
end)

if only == "" then
  kit.it("keeps no golden of what is no longer looked at", function()
    kit.eq(kept.stale(), {})
  end)
end

ui:stop()
vim.fn.delete(home, "rf")
kit.finish()
