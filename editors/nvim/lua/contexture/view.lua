--- A buffer that shows listings. A new listing replaces only the lines that differ, and keeps the cursor at its entry,
--- at the same height of the window, and the folds as the person left them.
local float = require("contexture.float")
local options = require("contexture.options")

local M = {}

local namespace = vim.api.nvim_create_namespace("contexture.view")

---@class contexture.Key
---@field [1] string action, by which the option `keys` names it
---@field [2] string|string[] key or keys that run it by default
---@field [3] string what it does, for a person
---@field [4] fun(entry: contexture.Entry?) called with the entry of the cursor's line

---@class contexture.View
---@field buffer integer
---@field name string place, by which the option `keys` names it
---@field listing contexture.Listing?
---@field closed table<string, boolean> states of the folds that a person has opened or closed, by their keys
---@field keys contexture.Key[]
---@field hint string? text at the right end of the first line
local View = {}
View.__index = View

--- Returns the view of a buffer, which takes the place's file type and becomes read-only.
---@param buffer integer
---@param name string
---@return contexture.View
function M.new(buffer, name)
  require("contexture.colors").follow()
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].undolevels = -1
  vim.bo[buffer].filetype = "contexture-" .. name
  return setmetatable({ buffer = buffer, name = name, closed = {}, keys = {} }, View)
end

--- Sets the options of a window that shows the buffer. They end with the buffer there.
---@param window integer
---@param prose? boolean wraps lines, for places that hold sentences
function M.dress(window, prose)
  local here = vim.wo[window][0]
  here.wrap = prose or false
  here.linebreak = true
  here.breakindent = true
  here.breakindentopt = "shift:2" -- where the text begins behind a sign or a bar
  here.list = true -- for the mark of a line that continues to the right
  here.listchars = "tab:  ,extends:…,precedes:…"
  here.cursorline = true
  here.number = false
  here.relativenumber = false
  here.signcolumn = "no"
  here.foldmethod = "manual"
  here.foldlevel = 99
  here.foldminlines = 0
  here.foldenable = true
  here.foldtext = "" -- the first line itself, with its colours
  here.fillchars = "eob: ,fold: ,foldopen:▾,foldclose:▸,foldsep: "
  here.winhighlight = "Folded:ContextureFolded,FoldColumn:NonText"
  here.spell = false
end

local function windows(buffer)
  return vim.fn.win_findbuf(buffer)
end

-- Reads the states of folds before they are replaced. A fold inside a closed one keeps the state it had.
function View:remember_folds()
  local window = windows(self.buffer)[1]
  if not window or not self.listing then
    return
  end
  vim.api.nvim_win_call(window, function()
    for _, fold in ipairs(self.listing.folds) do
      local start = vim.fn.foldclosed(fold.first)
      if start == -1 or start == fold.first then
        local closed = start ~= -1
        self.closed[fold.key] = nil -- what the person has not changed may change by itself
        if closed ~= fold.closed then
          self.closed[fold.key] = closed
        end
      end
    end
  end)
end

-- Makes the listing's folds in a window. Inner ones come first: a range would else grow to the closed fold around it.
function View:fold(window)
  vim.wo[window][0].foldcolumn = tostring(math.min(self.listing.depth, 9))
  vim.api.nvim_win_call(window, function()
    vim.cmd("silent! normal! zE")
    for _, fold in ipairs(self.listing.folds) do
      vim.cmd(("%d,%dfold"):format(fold.first, fold.last))
    end
    vim.cmd("silent! %foldopen!")
    for _, fold in ipairs(self.listing.folds) do
      local closed = self.closed[fold.key]
      if closed == nil then
        closed = fold.closed
      end
      if closed then
        vim.cmd(("silent! %dfoldclose"):format(fold.first))
      end
    end
  end)
end

--- Opens or closes a fold from the next drawing on.
---@param key string
---@param closed boolean
function View:set_fold(key, closed)
  self:remember_folds()
  self.closed[key] = closed
end

-- Replaces only the lines between those that both have at the beginning and at the end.
local function replace(buffer, old, new)
  local head, tail = 0, 0
  while head < #old and head < #new and old[head + 1] == new[head + 1] do
    head = head + 1
  end
  while tail < #old - head and tail < #new - head and old[#old - tail] == new[#new - tail] do
    tail = tail + 1
  end
  if head == #old and head == #new then
    return false
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, head, #old - tail, false, vim.list_slice(new, head + 1, #new - tail))
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  return true
end

-- The line of the new listing that a cursor belongs to: that of the same entry, the same distance below its first line.
local function follow(old, new, line)
  local key = old and old:key(line)
  if not old or not key then
    return new.first
  end
  local below = 0
  while line - below > 1 and old:key(line - below - 1) == key do
    below = below + 1
  end
  local nearest
  for at = 1, #new.lines do
    local first = new:key(at) == key and (at == 1 or new:key(at - 1) ~= key)
    if first and (not nearest or math.abs(at - line + below) < math.abs(nearest - line + below)) then
      nearest = at
    end
  end
  if not nearest then
    return math.min(line, #new.lines)
  end
  while below > 0 and new:key(nearest + below) ~= key do
    below = below - 1
  end
  return nearest + below
end

--- Shows a listing.
---@param listing contexture.Listing
---@param anew? boolean begins at the listing's first entry, for what is not a newer answer to the same question
function View:draw(listing, anew)
  if not vim.api.nvim_buf_is_valid(self.buffer) then
    return
  end
  self:remember_folds()
  local old = not anew and self.listing or nil
  local places = {}
  for _, window in ipairs(windows(self.buffer)) do
    places[window] = vim.api.nvim_win_call(window, vim.fn.winsaveview)
  end
  local changed = replace(self.buffer, vim.api.nvim_buf_get_lines(self.buffer, 0, -1, false), listing.lines)
  self.listing = listing
  vim.api.nvim_buf_clear_namespace(self.buffer, namespace, 0, -1)
  for _, mark in ipairs(listing.marks) do
    vim.api.nvim_buf_set_extmark(self.buffer, namespace, mark.line, mark.from, { end_col = mark.to, hl_group = mark.group, priority = mark.priority })
  end
  local room = math.huge -- cells that the first line leaves free, in all windows
  for _, window in ipairs(windows(self.buffer)) do
    local cells = vim.fn.strdisplaywidth(listing.lines[1] or "") + listing.depth
    room = math.min(room, vim.api.nvim_win_get_width(window) - cells)
  end
  if self.hint and room > #self.hint + 2 then
    vim.api.nvim_buf_set_extmark(self.buffer, namespace, 0, 0, { virt_text = { { self.hint .. " ", "Comment" } }, virt_text_pos = "right_align" })
  end
  for window, place in pairs(places) do
    self:fold(window)
    if changed or not old then
      local line = follow(old, listing, place.lnum)
      local height = old and place.lnum - place.topline or line
      place.lnum, place.topline = line, math.max(1, line - height)
      place.topfill = 0
    end
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview(place)
    end)
  end
end

--- Returns the entry of the cursor's line in the current window, or nil.
---@return contexture.Entry?
function View:entry()
  return self.listing and self.listing.entries[vim.api.nvim_win_get_cursor(0)[1]]
end

--- Returns the entries of the selected lines, or of the cursor's.
---@return contexture.Entry[]
function View:selected()
  local from, to = vim.fn.line("."), vim.fn.line("v")
  local list, seen = {}, {}
  for line = math.min(from, to), math.max(from, to) do
    local entry = self.listing and self.listing.entries[line]
    if entry and not seen[entry.key or entry] then
      seen[entry.key or entry] = true
      table.insert(list, entry)
    end
  end
  return list
end

--- Returns the keys that run an action: those of the option `keys`, else the default ones.
---@param place string
---@param key contexture.Key
---@return string[]
function M.keys_of(place, key)
  local chosen = ((options.get().keys or {})[place] or {})[key[1]]
  if chosen == false then
    return {}
  end
  chosen = chosen or key[2]
  return type(chosen) == "table" and chosen or { chosen }
end

--- Adds mappings to the buffer. "g?" lists all of them.
---@param keys contexture.Key[]
function View:map(keys)
  vim.list_extend(self.keys, keys)
  for _, key in ipairs(keys) do
    for _, lhs in ipairs(M.keys_of(self.name, key)) do
      vim.keymap.set("n", lhs, function()
        key[4](self:entry())
      end, { buffer = self.buffer, nowait = true, desc = "Contexture: " .. key[3] })
    end
  end
end

--- Shows the keys of the buffer in a window.
function View:help()
  local lines, width = {}, 0
  local rows = {}
  for _, key in ipairs(self.keys) do
    local names = table.concat(M.keys_of(self.name, key), " ")
    if names ~= "" then
      table.insert(rows, { names, key[3], key[1] })
      width = math.max(width, #names)
    end
  end
  for _, row in ipairs(rows) do
    table.insert(lines, ("  %-" .. width .. "s   %s"):format(row[1], row[2]))
  end
  vim.list_extend(lines, { "", "  Folds: za, zR, zM.  Change keys: :help contexture-keys" })
  local _, window = float.show("keys · " .. self.name, lines, "contexture-keys")
  vim.wo[window].breakindent = true
  vim.wo[window].breakindentopt = ("shift:%d"):format(width + 3) -- below what the key does
end

return M
