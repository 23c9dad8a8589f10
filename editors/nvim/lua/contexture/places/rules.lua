--- The place "rules": the active rules and remembered decisions, the candidates to accept, and what was replaced by
--- what, each with its quotations.
local jump = require("contexture.jump")
local listing = require("contexture.listing")

local M = { title = "Rules and decisions", part = "The list of rules", events = { "ContextureMemory" }, prose = true }

local page = 100 -- items of a part that are shown at once

local parts = {
  { "candidate", "Candidates to accept", "DiagnosticInfo", "?" },
  { "confirmed", "Active rules", "DiagnosticOk", "●" },
  { "decision", "Decisions", "DiagnosticOk", "◆" },
  { "superseded", "Replaced", "Comment", "○" },
}

local function part_of(item)
  if item.state ~= "superseded" and item.kind == "reference" then
    return "decision"
  end
  return item.state
end

-- The lines of an item: what it says, then what a person weighs it by.
local function add(out, item, sign, group, by_id)
  local entry = { key = item.id, item = item }
  local first = item.quotations[1]
  if first then
    entry.conversation, entry.turn = first.conversationId, first.turnId
    entry.turn = entry.turn ~= "" and entry.turn or nil
  end
  out:fold(item.id)
  local text = listing.oneline(item.content)
  out:add({ { "  " .. sign .. " ", group }, { text, item.state == "superseded" and "Comment" or nil } }, entry)
  if item.scope and item.scope ~= "" then
    out:add({ { "      only " .. item.scope, "Type" } }, entry)
  end
  if item.why and item.why ~= "" and not item.supersededBy then
    out:add({ { "      " .. listing.oneline(item.why), "Comment" } }, entry)
  end
  for i, quotation in ipairs(item.quotations) do
    local own = vim.tbl_extend("force", entry, { conversation = quotation.conversationId, turn = quotation.turnId })
    own.key = ("%s/%d"):format(item.id, i)
    local from = quotation.path or ("%s of %s"):format(quotation.turnId, quotation.conversationId)
    local parts_of_line = { { ("      %s  %s%s"):format(listing.date(quotation.at), from, quotation.author and ", " .. quotation.author or ""), "Directory" } }
    if listing.oneline(quotation.text) ~= text then
      table.insert(parts_of_line, { ("  “%s”"):format(listing.oneline(quotation.text)), "String" })
    end
    out:add(parts_of_line, own)
  end
  if item.supersededBy then
    local by = by_id[item.supersededBy]
    out:add({ { "      replaced by  ", "Comment" }, { by and listing.oneline(by.content) or item.supersededBy } }, { key = item.supersededBy, target = item.supersededBy })
  end
  out:unfold()
end

--- Returns the listing of rules and decisions.
---@param items contexture.KnowledgeItem[]
---@param shown? table<string, integer> how many items of a part are shown, by the part's name
---@param cells? integer width of a line
---@return contexture.Listing
function M.listing(items, shown, cells)
  local by_id, by_part = {}, {}
  for _, item in ipairs(items) do
    by_id[item.id] = item
    local part = part_of(item)
    by_part[part] = by_part[part] or {}
    table.insert(by_part[part], item)
  end
  local out = listing.new(cells)
  local function many(part)
    return #(by_part[part] or {})
  end
  out:add({
    { "Rules and decisions", "Title" },
    { ("   %d active · %s · %d to accept · %d replaced"):format(many("confirmed"), listing.count(many("decision"), "decision"), many("candidate"), many("superseded")), "Comment" },
  })
  if #items == 0 then
    out:add("")
    out:say("No rule has been stored yet. o stores one; conversations bring candidates.")
  end
  for _, part in ipairs(parts) do
    if many(part[1]) > 0 then
      out:add("")
      out:fold("part " .. part[1], part[1] == "superseded")
      out:add({ { ("%s (%d)"):format(part[2], many(part[1])), "Title" } }, { key = "part " .. part[1] })
      local most = (shown or {})[part[1]] or page
      for i, item in ipairs(by_part[part[1]]) do
        if i > most then
          break
        end
        if out.first == 1 then
          out:start_here()
        end
        add(out, item, part[4], part[3], by_id)
      end
      out:more(many(part[1]) - most, part[1])
      out:unfold()
    end
  end
  return out
end

---@param place contexture.Place
function M.load(place, show)
  local function list(kind)
    return { "knowledge.list", { kind = kind, superseded = true } }
  end
  place:gather({ rules = list("rule"), references = list("reference") }, function(results, errors)
    if errors.rules then
      place:fail(errors.rules)
      return
    end
    local items = vim.list_extend({}, results.rules.items)
    for _, item in ipairs((results.references or { items = {} }).items) do
      if item.label == "decision" then
        table.insert(items, item)
      end
    end
    place.items, place.shown = items, place.shown or {}
    show(M.listing(items, place.shown, place:width()))
  end)
end

-- Acts on the item of the cursor's line, or says that there is none.
local function with_item(use)
  return function(entry)
    if entry and entry.item then
      use(entry.item)
    else
      vim.notify("contexture: no rule is on this line")
    end
  end
end

--- Returns the arguments that store an item as it is.
---@param item contexture.KnowledgeItem
---@return contexture.KnowledgePutArgs
function M.arguments(item)
  return {
    kind = item.kind,
    id = item.id,
    title = item.title,
    content = item.content,
    topics = item.topics,
    keywords = item.keywords,
    weight = math.min(item.weight, 100),
    sourceTurns = item.sourceTurns,
    scope = item.scope ~= "" and item.scope or nil,
  }
end

--- Edits the words of an item in a buffer of its own; |:write| stores them.
---@param place contexture.Place
---@param item contexture.KnowledgeItem
function M.edit(place, item)
  local buffer = vim.fn.bufadd("contexture-edit://" .. item.id)
  vim.bo[buffer].buftype = "acwrite" -- before it is loaded: it is no file that language servers attach to
  vim.fn.bufload(buffer)
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].swapfile = false
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(item.content, "\n", { plain = true }))
  vim.bo[buffer].modified = false
  vim.bo[buffer].filetype = "markdown"
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buffer,
    callback = function()
      local content = vim.trim(table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n"))
      if content == "" then
        vim.notify("contexture: a rule needs words; d in the list removes it", vim.log.levels.ERROR)
        return
      end
      local args = M.arguments(item)
      args.content = content
      if vim.startswith(item.content, (item.title:gsub("…$", ""))) then -- the title was made from the words
        args.title = listing.cut(listing.oneline(content), 80)
      end
      place:change("knowledge.put", args, "stored: " .. listing.cut(listing.oneline(content), 60))
      vim.bo[buffer].modified = false
    end,
  })
  vim.cmd("belowright split")
  vim.cmd.buffer(buffer)
  vim.api.nvim_win_set_height(0, math.max(4, math.min(12, vim.api.nvim_buf_line_count(buffer) + 2)))
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = buffer, desc = "Contexture: Close without storing" })
end

local function remove(place, item)
  local prompt = ("Remove %q? Type yes: "):format(listing.cut(listing.oneline(item.content), 50))
  vim.ui.input({ prompt = prompt }, function(answer)
    if answer == "yes" then
      place:change("knowledge.delete", { id = item.id }, "removed")
    else
      vim.notify("contexture: nothing was removed")
    end
  end)
end

local function scope(place, item)
  vim.ui.input({ prompt = "Files or symbols it is about (empty: all): ", default = item.scope or "" }, function(answer)
    if answer then
      local args = M.arguments(item)
      args.scope = vim.trim(answer)
      place:change("knowledge.put", args, args.scope ~= "" and "applies to " .. args.scope or "applies everywhere")
    end
  end)
end

-- The turn of a quotation, or the item that has replaced this one.
local function open(place, entry)
  if entry and entry.more then
    place.shown[entry.more] = (place.shown[entry.more] or page) + page
    place.view:draw(M.listing(place.items, place.shown, place:width()))
    return
  elseif entry and entry.target then
    for line, other in pairs(place.view.listing.entries) do
      if other.key == entry.target and other.item then
        vim.cmd("normal! m'")
        vim.api.nvim_win_set_cursor(0, { line, 0 })
        vim.cmd("normal! zv")
        return
      end
    end
  end
  if not jump.entry(entry) then
    vim.notify("contexture: nothing to open here; this was stored on purpose, not quoted from a conversation")
  end
end

---@param place contexture.Place
---@return contexture.Key[]
function M.keys(place)
  return {
    { "open", { "<CR>", "gf" }, "Open the turn of the quotation, or the rule that replaces this one; show more", function(entry)
      open(place, entry)
    end },
    { "accept", "a", "Accept the candidate", with_item(function(item)
      if item.state == "candidate" then
        place:change("knowledge.accept", { id = item.id }, "accepted: " .. listing.cut(listing.oneline(item.content), 60))
      else
        vim.notify("contexture: this is no candidate; it is " .. (item.state == "superseded" and "replaced" or "active"))
      end
    end) },
    { "edit", "e", "Edit its words in a buffer; :w stores them", with_item(function(item)
      M.edit(place, item)
    end) },
    { "remove", "d", "Remove it, after a yes", with_item(function(item)
      remove(place, item)
    end) },
    { "scope", "s", "Restrict it to files or symbols", with_item(function(item)
      scope(place, item)
    end) },
    { "add", "o", "Store a rule", function()
      vim.ui.input({ prompt = "Rule: " }, function(text)
        if text and vim.trim(text) ~= "" then
          place:change("remember", { kind = "rule", text = text }, function(r)
            return #r.replaced > 0 and ("stored; it replaces %s"):format(listing.count(#r.replaced, "rule")) or "stored"
          end)
        end
      end)
    end },
  }
end

return M
