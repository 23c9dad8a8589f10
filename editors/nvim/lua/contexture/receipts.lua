--- What assistants were given lately and why, what it cost, and what came of it.
local client = require("contexture.client")
local float = require("contexture.float")
local folders = require("contexture.folders")

local M = {}

local week = 7 * 24 * 3600
local most = 200 -- of the contract

---@class contexture.Given
---@field at integer
---@field prompt string
---@field items contexture.Item[]
---@field tokens integer

local kept = {} ---@type contexture.Given[] what chats in this Neovim were given, the latest first

--- Notes what a chat in this Neovim was given.
---@param given contexture.Given
function M.note(given)
  table.insert(kept, 1, given)
  kept[21] = nil
end

-- Seconds since 1970 of the server's time, which is in UTC.
local function seconds(at)
  local y, mo, d, h, mi, s = at:match("^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)")
  local utc = { year = y, month = mo, day = d, hour = h, min = mi, sec = s, isdst = false }
  local offset = os.time() - os.time(os.date("!*t") --[[@as osdateparam]])
  return os.time(utc) + offset
end

local function oneline(text)
  return vim.trim((text:gsub("%s+", " ")))
end

-- The prompts for which something was given within a week.
local function prompts_of(conversations, done)
  local since, all = os.time() - week, {}
  local active = vim.tbl_filter(function(c)
    return seconds(c.at) >= since
  end, conversations)
  local function next_one(i)
    local c = active[i]
    if not c then
      done(all)
      return
    end
    client.execute("contexture.receipts", { conversationId = c.conversationId, limit = most }, function(err, result)
      for _, prompt in ipairs(not err and result.prompts or {}) do
        if seconds(prompt.at) >= since then
          table.insert(all, { at = seconds(prompt.at), of = c, prompt = prompt })
        end
      end
      next_one(i + 1)
    end)
  end
  next_one(1)
end

local function balance(given, spared, seen)
  if not seen then
    return ("%d tokens; what came of it is not known"):format(given)
  end
  return ("%d tokens given, %d spared, net %s%d"):format(given, spared, spared > given and "+" or "", spared - given)
end

-- The lines of what a chat in this Neovim was given: each item with why it was.
local function lines_of_chat(given)
  local lines = { ("%s  here · %d tokens · %s"):format(os.date("%m-%d %H:%M", given.at), given.tokens, oneline(given.prompt)) }
  for _, item in ipairs(given.items) do
    local where = item.uri and vim.startswith(item.uri, "file:") and folders.relative(item.uri) or oneline(item.title)
    local line = item.range and (":%d"):format(item.range.start.line + 1) or ""
    table.insert(lines, ("    %5d  %s%s  %s"):format(item.tokens, where, line, oneline(item.reason)))
  end
  return lines
end

-- The lines of what a hook or a tool gave for a prompt.
local function lines_of_prompt(of, prompt, at)
  local title = of.title ~= "" and oneline(of.title) or of.conversationId
  local lines = {
    ("%s  %s · %s"):format(os.date("%m-%d %H:%M", at), title, balance(prompt.given, prompt.spared, of.seen)),
    "           for: " .. (prompt.prompt ~= "" and oneline(prompt.prompt) or "a prompt that is not in memory"),
  }
  if #prompt.names > 0 then
    table.insert(lines, ("           named: %s; %d of %d opened"):format(table.concat(prompt.names, ", "), prompt.opened, prompt.named))
  end
  return lines
end

local function sums(result, prompts)
  local given, spared, here = 0, 0, 0
  for _, p in ipairs(prompts) do
    given, spared = given + p.prompt.given, spared + p.prompt.spared
  end
  for _, chat in ipairs(kept) do
    here = here + chat.tokens
  end
  local seen = vim.iter(result.conversations):any(function(c)
    return c.seen
  end)
  local own = here > 0 and ("; %d tokens in chats of this Neovim"):format(here) or ""
  return {
    "This week    " .. balance(given, spared, seen or given == 0) .. own,
    "Thirty days  " .. balance(result.total.given, result.total.spared, seen or result.total.given == 0),
  }
end

-- What a prompt was given word by word, as far as it is kept; nil without any.
local function texts_of(prompt)
  local lines = {}
  for _, d in ipairs(prompt.deliveries) do
    if d.text then
      vim.list_extend(lines, { ("%s, %d tokens"):format(os.date("%m-%d %H:%M", seconds(d.at)), d.given), vim.trim(d.text), "" })
    end
  end
  return #lines > 0 and lines or nil
end

-- The sums, then what was given, the latest first; and of a line the turn and the text that it opens.
local function lines_of(result, prompts)
  local lines, turns, texts, all = sums(result, prompts), {}, {}, {}
  for _, chat in ipairs(kept) do
    table.insert(all, { at = chat.at, lines = lines_of_chat(chat) })
  end
  for _, p in ipairs(prompts) do
    local turn = p.prompt.turnId ~= "" and { p.of.conversationId, p.prompt.turnId } or nil
    table.insert(all, { at = p.at, lines = lines_of_prompt(p.of, p.prompt, p.at), turn = turn, text = texts_of(p.prompt) })
  end
  table.sort(all, function(a, b)
    return a.at > b.at
  end)
  for _, one in ipairs(all) do
    table.insert(lines, "")
    for _, line in ipairs(one.lines) do
      table.insert(lines, line)
      turns[#lines], texts[#lines] = one.turn, one.text
    end
  end
  if #all == 0 then
    vim.list_extend(lines, { "", "Nothing was given this week. `contexture install` enters the hooks that give it." })
  end
  return lines, turns, texts
end

--- Shows them; <CR> opens the turn of a line, K what was given word by word.
function M.show()
  client.execute("contexture.receipts", { limit = most }, function(err, result)
    if err then
      float.complain(err)
      return
    end
    prompts_of(result.conversations, function(prompts)
      local lines, turns, texts = lines_of(result, prompts)
      local buffer = float.show("receipts", lines)
      vim.keymap.set("n", "K", function()
        local text = texts[vim.api.nvim_win_get_cursor(0)[1]]
        if text then
          float.show("given", text)
        else
          vim.notify("contexture: the text is kept for a day, and until something is forgotten", vim.log.levels.INFO)
        end
      end, { buffer = buffer, desc = "Show what was given" })
      vim.keymap.set("n", "<CR>", function()
        local turn = turns[vim.api.nvim_win_get_cursor(0)[1]]
        if turn then
          require("contexture.turn").open(turn[1], turn[2])
        end
      end, { buffer = buffer, desc = "Open the turn" })
    end)
  end)
end

return M
