--- The place "search": hits of a query over code and memory, each with its lines.
local folders = require("contexture.folders")
local jump = require("contexture.jump")
local listing = require("contexture.listing")
local search = require("contexture.search")
local syntax = require("contexture.syntax")
local words = require("contexture.words")

local M = { part = "The search" }

local open_at_first = 3 -- hits whose lines are shown before a person unfolds others

local function add(out, found, i, matched, opened, cells)
  local hit = found.hit
  local entry = {
    key = ("%s/%d"):format(found.where, i),
    title = found.title,
    uri = hit.uri,
    range = hit.range,
    conversation = hit.conversationId,
    turn = hit.turnId,
    found = found,
  }
  local lines = listing.oneline(hit.snippet) ~= found.title and vim.split(hit.snippet, "\n", { plain = true }) or {}
  opened = opened + math.min(#lines, 1)
  out:fold(entry.key, opened > open_at_first)
  local head = out:add({
    { ("  %-9s "):format(hit.kind), "Comment" },
    { found.where ~= hit.kind and listing.path(found.where, math.floor(cells / 2)) .. "  " or "", "Directory" },
    { found.title },
  }, entry)
  out:mark_words(head, head, matched, #("  %-9s "):format(hit.kind))
  local start, span = 0, 1 -- offset of the line in the snippet, in bytes; first span of its syntax that may be in it
  for at, text in ipairs(lines) do
    local own, gutter = entry, "      "
    if hit.snippetLine then
      local number = hit.snippetLine + at - 1
      gutter = ("%6d "):format(number + 1)
      own = vim.tbl_extend("force", entry, {
        key = ("%s/%d/%d"):format(found.where, i, number),
        range = { start = { line = number, character = 0 }, ["end"] = { line = number, character = 0 } },
      })
    end
    local line = out:add({ { gutter .. "│ ", "LineNr" }, { text } }, own)
    span = out:color(line, #gutter + #"│ ", start, #text, found.spans, span)
    start = start + #text + 1
    out:mark_words(line, line, matched, #gutter + #"│ ")
  end
  out:unfold()
  return opened
end

--- Returns the listing of hits.
---@param query string
---@param list contexture.Found[]
---@param degraded contexture.Degradation[]
---@param cells integer width of a line
---@return contexture.Listing
function M.listing(query, list, degraded, cells)
  local out = listing.new(cells)
  out:add({ { query, "Title" }, { "   " .. listing.count(#list, "hit"), "Comment" } })
  out:degraded(degraded)
  out:add("")
  if #list == 0 then
    out:say("Nothing found. s asks for another query; kind:, lang:, path: and mode: in it are filters.")
  end
  out:start_here()
  local matched = words.of(search.arguments(query).query)
  local opened = 0
  for i, found in ipairs(list) do
    opened = add(out, found, i, matched, opened, cells)
  end
  return out
end

-- Asks for the syntax of what is code.
local function color(place, list, done)
  local code = vim.tbl_filter(function(found)
    return found.path ~= nil and found.hit.kind == "code"
  end, list)
  local texts = vim.tbl_map(function(found)
    return { path = folders.relative(found.hit.uri), text = found.hit.snippet }
  end, code)
  table.insert(place.cancel, syntax.ask(texts, function(spans)
    for i, found in ipairs(code) do
      found.spans = spans[i]
    end
    done()
  end))
end

---@param place contexture.Place
function M.load(place, show)
  local args = search.arguments(place.argument)
  if args.query == "" then
    show(M.listing(place.argument, {}, {}, place:width()))
    return
  end
  place:ask("search", args, function(r)
    place.hits = r.hits
    local list = vim.tbl_map(search.found, r.hits)
    show(M.listing(place.argument, list, r.degraded, place:width()))
    color(place, list, function()
      show(M.listing(place.argument, list, r.degraded, place:width()))
    end)
  end)
end

---@param place contexture.Place
---@return contexture.Key[]
function M.keys(place)
  return {
    { "open", { "<CR>", "gf" }, "Open the file at the line, or the turn", function(entry)
      if entry and entry.found and not jump.entry(entry) then
        search.go(entry.found)
      end
    end },
    { "quickfix", "Q", "Put the hits into the quickfix list", function()
      jump.quickfix("Contexture: " .. place.argument, place.hits or {})
    end },
    { "search", "s", "Search for something else", function()
      vim.ui.input({ prompt = "Search: ", default = place.argument }, function(query)
        if query and vim.trim(query) ~= "" then
          require("contexture.place").open("search", vim.trim(query))
        end
      end)
    end },
  }
end

return M
