--- The place "sources": the logs of assistants that conversations are imported from, and how that stands.
local jump = require("contexture.jump")
local listing = require("contexture.listing")

local M = { title = "Import sources", part = "The state of the import", events = { "ContextureMemory" } }

-- Counts by name, the largest first.
local function counts(map)
  local list = {}
  for name, count in pairs(map) do
    table.insert(list, { name, count })
  end
  table.sort(list, function(a, b)
    return a[2] > b[2] or a[2] == b[2] and a[1] < b[1]
  end)
  return list
end

local function state_of(s)
  return not s.on and "off" or s.watching == "off" and "not followed" or s.watching == "poll" and "on, polled" or "on"
end

local function add(out, s, widths)
  local entry = { key = s.source, source = s }
  out:fold("source " .. s.source, not s.on)
  out:add({
    { s.on and "  ● " or "  ○ ", s.on and "DiagnosticOk" or "Comment" },
    { listing.pad(s.source, widths[1]) .. "  " },
    { listing.pad(state_of(s), widths[2]) .. "  ", "Comment" },
    { ("%" .. widths[3] .. "s  "):format(listing.count(s.sessions, "session")), "Number" },
    { ("%" .. widths[4] .. "s"):format(listing.count(s.messages, "message")), "Number" },
    { s.lastReadAt and "  read " .. listing.date(s.lastReadAt) or "", "Comment" },
  }, entry)
  for _, folder in ipairs(s.places) do
    out:add({ { "      " }, { listing.path(vim.fn.fnamemodify(folder, ":~"), out.cells - 9), "Directory" } }, entry)
  end
  for _, err in ipairs(s.errors) do
    out:add({ { "      " }, { err, "DiagnosticError" } }, entry)
  end
  for _, kind in ipairs(s.unknown) do
    local own = { key = s.source .. "/" .. kind.kind, source = s, uri = vim.uri_from_fname(kind.file) }
    own.range = kind.line > 0 and { start = { line = kind.line - 1, character = 0 } } or nil
    out:add({ { ("      not understood  %d × %s  "):format(kind.count, kind.kind), "DiagnosticWarn" }, { ("%s:%d"):format(vim.fn.fnamemodify(kind.file, ":~"), kind.line), "Directory" } }, own)
  end
  for _, left in ipairs(counts(s.left)) do
    out:add({ { ("      not stored  %s: %s"):format(listing.count(left[2], "session"), left[1]), "Comment" } }, entry)
  end
  out:unfold()
end

--- Returns the listing of sources.
---@param sources contexture.CaptureSource[]
---@param cells integer width of a line
---@return contexture.Listing
function M.listing(sources, cells)
  local out = listing.new(cells)
  local on = vim.iter(sources):filter(function(s)
    return s.on
  end):totable()
  out:add({ { "Import sources", "Title" }, { ("   %d of %d on"):format(#on, #sources), "Comment" } })
  out:add("")
  out:start_here()
  local widths = { 0, 0, 0, 0 } -- of the columns
  for _, s in ipairs(sources) do
    for i, text in ipairs({ s.source, state_of(s), listing.count(s.sessions, "session"), listing.count(s.messages, "message") }) do
      widths[i] = math.max(widths[i], #text)
    end
  end
  for _, s in ipairs(sources) do
    add(out, s, widths)
  end
  return out
end

---@param place contexture.Place
function M.load(place, show)
  place:ask("capture.status", {}, function(r)
    show(M.listing(r.sources, place:width()))
  end)
end

---@param place contexture.Place
---@return contexture.Key[]
function M.keys(place)
  local function on_source(use)
    return function(entry)
      if entry and entry.source then
        use(entry.source)
      else
        vim.notify("contexture: no source is on this line")
      end
    end
  end
  return {
    { "open", { "<CR>", "gf" }, "Open the record that was not understood", function(entry)
      if not jump.entry(entry) then
        vim.cmd("silent! normal! za")
      end
    end },
    { "toggle", "t", "Switch the source on or off", on_source(function(s)
      place:change("capture.set", { source = s.source, on = not s.on }, s.source .. (s.on and " is off" or " is on: its conversations are read from now on"))
    end) },
    { "import", "i", "Import the conversations that were there before", on_source(function(s)
      if not s.on then
        vim.notify(("contexture: %s is off; t switches it on"):format(s.source))
        return
      end
      vim.notify(("contexture: importing from %s …"):format(s.source))
      place:change("capture.import", { sources = { s.source } }, function(r)
        local got = r.sources[1] or { logs = 0, messages = 0 }
        return ("imported %s from %s"):format(listing.count(got.messages, "message"), listing.count(got.logs, "log"))
      end)
    end) },
  }
end

return M
