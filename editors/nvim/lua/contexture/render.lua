--- A bundle as a listing: the budget, the items by layer with their text, and what was left out.
local folders = require("contexture.folders")
local listing = require("contexture.listing")
local words = require("contexture.words")

local M = {}

---@class contexture.Change what a person has changed in a bundle
---@field kind "include"|"omit"|"exclude"
---@field value string an item's id, or a glob
---@field title string

---@class contexture.Shown what is shown with a bundle
---@field prompt string
---@field width integer cells of a line
---@field changes contexture.Change[]
---@field conversation? contexture.Chosen
---@field arc? contexture.ArcResult
---@field most? table<string, integer> how many items of a part are shown, by the part's name
---@field spans? table<string, contexture.Spans> syntax of items' texts, by the items' ids

-- The layers' names for people, the same as on the page and in VS Code, and a colour for each.
local layers = {
  L0_identity = { "Identity", "ContextureLayer0" },
  L1_global_prefs = { "Preferences and rules", "ContextureLayer1" },
  L2_topic = { "Topics", "ContextureLayer2" },
  L3_entity = { "Entities", "ContextureLayer3" },
  L4_conversation = { "Conversation memory", "ContextureLayer4" },
  L5_jit = { "Found for this prompt", "ContextureLayer5" },
  L6_message_history = { "History", "ContextureLayer6" },
  L7_user_message = { "Your prompt", "ContextureLayer7" },
}

-- Why a candidate was left out, in words.
local reasons = {
  duplicate = "says the same as an item that is in",
  redundant = "adds little to what is in",
  budget = "over budget",
  threshold = "not relevant enough",
  stale = "the file has changed since",
  outsideRoot = "outside the workspace",
  binary = "not text",
  excluded = "left out by you",
  filtered = "sorted out by the model",
  superseded = "replaced by something later",
}

-- An open item with more lines than most_lines shows the first ones, and the others once they are unfolded.
local most_lines, first_lines = 14, 10

M.page = 50 -- items of a part that are shown at once

--- Returns the place of an item: its path below the workspace's folder with its first line, or its turn.
---@param item { uri: string?, range: contexture.Range?, turnId: string?, conversationId: string? }
---@return string
function M.place(item)
  if item.uri then
    local ok, path = pcall(folders.relative, item.uri)
    path = ok and path or item.uri
    return item.range and ("%s:%d"):format(path, item.range.start.line + 1) or path
  end
  if item.turnId and item.turnId ~= "" then
    return item.turnId .. (item.conversationId and " of " .. item.conversationId or "")
  end
  return ""
end

--- Reports whether an item's text is code of a file, not prose.
---@param item contexture.Item
---@return boolean
function M.is_code(item)
  return item.kind ~= "doc" and item.uri ~= nil and vim.startswith(item.uri, "file:")
end

--- Returns an item's text without the delimiters that its span counts in.
---@param text string of the bundle
---@param span contexture.Span
---@return string
function M.content(text, span)
  local whole = text:sub(span.start + 1, span["end"])
  return (whole:gsub("^<ctx%-[^\n]*\n", "", 1):gsub("\n?</ctx%-[%w-]+>%s*$", "", 1))
end

--- Returns a share of a budget as a bar: what is used, then what is allocated.
---@param used integer
---@param allocated integer
---@param of integer
---@param width integer cells
---@return string
function M.bar(used, allocated, of, width)
  local function cells(n)
    if n <= 0 or of <= 0 then
      return 0
    end
    return math.min(width, math.max(1, math.floor(n / of * width + 0.5)))
  end
  local full = cells(used)
  local open = math.max(cells(allocated) - full, 0)
  return ("█"):rep(full) .. ("░"):rep(open) .. (" "):rep(width - full - open)
end

-- One bar of the whole budget, each layer in its colour.
local function stacked(bundle, width)
  local parts, left = {}, width
  for _, layer in ipairs(bundle.layers) do
    if layer.used > 0 and left > 0 then
      local cells = math.min(left, math.max(1, math.floor(layer.used / bundle.budget * width + 0.5)))
      table.insert(parts, { ("█"):rep(cells), (layers[layer.layer] or {})[2] or "Special" })
      left = left - cells
    end
  end
  table.insert(parts, { ("░"):rep(left), "NonText" })
  return parts
end

-- The text of an item. Its lines have numbers where they are those of the file.
local function add_body(out, bundle, item, entry, shown, matched)
  local lines = vim.split(M.content(bundle.text, item.span), "\n", { plain = true })
  if lines[#lines] == "" then
    table.remove(lines)
  end
  local range = item.range
  local numbered = range and #lines == range["end"].line - range.start.line + (range["end"].character > 0 and 1 or 0)
  local rest = #lines > most_lines and first_lines or nil
  local start, span = 0, 1 -- offset of the line in the text, in bytes; first span that may be in it
  for i, line in ipairs(lines) do
    if rest and i == rest + 1 then
      out:fold(item.id .. "/rest", true)
      out:add({ { ("       │ … %d more lines"):format(#lines - rest), "Comment" } }, vim.tbl_extend("force", entry, { key = item.id .. "/rest" }))
    end
    local own, gutter = entry, "       │ "
    if numbered then
      local number = range.start.line + i - 1
      gutter = ("%6d │ "):format(number + 1)
      own = vim.tbl_extend("force", entry, {
        key = ("%s/%d"):format(item.id, i),
        range = { start = { line = number, character = 0 }, ["end"] = { line = number, character = 0 } },
      })
    end
    local at = out:add({ { gutter, "LineNr" }, { line } }, own)
    span = out:color(at, #gutter, start, #line, shown.spans and shown.spans[item.id], span)
    out:mark_words(at, at, matched, #gutter)
    start = start + #line + 1
  end
  if rest then
    out:unfold()
  end
end

local function add_item(out, bundle, item, best, shown, matched)
  local entry = {
    key = item.id,
    item = item,
    uri = item.uri,
    range = item.range,
    title = item.title,
    conversation = item.conversationId,
    turn = item.turnId ~= "" and item.turnId or nil,
  }
  out:fold("item " .. item.id, item ~= best)
  local score = item.score < 1 and ("%3d %%"):format(math.floor(100 * item.score + 0.5)) or "     "
  local where, title, reason = M.place(item), listing.oneline(item.title), listing.oneline(item.reason)
  if vim.startswith(title, where) or title:find(vim.fn.fnamemodify(where:gsub(":%d+$", ""), ":t"), 1, true) and where ~= "" then
    title = vim.trim(title:gsub("^" .. vim.pesc(where), "", 1))
  end
  if entry.turn and title == entry.turn:gsub("^T%-", "Turn ") then
    title = "" -- the place has said it
  end
  local parts = {
    { ("%6d  "):format(item.tokens), "Comment" },
    { score .. "  ", "Number" },
    { where ~= "" and listing.path(where, math.max(24, math.floor(shown.width * 0.45))) .. "  " or "", "Directory" },
    { title ~= "" and title .. "  " or "" },
    { reason, "Comment" },
  }
  local room = shown.width - 3 -- beside the column of folds
  for _, part in ipairs(parts) do
    room = room - vim.fn.strdisplaywidth(part[1])
  end
  if room < 0 and item == best then
    table.remove(parts) -- it is open, and all of the reason stands below
  end
  local head = out:add(parts, entry)
  if room < 0 then
    out:say(reason, "Comment", "       ", entry)
  end
  out:mark_words(head, head, matched, 15)
  if bundle.text and item.span then
    add_body(out, bundle, item, entry, shown, matched)
  end
  out:unfold()
end

-- The item that helps most of those that were found, of code where there is any.
local function best_of(items)
  local best, best_code
  for _, item in ipairs(items) do
    if item.score < 1 and item.span then
      best = best and best.score >= item.score and best or item
      if item.kind == "code" then
        best_code = best_code and best_code.score >= item.score and best_code or item
      end
    end
  end
  return best_code or best
end

local function add_layers(out, bundle, shown)
  local by_layer, matched = {}, words.of(shown.prompt .. " " .. table.concat(bundle.intent.keywords, " ") .. " " .. table.concat(bundle.intent.identifiers, " "))
  for _, item in ipairs(bundle.items) do
    by_layer[item.layer] = by_layer[item.layer] or {}
    table.insert(by_layer[item.layer], item)
  end
  local best = best_of(bundle.items)
  for _, layer in ipairs(bundle.layers) do
    local items = by_layer[layer.layer] or {}
    if layer.allocated > 0 or layer.used > 0 or #items > 0 then
      local name, color = unpack(layers[layer.layer] or { layer.layer, "Special" })
      out:fold("layer " .. layer.layer, layer.layer == "L7_user_message")
      out:add({
        { ("%-21s "):format(name), "Title" },
        { M.bar(layer.used, layer.allocated, bundle.budget, math.max(4, math.min(24, shown.width - 60))), color },
        { (" %7s of %-7s"):format(listing.number(layer.used), listing.number(layer.allocated)) },
        { #items > 0 and " " .. listing.count(#items, "item") or "", "Comment" },
      }, { key = "layer " .. layer.layer })
      local most = (shown.most or {})[layer.layer] or M.page
      for i, item in ipairs(items) do
        if i > most then
          break
        end
        if item == best then
          out:start_here()
        end
        add_item(out, bundle, item, best, shown, matched)
      end
      out:more(#items - most, layer.layer)
      out:unfold()
    end
  end
end

-- What was left out, by reason, the most frequent first.
local function add_dropped(out, bundle, shown)
  local by_reason, names = {}, {}
  for _, d in ipairs(bundle.dropped) do
    if not by_reason[d.reason] then
      by_reason[d.reason] = {}
      table.insert(names, d.reason)
    end
    table.insert(by_reason[d.reason], d)
  end
  table.sort(names, function(a, b)
    return #by_reason[a] > #by_reason[b] or #by_reason[a] == #by_reason[b] and a < b
  end)
  local summary = vim.tbl_map(function(reason)
    return ("%d %s"):format(#by_reason[reason], reasons[reason] or reason)
  end, names)
  out:add("")
  out:fold("dropped", true)
  out:add({ { ("Left out (%d)"):format(#bundle.dropped), "Title" }, { "   " .. table.concat(summary, ", "), "Comment" } }, { key = "dropped" })
  local left = (shown.most or {}).dropped or M.page
  for _, reason in ipairs(names) do
    for _, d in ipairs(by_reason[reason]) do
      if left == 0 then
        break
      end
      left = left - 1
      local where = M.place(d)
      local score = d.score and ("%3d %%"):format(math.floor(100 * d.score + 0.5)) or "     "
      out:add({
        { d.tokens and ("%6d  "):format(d.tokens) or "        ", "Comment" },
        { score .. "  ", "Number" },
        { where ~= "" and listing.path(where, math.max(24, math.floor(shown.width * 0.45))) .. "  " or "", "Directory" },
        { listing.oneline(d.title or (where == "" and d.id or "")) .. "  " },
        { reasons[reason] or reason, "Comment" },
      }, { key = "dropped " .. d.id, dropped = d, uri = d.uri, range = d.range, title = d.title })
    end
  end
  out:more(#bundle.dropped - ((shown.most or {}).dropped or M.page), "dropped")
  out:unfold()
end

local function add_conversation(out, shown)
  if shown.arc then
    out:heading("The conversation's arc")
    local lines, turns = require("contexture.turn").arc_lines(shown.arc)
    for i, line in ipairs(lines) do
      out:add(line, turns[i] and { key = ("arc %s %s"):format(turns[i], line), conversation = shown.conversation.id, turn = turns[i] })
    end
  end
end

--- Adds the line that names the conversation which the prompt continues.
---@param out contexture.Listing
---@param chosen contexture.Chosen?
function M.conversation(out, chosen)
  local name = chosen and listing.oneline(chosen.title or "") or "none"
  out:add({ { "Conversation: ", "Comment" }, { name ~= "" and name or chosen.id }, { "   c chooses", "Comment" } })
end

--- Returns the listing of a bundle.
---@param bundle contexture.BundleResult
---@param shown contexture.Shown
---@return contexture.Listing
function M.bundle(bundle, shown)
  local out = listing.new(shown.width)
  out:add({
    { ("%s of %s tokens"):format(listing.number(bundle.tokens), listing.number(bundle.budget)), "Title" },
    { (" · %s · %s"):format(bundle.frame, bundle.encoding), "Comment" },
  })
  out:add(stacked(bundle, math.max(20, math.min(shown.width - 5, 100))))
  M.conversation(out, shown.conversation)
  out:degraded(bundle.degraded)
  for _, change in ipairs(shown.changes) do
    local sign = change.kind == "include" and "+ taken in  " or "- left out  "
    out:add({ { sign, change.kind == "include" and "DiagnosticOk" or "DiagnosticWarn" }, { change.title } })
  end
  out:add("")
  add_layers(out, bundle, shown)
  if out.first == 1 then
    out.first = math.min(5, #out.lines)
  end
  if #bundle.dropped > 0 then
    add_dropped(out, bundle, shown)
  end
  add_conversation(out, shown)
  return out
end

return M
