--- Tells the server where the person is, so that it prepares what they will ask about next.
local client = require("contexture.client")
local options = require("contexture.options")

local M = {}

--- Times in milliseconds.
M.limits = {
  between = 3000, -- between two reports, at least
  idle = 60000, -- without a sign of the person until they count as idle
  visits = 20, -- places that are remembered
}

local visits = {} ---@type { path: string, at: integer }[]
local document, conversation ---@type string?, string?
local seen, reported = 0, nil ---@type integer, integer?
local idle_since ---@type integer?
local changed, unwanted = false, false
local timer ---@type uv.uv_timer_t?
local sent = 0

-- Milliseconds since 1970.
local function now()
  local s, us = vim.uv.gettimeofday()
  return s * 1000 + math.floor(us / 1000)
end

local function utc(at)
  return os.date("!%Y-%m-%dT%H:%M:%S", math.floor(at / 1000)) .. (".%03dZ"):format(at % 1000)
end

-- The time with the offset that it has here.
local function here(at)
  local zone = os.date("%z", math.floor(at / 1000)) --[[@as string]]
  return os.date("%Y-%m-%dT%H:%M:%S", math.floor(at / 1000)) .. zone:sub(1, 3) .. ":" .. zone:sub(4, 5)
end

local plan

local function tell()
  local running = client.get()
  if unwanted or not running or not running.initialized then
    return
  end
  local at = now()
  if not idle_since and at - seen >= M.limits.idle then
    idle_since, changed = seen, true
  end
  local chosen = options.conversation()
  if chosen ~= conversation then
    conversation, changed = chosen, true
  end
  if changed and at - (reported or 0) >= M.limits.between then
    changed, reported, sent = false, at, sent + 1
    local navigation = vim.tbl_map(function(v)
      return { path = v.path, at = utc(v.at) }
    end, visits)
    local args = {
      activeConversationId = conversation,
      activeDocument = document,
      navigation = navigation,
      localTime = here(at),
      idleSince = idle_since and utc(idle_since) or nil,
    }
    client.execute("contexture.presence", args, function(err)
      unwanted = err ~= nil -- the server does not predict here
    end)
  end
  plan()
end

-- Comes back when there may be something to tell.
plan = function()
  local wait
  if changed then
    wait = math.max(0, (reported or 0) + M.limits.between - now())
  elseif not idle_since then
    wait = math.max(0, seen + M.limits.idle - now())
  end
  if not wait or unwanted then
    return
  end
  timer = timer or assert(vim.uv.new_timer())
  timer:start(math.max(wait, 50), 0, vim.schedule_wrap(tell))
end

--- The person does something.
function M.sign()
  seen = now()
  if idle_since then
    idle_since, changed = nil, true
    plan()
  end
end

--- The person is in a buffer.
---@param buffer integer
function M.visit(buffer)
  M.sign()
  local name = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= "" or name == "" then
    return -- a window of a plugin's own: the person is still where they were
  end
  local uri = vim.uri_from_bufnr(buffer)
  if uri == document then
    return
  end
  document, changed = uri, true
  table.insert(visits, { path = uri, at = seen })
  if #visits > M.limits.visits then
    table.remove(visits, 1)
  end
  plan()
end

--- How many reports were sent, and where the person is by the last one.
---@return integer reports
---@return string? document
function M.state()
  return sent, document
end

--- Follows the person from now on. It is called when the client runs, and again when it was started again.
function M.follow()
  unwanted, reported, changed = false, nil, document ~= nil
  local group = vim.api.nvim_create_augroup("contexture.presence", { clear = true })
  vim.api.nvim_create_autocmd({ "BufEnter", "FocusGained" }, {
    group = group,
    callback = function(event)
      M.visit(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI", "CmdlineEnter" }, { group = group, callback = M.sign })
  M.visit(vim.api.nvim_get_current_buf())
  plan()
end

return M
