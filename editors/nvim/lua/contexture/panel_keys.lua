--- What the keys of the panel do.
local client = require("contexture.client")
local copy = require("contexture.copy")
local float = require("contexture.float")
local folders = require("contexture.folders")
local jump = require("contexture.jump")
local listing = require("contexture.listing")
local render = require("contexture.render")

local M = {}

-- Opens the file of an entry in the window that the person came from, or its turn.
local function open(panel, entry)
  if entry and entry.more then
    panel.most[entry.more] = (panel.most[entry.more] or render.page) + render.page
    panel:draw()
  elseif entry and entry.uri and entry.uri:match("^file:") then
    local origin = panel.origin
    panel:close()
    if vim.api.nvim_win_is_valid(origin) then
      vim.api.nvim_set_current_win(origin)
    end
    jump.file(vim.uri_to_fname(entry.uri), entry.range and entry.range.start.line + 1)
  elseif not jump.entry(entry) then
    vim.cmd("silent! normal! za")
  end
end

-- Makes a change, or takes the same one back, and asks again.
local function change(panel, kind, value, title)
  local others = vim.tbl_filter(function(c)
    return c.value ~= value
  end, panel.changes)
  table.insert(others, { kind = kind, value = value, title = title })
  panel.changes = others
  panel:ask()
end

local function name_of(entry)
  local title = listing.oneline(entry.title or "")
  return title ~= "" and title or render.place(entry)
end

local function leave_out(panel, entry)
  if entry and entry.item and entry.item.kind ~= "prompt" then
    change(panel, "omit", entry.item.id, name_of(entry))
  else
    vim.notify("contexture: no item is on this line")
  end
end

local function exclude_file(panel, entry)
  if entry and entry.uri and entry.uri:match("^file:") then
    local path = folders.relative(entry.uri)
    change(panel, "exclude", (path:gsub("[%*%?%[%]{}\\]", "\\%0")), path)
  else
    vim.notify("contexture: no file is on this line")
  end
end

local function take_in(panel, entry)
  if entry and entry.dropped then
    change(panel, "include", entry.dropped.id, name_of(entry) ~= "" and name_of(entry) or entry.dropped.id)
  else
    vim.notify("contexture: this is in already; below \"Left out\" is what can be taken in")
  end
end

-- Puts the item on the conversation's board, so that the next bundles hold it.
local function pin(panel, entry)
  local item = entry and entry.item
  if not (item and panel.bundle.text and item.span) then
    return
  end
  if not panel.conversation then
    vim.notify('contexture: pinning needs a conversation; c chooses one', vim.log.levels.WARN)
    return
  end
  client.execute("contexture.board.put", {
    conversationId = panel.conversation.id,
    type = "note",
    title = item.title,
    content = render.content(panel.bundle.text, item.span),
  }, function(err)
    if err then
      float.complain(err)
      return
    end
    vim.notify("contexture: pinned for five turns: " .. float.split(item.title)[1])
    if require("contexture.panel").get() == panel then
      panel:ask()
    end
  end)
end

local function copy_as(panel, form)
  local text = copy.write(panel.bundle, form)
  if vim.fn.has("clipboard") == 1 then
    vim.fn.setreg("+", text)
  end
  vim.fn.setreg('"', text)
  vim.notify(("contexture: copied %d tokens as %s"):format(panel.bundle.tokens, form))
end

local function to_dropped(panel)
  for line, entry in pairs(panel.view.listing.entries) do
    if entry.key == "dropped" then
      vim.cmd("normal! m'")
      vim.api.nvim_win_set_cursor(0, { line, 0 })
      vim.cmd("silent! normal! za")
      return
    end
  end
  vim.notify("contexture: nothing was left out")
end

-- A quarter more or less, in round numbers.
local function change_budget(panel, by)
  panel.budget = math.max(256, math.floor(panel.bundle.budget * by / 50 + 0.5) * 50)
  panel:ask()
end

local function choose_conversation(panel)
  client.execute("contexture.conversation.list", {}, function(err, r)
    if err then
      float.complain(err)
      return
    end
    local none = {}
    vim.ui.select(vim.list_extend({ none }, r.conversations), {
      prompt = "Conversation that the prompt continues",
      format_item = function(c)
        return c == none and "None" or ("%s (%s)"):format(c.title ~= "" and c.title or c.id, listing.count(c.turnCount, "turn"))
      end,
    }, function(choice)
      if choice and require("contexture.panel").get() == panel then
        panel:continue(choice ~= none and { id = choice.id, title = choice.title } or nil)
      end
    end)
  end)
end

--- Returns the keys of the bundle's window.
---@param panel contexture.Panel
---@return contexture.Key[]
function M.list(panel)
  -- Most keys need a bundle; without one they do nothing.
  local function with(use, ...)
    local extra = { ... }
    return function(entry)
      if panel.bundle then
        use(panel, #extra > 0 and extra[1] or entry)
      end
    end
  end
  return {
    { "open", { "<CR>", "gf" }, "Open the file at the line, or the turn; else open or close the fold", with(open) },
    { "omit", { "x", "-" }, "Leave the item out", with(leave_out) },
    { "exclude", "X", "Leave its whole file out", with(exclude_file) },
    { "include", "+", "Take in what was left out", with(take_in) },
    { "undo", "u", "Take the last change back", function()
      if table.remove(panel.changes) then
        panel:ask()
      end
    end },
    { "pin", "p", "Pin it to the conversation for five turns", with(pin) },
    { "dropped", "d", "Show what was left out, and why", with(to_dropped) },
    { "copy", "y", "Copy the text", with(copy_as, "text") },
    { "copy_as", "Y", "Copy as text, Markdown or XML", with(function()
      vim.ui.select(copy.forms, { prompt = "Copy as" }, function(form)
        if form then
          copy_as(panel, form)
        end
      end)
    end) },
    { "text", "v", "Show what the model gets", with(function()
      require("contexture.compare").text(panel.bundle)
    end) },
    { "difference", "D", "Compare with the bundle before", function()
      require("contexture.panel").compare()
    end },
    { "quickfix", "Q", "Put the places in code into the quickfix list", with(function()
      local title, items = "Contexture: " .. panel:text(), panel.bundle.items
      panel:close()
      jump.quickfix(title, items)
    end) },
    { "more", ">", "Ask with a larger budget", with(change_budget, 1.25) },
    { "less", "<", "Ask with a smaller budget", with(change_budget, 0.8) },
    { "conversation", "c", "Choose the conversation that the prompt continues, or none", function()
      choose_conversation(panel)
    end },
  }
end

return M
