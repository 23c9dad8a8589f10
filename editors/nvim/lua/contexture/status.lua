--- How the index stands, as the server tells it by itself.
local M = {}

---@type contexture.IndexStatusResult?
local status

---@param new contexture.IndexStatusResult?
function M.set(new)
  status = new
  vim.api.nvim_exec_autocmds("User", { pattern = "ContextureStatus", modeline = false })
  vim.cmd.redrawstatus()
end

---@return contexture.IndexStatusResult?
function M.get()
  return status
end

--- A short text for a statusline.
---@return string
function M.text()
  if not status then
    return require("contexture.client").get() and "ctx …" or ""
  end
  local work = status.state
  if work == "scanning" then
    return "ctx scanning"
  elseif work == "indexing" then
    local total = math.max(status.filesTotal, 1)
    return ("ctx %d%%%%"):format(math.floor(100 * (total - status.queue) / total))
  elseif work == "error" then
    return "ctx !"
  end
  local pending = status.embedder and status.embedder.pending or 0
  if pending > 0 then
    return ("ctx ✓ +%d"):format(pending)
  end
  return "ctx ✓"
end

--- The status as lines for a person.
---@param s contexture.IndexStatusResult
---@return string[]
function M.lines(s)
  local lines = {
    ("state     %s"):format(s.state),
    ("files     %d of %d, %d chunks, %d symbols"):format(s.files, s.filesTotal, s.chunks, s.symbols),
    ("waiting   %d files, %d stale"):format(s.queue, s.stale),
    ("embedder  %s (%s), %d pending%s"):format(
      s.embedder.name,
      s.embedder.source,
      s.embedder.pending,
      s.embedder.problem and ": " .. s.embedder.problem or ""
    ),
    ("version   %d"):format(s.version),
  }
  for _, skip in ipairs(s.skipped) do
    table.insert(lines, ("left out  %d %s"):format(skip.count, skip.reason))
  end
  for _, file in ipairs(s.quarantined) do
    table.insert(lines, ("set aside %s: %s"):format(file.path, file.reason))
  end
  return lines
end

return M
