--- A listing: the lines of a buffer, with the highlights, the entries that keys act on, and the folds. It is plain data
--- and draws nothing itself; |contexture.View| shows it.
local M = {}

---@class contexture.Entry what keys act on; each place adds fields of its own
---@field key? string identifies the entry over reloads; default the line's text
---@field uri? string document
---@field range? contexture.Range in the document
---@field conversation? string
---@field turn? string "T-7", of the conversation

---@class contexture.Mark
---@field line integer from 0
---@field from integer first byte
---@field to integer byte after the last
---@field group string
---@field priority? integer

---@class contexture.Fold
---@field key string
---@field first integer line from 1; it stays visible when the fold is closed
---@field last integer
---@field closed boolean state that the fold begins with

---@class contexture.Listing
---@field lines string[]
---@field marks contexture.Mark[]
---@field entries table<integer, contexture.Entry> by line from 1
---@field folds contexture.Fold[] inner ones before those that contain them
---@field first integer line that the cursor begins at
---@field depth integer how many folds contain each other, at most
---@field cells integer width that sentences are wrapped at
local Listing = {}
Listing.__index = Listing

---@param cells? integer width of the window; default is that sentences are not wrapped
---@return contexture.Listing
function M.new(cells)
  return setmetatable({ lines = {}, marks = {}, entries = {}, folds = {}, first = 1, depth = 0, cells = cells or math.huge, begun = {} }, Listing)
end

--- Returns text as one line: runs of white space become single spaces.
---@param text string
---@return string
function M.oneline(text)
  return vim.trim((text:gsub("%z", "␀"):gsub("%s+", " ")))
end

--- Returns text cut to a number of cells, with an ellipsis where something is missing.
---@param text string one line
---@param cells integer at least 1
---@return string
function M.cut(text, cells)
  if vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  local low, high = 0, vim.fn.strchars(text)
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if vim.fn.strdisplaywidth(vim.fn.strcharpart(text, 0, middle)) <= cells - 1 then
      low = middle
    else
      high = middle - 1
    end
  end
  return vim.fn.strcharpart(text, 0, low) .. "…"
end

--- Returns a path cut to a number of cells. What is missing is taken from its folders: the file's name says most.
---@param path string such as "a/b/c.go" or "a/b/c.go:7"
---@param cells integer at least 1
---@return string
function M.path(path, cells)
  if vim.fn.strdisplaywidth(path) <= cells then
    return path
  end
  local tail = path:match("/?[^/]*/?$")
  while vim.fn.strdisplaywidth(tail) >= cells do
    tail = vim.fn.strcharpart(tail, 1)
  end
  local head = cells - vim.fn.strdisplaywidth(tail)
  return M.cut(path:sub(1, #path - #tail), head):gsub("…?$", "…", 1) .. tail
end

--- Returns text padded with spaces to a number of cells; longer text is cut.
---@param text string one line
---@param cells integer
---@return string
function M.pad(text, cells)
  text = M.cut(text, cells)
  return text .. (" "):rep(cells - vim.fn.strdisplaywidth(text))
end

--- Returns a whole number as a person reads it: "234", "1,234".
---@param n integer
---@return string
function M.number(n)
  return (("%d"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^(%-?),", "%1"))
end

--- Returns a count with its noun.
---@param n integer
---@param one string
---@param many? string default one with "s"
---@return string
function M.count(n, one, many)
  return ("%s %s"):format(M.number(n), n == 1 and one or many or one .. "s")
end

local months = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" }

--- Returns a time of the contract as a person reads it, in local time: the day and the minute where it is of this year,
--- else the date. It takes at most 12 cells.
---@param at string? RFC 3339, in UTC
---@return string
function M.date(at)
  local year, month, day, hour, minute = (at or ""):match("^(%d+)-(%d+)-(%d+)T(%d+):(%d+)")
  if not year then
    return at or ""
  end
  local function number(text)
    return assert(tonumber(text))
  end
  local as_local = os.time({ year = number(year), month = number(month), day = number(day), hour = number(hour), min = number(minute) })
  local utc = os.date("!*t", as_local) --[[@as osdate]]
  utc.isdst = false
  local t = os.date("*t", as_local + os.difftime(as_local, os.time(utc))) --[[@as osdate]]
  if t.year ~= os.date("*t").year then
    return ("%04d-%02d-%02d"):format(t.year, t.month, t.day)
  end
  return ("%d %s %02d:%02d"):format(t.day, months[t.month], t.hour, t.min)
end

--- Adds a line. Text and highlight groups alternate as pairs; text that holds line breaks becomes one line.
---@param parts string|{ [1]: string, [2]: string? }[]
---@param entry? contexture.Entry
---@return integer line from 1
function Listing:add(parts, entry)
  parts = type(parts) == "string" and { { parts } } or parts
  local text, line = {}, #self.lines
  local column = 0
  for _, part in ipairs(parts) do
    local piece = part[1]:gsub("[\r\n]+", " "):gsub("%z", "␀")
    table.insert(text, piece)
    if part[2] and #piece > 0 then
      table.insert(self.marks, { line = line, from = column, to = column + #piece, group = part[2] })
    end
    column = column + #piece
  end
  table.insert(self.lines, table.concat(text))
  self.entries[#self.lines] = entry
  return #self.lines
end

--- Adds an empty line, and a heading below it.
---@param text string
---@param entry? contexture.Entry
function Listing:heading(text, entry)
  if #self.lines > 0 then
    self:add("")
  end
  self:add({ { text, "Title" } }, entry)
end

--- Adds a text of several lines, indented.
---@param text string
---@param indent string
---@param entry? contexture.Entry
---@param group? string
---@return integer first line from 1
function Listing:text(text, indent, entry, group)
  local first = #self.lines + 1
  for _, line in ipairs(vim.split(text:gsub("\r\n?", "\n"), "\n", { plain = true })) do
    self:add({ { line ~= "" and indent or "" }, { line, group } }, entry)
  end
  return first
end

--- Adds a sentence, on as many lines as it takes.
---@param text string
---@param group? string
---@param indent? string
---@param entry? contexture.Entry
function Listing:say(text, group, indent, entry)
  indent = indent or ""
  local room, line = math.max(20, self.cells - 3 - #indent), "" -- beside the column of folds
  for word in text:gmatch("%S+") do
    if line ~= "" and vim.fn.strdisplaywidth(line) + 1 + vim.fn.strdisplaywidth(word) > room then
      self:add({ { indent }, { line, group } }, entry)
      line = ""
    end
    line = line == "" and word or line .. " " .. word
  end
  self:add({ { indent }, { line, group } }, entry)
end

--- Adds a line for what is not listed; nothing where n is not above 0. Its entry has the part's name as `more`.
---@param n integer
---@param part string
function Listing:more(n, part)
  if n > 0 then
    self:add({ { ("    …  <CR> shows more: %s are not listed"):format(M.number(n)), "Comment" } }, { key = "more " .. part, more = part })
  end
end

--- Says that a part of a place has no answer: what the server is too old for, or what failed, and what to do.
---@param what string the part
---@param err lsp.ResponseError
function Listing:unavailable(what, err)
  local older = type(err.data) == "table" and err.data.field == "command"
  local reason = older and "the server is older than this plugin; update contexture" or err.message
  local indent = what:match("^ *")
  self:say(("%s is unavailable: %s"):format(what, reason), "DiagnosticWarn", indent)
  if not older then
    self:say(require("contexture.advice").of(err), nil, indent)
  end
end

--- Says what an answer lacks, as the server tells it.
---@param degraded contexture.Degradation[]
function Listing:degraded(degraded)
  for _, lack in ipairs(degraded) do
    local detail = lack.detail and lack.detail ~= "" and (" (%s)"):format(M.oneline(lack.detail)) or ""
    self:add({ { ("! %s: %s%s"):format(lack.stage, lack.reason, detail), "DiagnosticWarn" } })
  end
end

--- Colours a line by the syntax of the text that it is a part of. Lines are coloured in order.
---@param line integer from 1
---@param indent integer bytes before the text in the line
---@param start integer offset of the line in the text, in bytes
---@param length integer bytes of the text in the line
---@param spans? contexture.Spans
---@param first? integer what the call for the line before has returned
---@return integer first span that may reach into the next line
function Listing:color(line, indent, start, length, spans, first)
  first = first or 1
  for i = first, #(spans or {}) do
    local span = spans[i]
    if span.start >= start + length then
      break
    end
    local from, to = math.max(span.start - start, 0), math.min(span["end"] - start, length)
    local group = from < to and require("contexture.syntax").group(span.kind)
    if group then
      table.insert(self.marks, { line = line - 1, from = indent + from, to = indent + to, group = group })
    end
    if span["end"] <= start + length then
      first = i + 1
    end
  end
  return first
end

--- Marks words in lines.
---@param first integer line from 1
---@param last integer
---@param words string[] in lower case, see contexture.words
---@param from? integer bytes to leave out at the beginning of each line
function Listing:mark_words(first, last, words, from)
  for line = first, last do
    for _, at in ipairs(require("contexture.words").find(self.lines[line], words, from)) do
      table.insert(self.marks, { line = line - 1, from = at[1], to = at[2], group = "ContextureMatch", priority = 5000 })
    end
  end
end

--- Begins a fold at the line that is added next. Folds nest.
---@param key string identifies the fold over reloads
---@param closed? boolean
function Listing:fold(key, closed)
  self.depth = math.max(self.depth, #self.begun + 1)
  table.insert(self.begun, { key = key, first = #self.lines + 1, closed = closed or false })
end

--- Ends the fold that began last. A fold of one line is none.
function Listing:unfold()
  local fold = table.remove(self.begun)
  fold.last = #self.lines
  if fold.last > fold.first then
    table.insert(self.folds, fold)
  end
end

--- The cursor begins at the line that is added next.
function Listing:start_here()
  self.first = #self.lines + 1
end

--- Returns what identifies a line over reloads.
---@param line integer from 1
---@return string?
function Listing:key(line)
  local entry = self.entries[line]
  return entry and entry.key or self.lines[line]
end

return M
