--- The place "conversations": all of them, the latest first, or those that match a query.
local listing = require("contexture.listing")
local turn = require("contexture.turn")

local M = { title = "Conversations", part = "The list", events = { "ContextureMemory" } }

local page = 100 -- conversations that are asked for at once

-- Loads pages until there are as many conversations as are to be shown.
local function load(place, use)
  local list = {}
  local function next_page(before)
    local query = place.argument ~= "" and place.argument or nil
    place:ask("conversation.list", { limit = page, before = before, query = query }, function(r)
      vim.list_extend(list, r.conversations)
      if r.next and #list < place.wanted then
        next_page(r.next)
      else
        use(list, r.next ~= nil)
      end
    end)
  end
  next_page(nil)
end

--- Returns the listing of conversations.
---@param list contexture.Conversation[]
---@param more boolean whether there are others
---@param query string
---@param width integer cells of a line
---@return contexture.Listing
function M.listing(list, more, query, width)
  local out = listing.new(width)
  local shown = more and ("the latest %d"):format(#list) or tostring(#list)
  out:add({
    { "Conversations", "Title" },
    { "   " .. shown .. (query ~= "" and (" that match %q"):format(query) or ""), "Comment" },
  })
  out:add("")
  if #list == 0 then
    out:say(query ~= "" and "None matches. s asks for another query." or "There is none yet. Assistants' plugins store theirs by themselves; I shows the logs that others can be imported from.")
  end
  out:start_here()
  local room, longest, tail = 20, 20, 0 -- of the title; of the titles; of what follows the date
  local function tail_of(c)
    return c.source and "  " .. c.source or "", c.forkOf and ("  fork of %s at %s"):format(c.forkOf.conversationId, c.forkOf.turnId) or ""
  end
  for _, c in ipairs(list) do
    longest = math.max(longest, vim.fn.strdisplaywidth(c.title ~= "" and c.title or c.id))
    tail = math.max(tail, vim.fn.strdisplaywidth(table.concat({ tail_of(c) })))
  end
  room = math.max(room, math.min(width - 30 - math.min(tail, math.floor(width / 3)), longest, 90))
  for _, c in ipairs(list) do
    local title = c.title ~= "" and c.title or c.id
    local source, fork = tail_of(c)
    out:add({
      { "  " },
      { listing.pad(listing.oneline(title), room) },
      { ("  %11s"):format(listing.count(c.turnCount, "turn")), "Number" },
      { ("  %12s"):format(listing.date(c.lastAt)), "Comment" },
      { source, "Directory" },
      { fork, "Comment" },
    }, { key = c.id, conversation = c.id, title = title })
  end
  if more then
    out:add({ { "  …  <CR> shows earlier ones", "Comment" } }, { key = "more", more = true })
  end
  return out
end

---@param place contexture.Place
function M.load(place, show)
  place.wanted = place.wanted or page
  load(place, function(list, more)
    show(M.listing(list, more, place.argument, place:width()))
  end)
end

local function with_conversation(use)
  return function(entry)
    if entry and entry.conversation then
      use(entry.conversation, entry)
    else
      vim.notify("contexture: no conversation is on this line")
    end
  end
end

---@param place contexture.Place
---@return contexture.Key[]
function M.keys(place)
  local open = require("contexture.place").open
  return {
    { "open", { "<CR>", "gf" }, "Open its timeline, or show earlier ones", function(entry)
      if entry and entry.more then
        place.wanted = place.wanted + page
        place:load()
      elseif entry and entry.conversation then
        open("conversation", entry.conversation)
      end
    end },
    { "search", "s", "Search in conversations", function()
      vim.ui.input({ prompt = "Conversations about: ", default = place.argument }, function(query)
        if query then
          open("conversations", vim.trim(query))
        end
      end)
    end },
    { "arc", "a", "Show its decisions, open questions and focus", with_conversation(turn.arc) },
    { "forget", "d", "Forget it permanently, after a yes", with_conversation(function(id)
      turn.forget(id, function()
        place:load()
      end, place.workspace)
    end) },
    { "sources", "I", "Show where conversations are imported from", function()
      open("sources")
    end },
  }
end

return M
