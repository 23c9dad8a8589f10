--- A bundle as lines of the panel. It draws nothing itself.
local float = require("contexture.float")
local folders = require("contexture.folders")

local M = {}

---@class contexture.Rendered
---@field lines string[]
---@field items table<integer, contexture.Item> by line, from 1
---@field first integer line of the first item, or 1
---@field turns table<integer, { conversation: string, turn: string }> by line
---@field marks { line: integer, from: integer, to: integer, group: string }[] line from 0, columns in bytes

-- The layers' names for people, the same as in the panel for VS Code and the browser.
local layer_names = {
  L0_identity = "Identity",
  L1_global_prefs = "Preferences and rules",
  L2_topic = "Topics",
  L3_entity = "Entities",
  L4_conversation = "Conversation memory",
  L5_jit = "Found for this prompt",
  L6_message_history = "History",
  L7_user_message = "Your prompt",
}

local function oneline(text)
  return (float.split(text)[1]:gsub("%s+", " "))
end

--- The place of an item: its file below the workspace's folder, and its first line.
local function place(item)
  if not item.uri then
    return nil
  end
  local ok, path = pcall(folders.relative, item.uri)
  path = ok and path or item.uri
  if item.range then
    return ("%s:%d"):format(path, item.range.start.line + 1)
  end
  return path
end

--- Draws a share of a budget as a bar of width cells: what is used, then what is allocated.
---@param used integer
---@param allocated integer
---@param of integer
---@param width integer
---@return string
function M.bar(used, allocated, of, width)
  local function cells(n)
    if n <= 0 or of <= 0 then
      return 0
    end
    return math.min(width, math.max(1, math.floor(n / of * width + 0.5)))
  end
  local full = cells(used)
  local open = math.max(cells(allocated) - full, 0)
  return ("█"):rep(full) .. ("░"):rep(open) .. (" "):rep(width - full - open)
end

-- Two lines of an item: what it is, then where and why.
local function add_item(out, item)
  local function mark(from, to, group)
    table.insert(out.marks, { line = #out.lines - 1, from = from, to = to, group = group })
  end
  local head = ("%6d  %-9s "):format(item.tokens, item.kind)
  table.insert(out.lines, head .. oneline(item.title))
  mark(0, #head, "Comment")
  out.items[#out.lines] = item
  if item.turnId and item.turnId ~= "" and item.conversationId then
    out.turns[#out.lines] = { conversation = item.conversationId, turn = item.turnId }
  end
  local where, indent = place(item), (" "):rep(#head)
  local why = indent .. (where and (where .. " · ") or "")
  table.insert(out.lines, why .. oneline(item.reason))
  mark(#indent, #indent + #(where or ""), "Directory")
  mark(#indent + #(where or ""), #out.lines[#out.lines], "Comment")
  out.items[#out.lines] = item
  out.turns[#out.lines] = out.turns[#out.lines - 1]
end

--- Renders a bundle.
---@param bundle contexture.BundleResult
---@param dropped_too boolean
---@return contexture.Rendered
function M.bundle(bundle, dropped_too)
  local out = { lines = {}, items = {}, turns = {}, marks = {} }
  local function add(line, group, from, to)
    table.insert(out.lines, line)
    if group then
      table.insert(out.marks, { line = #out.lines - 1, from = from or 0, to = to or #line, group = group })
    end
  end
  add(("%d of %d tokens · %s · %s"):format(bundle.tokens, bundle.budget, bundle.frame, bundle.encoding), "Title")
  for _, lack in ipairs(bundle.degraded) do
    local detail = lack.detail and lack.detail ~= "" and (" (%s)"):format(oneline(lack.detail)) or ""
    add(("! %s: %s%s"):format(lack.stage, lack.reason, detail), "DiagnosticWarn")
  end
  add("")
  for _, layer in ipairs(bundle.layers) do
    if layer.allocated > 0 or layer.used > 0 then
      local name = ("%-21s "):format(layer_names[layer.layer] or layer.layer)
      local bar = M.bar(layer.used, layer.allocated, bundle.budget, 24)
      add(("%s%s %6d of %d"):format(name, bar, layer.used, layer.allocated), "Special", #name, #name + #bar)
    end
  end
  add("")
  add(("Items (%d)"):format(#bundle.items), "Title")
  out.first = #bundle.items > 0 and #out.lines + 1 or 1
  for _, item in ipairs(bundle.items) do
    add_item(out, item)
  end
  if #bundle.dropped > 0 then
    add("")
    local title = ("Left out (%d)"):format(#bundle.dropped)
    add(dropped_too and title or title .. ", d shows them", "Title")
    if dropped_too then
      for _, d in ipairs(bundle.dropped) do
        add(("        %-10s %s"):format(d.reason, oneline(d.id)), "Comment")
      end
    end
  end
  return out
end

--- Adds the arc and the ticklers of a conversation below a rendered bundle.
---@param out contexture.Rendered
---@param conversation string
---@param arc contexture.ArcResult?
---@param ticklers contexture.Tickler[]
function M.conversation(out, conversation, arc, ticklers)
  local function title(text)
    table.insert(out.lines, "")
    table.insert(out.lines, text)
    table.insert(out.marks, { line = #out.lines - 1, from = 0, to = #text, group = "Title" })
  end
  if #ticklers > 0 then
    title(("Reminders (%d)"):format(#ticklers))
    for _, t in ipairs(ticklers) do
      table.insert(out.lines, ("  %-6s %s  %s"):format(t.turnId, t.date, oneline(t.summary)))
      out.turns[#out.lines] = { conversation = t.conversationId, turn = t.turnId }
    end
  end
  if arc then
    title("Conversation " .. conversation)
    local lines, turns = require("contexture.turn").arc_lines(arc)
    for i, line in ipairs(lines) do
      table.insert(out.lines, line)
      if turns[i] then
        out.turns[#out.lines] = { conversation = conversation, turn = turns[i] }
      end
    end
  end
end

return M
