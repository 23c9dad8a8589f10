--- How the index stands, as the server tells it by itself.
local M = {}

---@type contexture.IndexStatusResult?
local status

-- The learning that goes on; nil while none does.
---@type contexture.LearningStatus?
local learning

-- Whether the server has ended without having been asked to.
local ended = false

-- What was told last of each folder, by its URI.
---@type table<string, contexture.IndexStatusResult>
local told = {}

-- What works outweighs what has failed, and that what is idle.
local busyness = { idle = 1, error = 2, indexing = 3, scanning = 4 }
local counts = { "files", "filesTotal", "chunks", "symbols", "bytes", "queue", "stale", "errors", "version" }

-- The statuses of all folders that are served as one.
local function together()
  local client = require("contexture.client").get()
  local served = {}
  for _, folder in ipairs(client and client.workspace_folders or {}) do
    served[folder.uri] = true
  end
  local all
  for uri, one in vim.spairs(told) do
    if not served[uri] and (uri ~= "" or next(served)) then
      told[uri] = nil
    elseif not all then
      all = vim.deepcopy(one)
    else
      if busyness[one.state] > busyness[all.state] then
        all.state = one.state
      end
      for _, name in ipairs(counts) do
        all[name] = all[name] + one[name]
      end
      all.embedder.pending = all.embedder.pending + one.embedder.pending
      all.embedder.problem = all.embedder.problem or one.embedder.problem
      vim.list_extend(all.skipped, one.skipped)
      vim.list_extend(all.quarantined, one.quarantined)
    end
  end
  return all
end

--- Takes what the server reports about a folder; nil when it has gone.
---@param new contexture.IndexStatusResult?
---@param failed? boolean whether it has gone without having been asked to
function M.set(new, failed)
  if new then
    told[new.workspace or ""] = new
  else
    told = {}
  end
  status = new and (together() or new)
  ended = failed or false
  learning = new and learning
  vim.api.nvim_exec_autocmds("User", { pattern = "ContextureStatus", modeline = false })
  vim.cmd.redrawstatus()
end

--- Takes what the server reports about the learning from conversations.
---@param new contexture.LearningStatus
function M.set_learning(new)
  learning = new.state == "running" and new or nil
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
    return require("contexture.client").get() and "ctx …" or ended and "ctx ended" or ""
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
  if learning and learning.progress then
    return ("ctx learning %d%%%%"):format(math.floor(100 * learning.progress.share))
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
    ("waiting   %d files, %d out of date"):format(s.queue, s.stale),
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

--- What assistants were given and, where that is known, what it spared; nil where they were given nothing.
---@param r contexture.ReceiptsResult
---@return string?
function M.given(r)
  if r.total.prompts == 0 then
    return nil
  end
  local line = ("given     %d tokens to assistants in thirty days; "):format(r.total.given)
  local seen = vim.iter(r.conversations):any(function(c)
    return c.seen
  end)
  if not seen then
    return line .. "what came of it is not known"
  end
  local net = r.total.spared - r.total.given
  line = line .. ("spared %d, net %s%d"):format(r.total.spared, net > 0 and "+" or "", net)
  return r.unseen > 0 and line .. ("; conversations not captured: %d"):format(r.unseen) or line
end

return M
