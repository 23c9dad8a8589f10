--- What the place "index" shows, as lines.
local listing = require("contexture.listing")
local render = require("contexture.render")
local sparkline = require("contexture.sparkline")

local M = {}

local reasons = {
  ignored = "ignored by .gitignore or .contextureignore",
  excluded = "excluded by settings",
  vendored = "third-party code",
  binary = "not text",
  tooLarge = "too large",
  generated = "generated",
  minified = "minified",
  link = "symbolic links",
  unreadable = "not readable",
  special = "not regular files",
}

local states = {
  idle = { "up to date", "DiagnosticOk" },
  scanning = { "looking for files", "DiagnosticInfo" },
  indexing = { "indexing", "DiagnosticInfo" },
  error = { "failed", "DiagnosticError" },
}

local most_languages = 8 -- that are shown before a person unfolds the others

-- Bytes in the unit that a person reads.
local function size(bytes)
  for _, unit in ipairs({ "bytes", "KB", "MB" }) do
    if bytes < 1000 then
      return (unit == "bytes" and "%d %s" or "%.1f %s"):format(bytes, unit)
    end
    bytes = bytes / 1000
  end
  return ("%.1f GB"):format(bytes)
end

local function milliseconds(ms)
  return ms < 10 and ("%.1f ms"):format(ms) or ms < 10000 and ("%d ms"):format(math.floor(ms + 0.5)) or ("%.1f s"):format(ms / 1000)
end

local function begin(out, key, title, note, closed)
  out:add("")
  out:fold(key, closed)
  out:add({ { title, "Title" }, { note and "   " .. note or "", "Comment" } }, { key = key })
end

local function add_status(out, s)
  local state = states[s.state] or { s.state, "Normal" }
  out:add({ { "Index", "Title" }, { "   " .. state[1], state[2] }, { s.indexedAt and " · " .. listing.date(s.indexedAt) or "", "Comment" } })
  if s.queue > 0 and s.filesTotal > 0 then
    local done = math.max(s.filesTotal - s.queue, 0)
    out:add({ { render.bar(done, s.filesTotal, s.filesTotal, 40), "ContextureLayer5" }, { (" %d %%, %s wait"):format(100 * done / s.filesTotal, listing.count(s.queue, "file")), "Comment" } })
  end
  out:add("")
  out:start_here()
  out:add(("  %-10s %s of %s, %s"):format("files", listing.number(s.files), listing.number(s.filesTotal), size(s.bytes)))
  out:add(("  %-10s %s, %s"):format("pieces", listing.count(s.chunks, "chunk"), listing.count(s.symbols, "symbol")))
  local e = s.embedder
  local pending = e.pending > 0 and (", %s pending"):format(listing.number(e.pending)) or ""
  local model = e.source == "builtin" and "built in" .. (e.name ~= "" and ", " .. e.name or "") or ("%s, %s"):format(e.name ~= "" and e.name or "none", e.source)
  out:add({
    { ("  %-10s %s%s"):format("vectors", model, pending) },
    { e.problem and e.problem ~= "" and "  " .. e.problem or "", "DiagnosticWarn" },
  })
  out:add(("  %-10s %s, %s"):format("changes", s.watcher.mode, listing.count(s.watcher.watches, "watch", "watches")))
  for _, file in ipairs(s.quarantined) do
    out:add({ { "  set aside  ", "DiagnosticWarn" }, { file.path, "Directory" }, { "  " .. file.reason, "Comment" } }, { key = "quarantined " .. file.path, path = file.path })
  end
end

local function add_languages(out, languages)
  if not languages then
    return
  end
  local most = 0
  for _, l in ipairs(languages) do
    most = math.max(most, l.files)
  end
  begin(out, "languages", ("Languages (%d)"):format(#languages))
  for i, l in ipairs(languages) do
    if i == most_languages + 1 then
      out:fold("languages/rest", true)
      out:add({ { ("  … %d more"):format(#languages - most_languages), "Comment" } }, { key = "languages/rest" })
    end
    out:add({
      { "  " .. listing.pad(l.language, 14) },
      { render.bar(l.files, 0, most, out.cells < 80 and 10 or 24), "ContextureLayer5" },
      { ("  %12s  %13s"):format(listing.count(l.files, "file"), listing.count(l.chunks, "chunk")), "Comment" },
    }, { key = "language " .. l.language })
  end
  if #languages > most_languages then
    out:unfold()
  end
  out:unfold()
end

local function add_file(out, file)
  local source = file.source and (file.line and ("%s:%d"):format(file.source, file.line) or file.source) or ""
  out:add({
    { "      " },
    { listing.path(file.path .. (file.folder and not vim.endswith(file.path, "/") and "/" or ""), math.max(20, out.cells - 12 - #(file.rule or "") - #source)), "Directory" },
    { "   " .. (file.rule or "") },
    { source ~= "" and "   " .. source or "", "Comment" },
  }, { key = "skipped " .. file.path, path = file.path, folder = file.folder, rule = file.rule, source = file.source, line = file.line })
end

local function add_skipped(out, results)
  local skipped = results.status.skipped
  local note = #skipped > 0 and "<CR> on a reason lists its files" or nil
  note = results.query ~= "" and ("with %q in the path"):format(results.query) or note
  begin(out, "skipped", "Left out", note)
  if #skipped == 0 then
    out:add({ { "  nothing", "Comment" } })
  end
  for _, skip in ipairs(skipped) do
    local files = results.files[skip.reason]
    out:fold("reason " .. skip.reason)
    out:add({
      { ("  %9s  "):format(listing.number(skip.count)), "Number" },
      { reasons[skip.reason] or skip.reason },
    }, { key = "reason " .. skip.reason, reason = skip.reason })
    if files and files.error then
      out:unavailable("      The list", files.error)
    end
    for _, file in ipairs(files and files.files or {}) do
      add_file(out, file)
    end
    if files and files.next then
      out:add({ { "      …  <CR> lists more", "Comment" } }, { key = "more " .. skip.reason, reason = skip.reason, more = true })
    end
    out:unfold()
  end
  out:unfold()
end

local function add_secrets(out, secrets, err)
  begin(out, "secrets", "Secrets", secrets and (secrets.total == 0 and "none found" or ("%s found; they are never shown or sent"):format(listing.number(secrets.total))))
  if err then
    out:unavailable("The list of secrets", err)
  end
  for _, finding in ipairs(secrets and secrets.findings or {}) do
    out:add({
      { ("  %9s  "):format(listing.number(finding.count)), "Number" },
      { listing.pad(finding.rule, 24) .. "  ", "DiagnosticWarn" },
      { listing.path(finding.path, math.max(20, out.cells - 41)), "Directory" },
    }, { key = ("secret %s %s"):format(finding.rule, finding.path), path = finding.path })
  end
  if secrets and secrets.next then
    out:add({ { ("  …  the first %d are listed"):format(#secrets.findings), "Comment" } })
  end
  out:unfold()
end

local function median(numbers)
  local sorted = vim.deepcopy(numbers)
  table.sort(sorted)
  return sorted[math.ceil(#sorted / 2)] or 0
end

-- The requests by command, the most frequent first.
local function by_command(requests)
  local list, by_name = {}, {}
  for i = #requests, 1, -1 do -- oldest first
    local r = requests[i]
    local own = by_name[r.command]
    if not own then
      own = { command = r.command, ms = {}, failed = 0, stages = {}, order = {} }
      by_name[r.command] = own
      table.insert(list, own)
    end
    table.insert(own.ms, r.ms)
    own.failed = own.failed + (r.outcome == "error" and 1 or 0)
    for _, stage in ipairs(r.stages or {}) do
      if not own.stages[stage.name] then
        own.stages[stage.name] = {}
        table.insert(own.order, stage.name)
      end
      table.insert(own.stages[stage.name], stage.ms)
    end
  end
  table.sort(list, function(a, b)
    return #a.ms > #b.ms or #a.ms == #b.ms and a.command < b.command
  end)
  return list
end

local function add_latencies(out, requests)
  local narrow = out.cells < 80
  begin(out, "latencies", "Latency", ("of the last %s%s"):format(listing.count(#requests, "request"), narrow and ": median, slowest" or ""))
  for _, c in ipairs(by_command(requests)) do
    local failed = c.failed > 0 and ("  %d failed"):format(c.failed) or ""
    local bars = math.max(3, math.min(30, out.cells - (narrow and 48 or 71) - #failed)) -- that have room beside the numbers
    out:fold("command " .. c.command, true)
    out:add({
      { "  " .. listing.pad((c.command:gsub("^contexture%.", "")), narrow and 16 or 22) },
      { ("%4d × "):format(#c.ms), "Number" },
      { ("%8s"):format(milliseconds(median(c.ms))) },
      { (narrow and ", %8s  " or " median, %8s slowest  "):format(milliseconds(math.max(unpack(c.ms)))), "Comment" },
      { sparkline.of(vim.list_slice(c.ms, math.max(1, #c.ms - bars + 1))), "ContextureLayer5" },
      { failed, "DiagnosticWarn" },
    }, { key = "command " .. c.command })
    for _, name in ipairs(c.order) do
      local ms = c.stages[name]
      out:add({
        { ("      %-24s"):format(name), "Comment" },
        { ("%8s"):format(milliseconds(median(ms))) },
        { " median  ", "Comment" },
        { sparkline.of(vim.list_slice(ms, math.max(1, #ms - bars + 1))), "NonText" },
      }, { key = ("stage %s %s"):format(c.command, name) })
    end
    out:unfold()
  end
  out:unfold()
end

local function add_faults(out, faults)
  begin(out, "faults", "Faults", #faults == 0 and "none" or #faults == 1 and "one" or ("the last %d"):format(#faults))
  for i, fault in ipairs(faults) do
    out:add({
      { ("  %12s  "):format(listing.date(fault.at)), "Comment" },
      { listing.pad(fault.component, 10) .. "  ", "Identifier" },
      { listing.oneline(fault.message) },
    }, { key = ("fault %s %d"):format(fault.at, i) })
  end
  out:unfold()
end

---@class contexture.IndexShown
---@field status contexture.IndexStatusResult
---@field files table<string, { files: table[], next: string?, error: lsp.ResponseError? }> what is left out, by reason
---@field query string part of the paths to search for; "" for none
---@field secrets? { total: integer, findings: { rule: string, path: string, count: integer }[], next: string? }
---@field recent? contexture.RecentResult
---@field cells? integer width of a line
---@field errors table<string, lsp.ResponseError>

--- Returns the listing of the index.
---@param results contexture.IndexShown
---@return contexture.Listing
function M.listing(results)
  local out = listing.new(results.cells or 100)
  add_status(out, results.status)
  add_skipped(out, results)
  add_languages(out, results.status.languages)
  add_secrets(out, results.secrets, results.errors.secrets)
  if results.recent then
    add_latencies(out, results.recent.requests)
    add_faults(out, results.recent.faults)
  else
    begin(out, "latencies", "Latency and faults")
    out:unavailable("What was measured", results.errors.recent)
    out:unfold()
  end
  return out
end

return M
