--- The place "conversation": the timeline of one, with the decisions, questions, rules and lessons of each turn, and the
--- text of a turn where a person unfolds it.
local listing = require("contexture.listing")
local turn = require("contexture.turn")

local M = { part = "The timeline", events = { "ContextureMemory" }, prose = true }

local page = 200 -- turns that are asked for at once

-- The levels of detail from the shortest to the longest, and their names for a person.
local levels = { "T", "C", "S", "R" }
local names = { T = "one line", C = "compressed", S = "smoothed", R = "verbatim" }

local signs = {
  decision = { "◆", "DiagnosticOk" },
  question = { "?", "DiagnosticWarn" },
  rule = { "●", "DiagnosticInfo" },
  lesson = { "✓", "DiagnosticHint" },
}

local function add_turn(out, t, place, width)
  local entry = { key = t.turnId, conversation = place.argument, turn = t.turnId, heads = true }
  local part = vim.tbl_extend("force", entry, { heads = false, key = t.turnId .. "/marks" })
  local tail = width < 80 and "" or ("%s · %s"):format(listing.count(t.messageCount, "message"), listing.count(t.tokens, "token"))
  local room = math.max(20, math.min(width - 25 - vim.fn.strdisplaywidth(tail), 100)) -- a line each, also where lines wrap
  out:fold("turn " .. t.turnId)
  out:add({
    { ("%-6s"):format(t.turnId), "Identifier" },
    { ("%12s  "):format(listing.date(t.at)), "Comment" },
    { listing.pad((t.author and t.author .. ": " or "") .. listing.oneline(t.title), room) },
    { "  " .. tail, "Comment" },
  }, entry)
  for _, fork in ipairs(place.turns.forks or {}) do
    if fork.turnId == t.turnId then
      out:add({ { "      ⑂ fork  ", "Comment" }, { fork.conversationId, "Directory" } }, { key = "fork " .. fork.conversationId, link = fork.conversationId })
    end
  end
  for _, mark in ipairs(t.marks) do
    local sign = signs[mark.kind] or { "·", "Comment" }
    out:add({
      { ("      %s %-9s "):format(sign[1], mark.kind), sign[2] },
      { listing.oneline(mark.text), mark.superseded and "Comment" or nil },
      { mark.superseded and (mark.kind == "question" and "  answered" or "  replaced") or "", "Comment" },
    }, part)
  end
  local text = place.texts[t.turnId]
  if text then
    local body = vim.tbl_extend("force", part, { key = t.turnId .. "/text" })
    local note = ("      %s, %d tokens%s"):format(names[text.level], text.tokens, text.pending and "; a better version is being made" or "")
    out:add({ { note, "Comment" } }, body)
    out:text(turn.plain(text.text), "      │ ", body)
  end
  out:unfold()
end

--- Returns the listing of a timeline.
---@param place contexture.Place
---@return contexture.Listing
function M.listing(place)
  local out, r = listing.new(), place.turns
  local from = r.source and " · from " .. r.source or ""
  out:add({
    { place.argument, "Title" },
    { ("   %s%s%s · text %s"):format(r.next and "the latest " or "", listing.count(#r.turns, "turn"), from, names[place.level]), "Comment" },
  })
  if r.forkOf then
    out:add({ { "fork of ", "Comment" }, { r.forkOf.conversationId, "Directory" }, { " at " .. r.forkOf.turnId, "Comment" } }, { key = "origin", link = r.forkOf.conversationId })
  end
  out:add("")
  if r.next then
    out:add({ { "…  <CR> shows earlier turns", "Comment" } }, { key = "more", more = true })
  end
  local width = place:width()
  for i, t in ipairs(r.turns) do
    if i == #r.turns then
      out:start_here() -- one reads on from the latest
    end
    add_turn(out, t, place, width)
  end
  return out
end

---@param place contexture.Place
function M.load(place, show)
  place.level = place.level or "S"
  place.texts = place.texts or {}
  place.wanted = place.wanted or page
  local all
  local function next_page(before)
    place:ask("conversation.turns", { conversationId = place.argument, limit = page, before = before }, function(r)
      if all then
        r.turns = vim.list_extend(r.turns, all.turns) -- pages go back in time
      end
      all = r
      if r.next and #r.turns < place.wanted then
        next_page(r.next)
      else
        place.turns = r
        show(M.listing(place))
      end
    end)
  end
  next_page(nil)
end

-- Asks for texts of turns and shows them as they arrive.
local function unfold(place, ids)
  for _, id in ipairs(ids) do
    local level = place.level
    place:fetch("conversation.turn", { conversationId = place.argument, turnId = id, level = level, pin = false }, function(text)
      if place.level == level then
        place.texts[id] = text
        place.view:set_fold("turn " .. id, false)
        place.view:draw(M.listing(place))
      end
    end)
  end
end

local function toggle(place, entry)
  if not entry then
    return
  elseif entry.link then
    require("contexture.place").open("conversation", entry.link)
  elseif entry.more then
    place.wanted = place.wanted + page
    place:load()
  elseif place.texts[entry.turn] then
    place.texts[entry.turn] = nil
    place.view:draw(M.listing(place))
  else
    unfold(place, { entry.turn })
  end
end

-- Shows the unfolded turns one level longer or shorter.
local function change_level(place, by)
  for i, level in ipairs(levels) do
    if level == place.level then
      place.level = levels[math.max(1, math.min(#levels, i + by))]
      break
    end
  end
  if place.turns then
    place.view:draw(M.listing(place))
    unfold(place, vim.tbl_keys(place.texts))
  end
end

-- Goes to the next or the previous line that begins a turn.
local function go(place, step)
  local line = vim.fn.line(".")
  for _ = 1, vim.v.count1 do
    local at = line + step
    while place.view.listing.lines[at] and not (place.view.listing.entries[at] or {}).heads do
      at = at + step
    end
    if not place.view.listing.lines[at] then
      break
    end
    line = at
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { line, 0 })
end

-- What a query finds in this conversation, into the location list of the window.
local function search(place)
  vim.ui.input({ prompt = "In this conversation: " }, function(query)
    if not query or vim.trim(query) == "" then
      return
    end
    place:fetch("recall", { query = query, conversationId = place.argument, memoryType = "turn" }, function(r)
      local hits = {}
      for _, item in ipairs(r.items) do
        for line, entry in pairs(place.view.listing.entries) do
          if entry.heads and entry.turn == item.turnId then
            table.insert(hits, { bufnr = place.buffer, lnum = line, col = 1, text = listing.oneline(item.title) })
          end
        end
      end
      if #hits == 0 then
        vim.notify("contexture: nothing found in the turns shown")
        return
      end
      vim.fn.setloclist(0, {}, " ", { title = "In " .. place.argument .. ": " .. query, items = hits })
      vim.cmd.lopen()
    end)
  end)
end

---@param place contexture.Place
---@return contexture.Key[]
function M.keys(place)
  local function on_turn(use)
    return function(entry)
      if entry and entry.turn then
        use(entry.turn)
      else
        vim.notify("contexture: no turn is on this line")
      end
    end
  end
  return {
    { "open", "<CR>", "Unfold the text of the turn, or close it; follow a fork", function(entry)
      toggle(place, entry)
    end },
    { "whole", { "o", "gf" }, "Open the whole turn in a window", on_turn(function(id)
      turn.open(place.argument, id)
    end) },
    { "more", "+", "Show texts in more detail", function()
      change_level(place, 1)
    end },
    { "less", "-", "Show texts in less detail", function()
      change_level(place, -1)
    end },
    { "next", "]]", "Go to the next turn", function()
      go(place, 1)
    end },
    { "previous", "[[", "Go to the previous turn", function()
      go(place, -1)
    end },
    { "search", "s", "Search in this conversation, into the location list", function()
      search(place)
    end },
    { "fork", "F", "Fork the conversation at the turn", on_turn(function(id)
      vim.ui.input({ prompt = ("Name of the fork at %s: "):format(id), default = place.argument .. "-" .. id:lower() }, function(name)
        if name and vim.trim(name) ~= "" then
          local args = { conversationId = place.argument, atTurn = id, newConversationId = vim.trim(name) }
          place:change("conversation.fork", args, ("forked: %s has the turns up to %s"):format(args.newConversationId, id))
        end
      end)
    end) },
    { "arc", "a", "Show decisions, open questions and focus", function()
      turn.arc(place.argument)
    end },
    { "forget", "d", "Forget the conversation permanently, after a yes", function()
      turn.forget(place.argument, function()
        if vim.api.nvim_get_current_buf() == place.buffer then
          place:close()
        end
        pcall(vim.api.nvim_buf_delete, place.buffer, { force = true })
      end, place.workspace)
    end },
  }
end

return M
