--- The panel: type a prompt, see the bundle as it would be sent.
---
--- Two windows: the prompt, one line above, and the bundle below it. It asks again when typing rests, and cancels what
--- it had asked before.
local client = require("contexture.client")
local float = require("contexture.float")
local folders = require("contexture.folders")
local options = require("contexture.options")
local render = require("contexture.render")
local turn = require("contexture.turn")

local M = {}

local namespace = vim.api.nvim_create_namespace("contexture.panel")
local help = "<CR> open · x exclude · u undo · p pin · d left out · y copy text · q close"

---@class contexture.Panel
---@field prompt integer buffer
---@field result integer buffer
---@field prompt_window integer
---@field result_window integer
---@field origin integer window that the person came from
---@field timer uv.uv_timer_t
---@field cancel fun()[] requests that run
---@field asked integer counts the questions, so that a late answer is known
---@field bundle contexture.BundleResult?
---@field shown contexture.Rendered?
---@field conversation string?
---@field exclude string[]
---@field dropped boolean whether what was left out is shown
---@field caught_up boolean whether the first answer was looked at
local Panel = {}
Panel.__index = Panel

---@type contexture.Panel?
local open

local function set_lines(buffer, lines)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
end

function Panel:text()
  return table.concat(vim.api.nvim_buf_get_lines(self.prompt, 0, -1, false), "\n")
end

function Panel:stop()
  for _, cancel in ipairs(self.cancel) do
    cancel()
  end
  self.cancel = {}
end

function Panel:close()
  if open == self then
    open = nil
  end
  self:stop()
  if not self.timer:is_closing() then
    self.timer:stop()
    self.timer:close()
  end
  for _, window in ipairs({ self.prompt_window, self.result_window }) do
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_close(window, true)
    end
  end
  if vim.fn.mode() == "i" then
    vim.cmd.stopinsert()
  end
end

--- Where the person was: the document and the cursor there.
function Panel:context(args)
  if not vim.api.nvim_win_is_valid(self.origin) then
    return args
  end
  local buffer = vim.api.nvim_win_get_buf(self.origin)
  if vim.bo[buffer].buftype ~= "" or vim.api.nvim_buf_get_name(buffer) == "" then
    return args
  end
  local running = client.get()
  args.textDocument = { uri = vim.uri_from_bufnr(buffer) }
  args.position = vim.lsp.util.make_position_params(self.origin, running and running.offset_encoding or "utf-8").position
  return args
end

function Panel:draw()
  if not vim.api.nvim_buf_is_valid(self.result) then
    return
  end
  local bundle = self.bundle
  if not bundle then
    return
  end
  local shown = render.bundle(bundle, self.dropped)
  if self.conversation then
    render.conversation(shown, self.conversation, self.arc, self.ticklers or {})
  elseif self.ticklers then
    render.conversation(shown, "", nil, self.ticklers)
  end
  self.shown = shown
  local cursor = vim.api.nvim_win_is_valid(self.result_window) and vim.api.nvim_win_get_cursor(self.result_window)
  set_lines(self.result, shown.lines)
  vim.api.nvim_buf_clear_namespace(self.result, namespace, 0, -1)
  for _, mark in ipairs(shown.marks) do
    vim.api.nvim_buf_set_extmark(self.result, namespace, mark.line, mark.from, { end_col = mark.to, hl_group = mark.group })
  end
  if cursor then
    -- What stands above the items has no keys, so the first item is where one begins.
    local line = math.min(math.max(cursor[1], shown.first), #shown.lines)
    pcall(vim.api.nvim_win_set_cursor, self.result_window, { line, cursor[2] })
  end
end

--- Asks for the bundle of the prompt as it stands, and for what else the panel shows.
function Panel:ask()
  self:stop()
  self.asked = self.asked + 1
  local asked, prompt = self.asked, self:text()
  if vim.trim(prompt) == "" then
    self.bundle = nil
    set_lines(self.result, { "Type a prompt above." })
    return
  end
  if not self.bundle then
    set_lines(self.result, { "…" })
  end
  local function request(command, args, take)
    local cancel = client.execute(command, args, function(err, result)
      if self.asked ~= asked or open ~= self then
        return
      end
      if err then
        if command == "contexture.bundle" then
          self.bundle = nil
          set_lines(self.result, float.split("! " .. err.message))
        end
        return
      end
      take(result)
      self:draw()
    end)
    table.insert(self.cancel, cancel)
  end
  local args = self:context({ prompt = prompt, conversationId = self.conversation, budget = options.get().budget })
  if #self.exclude > 0 then
    args.exclude = vim.deepcopy(self.exclude)
  end
  request("contexture.bundle", args, function(result)
    self.bundle = result
    if not self.caught_up then -- the index may have been done while the answer was on its way
      self.caught_up = true
      self:catch_up()
    end
  end)
  request("contexture.ticklers", { prompt = prompt, conversationId = self.conversation }, function(result)
    self.ticklers = result.ticklers
  end)
  if self.conversation then
    request("contexture.conversation.arc", { conversationId = self.conversation, style = "light" }, function(result)
      self.arc = result
    end)
  end
end

--- Asks when typing has rested.
function Panel:ask_soon()
  self.timer:stop()
  self.timer:start(
    options.get().panel.delay or 120,
    0,
    vim.schedule_wrap(function()
      if open == self then
        self:ask()
      end
    end)
  )
end

--- Asks again once the index is done, where the answer came while it was not.
function Panel:catch_up()
  local status = require("contexture.status").get()
  if open ~= self or not (status and status.state == "idle" and self.bundle) then
    return
  end
  for _, lack in ipairs(self.bundle.degraded) do
    if lack.reason == "indexing" then
      self:ask_soon()
      return
    end
  end
end

function Panel:line()
  return vim.api.nvim_win_get_cursor(self.result_window)[1]
end

function Panel:item()
  return self.shown and self.shown.items[self:line()]
end

--- Opens the file or the turn of the line.
function Panel:jump()
  local item = self:item()
  local at = self.shown and self.shown.turns[self:line()]
  if item and item.uri and item.uri:match("^file:") then
    local origin = self.origin
    self:close()
    if vim.api.nvim_win_is_valid(origin) then
      vim.api.nvim_set_current_win(origin)
    end
    local name = vim.fn.fnamemodify(vim.uri_to_fname(item.uri), ":.") -- as one would have typed it
    vim.cmd.edit(vim.fn.fnameescape(name))
    if item.range then
      local last = vim.api.nvim_buf_line_count(0)
      vim.api.nvim_win_set_cursor(0, { math.min(item.range.start.line + 1, last), 0 })
      vim.cmd.normal({ "zz", bang = true })
    end
  elseif at then
    turn.open(at.conversation, at.turn)
  end
end

--- Leaves the item's file out from now on.
function Panel:exclude_item()
  local item = self:item()
  if not (item and item.uri and item.uri:match("^file:")) then
    vim.notify("contexture: only files can be excluded", vim.log.levels.INFO)
    return
  end
  table.insert(self.exclude, (folders.relative(item.uri):gsub("[%*%?%[%]{}\\]", "\\%0")))
  self:ask()
end

--- The item's text without the delimiters that its span counts in.
---@param text string of the bundle
---@param span contexture.Span
local function content_of(text, span)
  local whole = text:sub(span.start + 1, span["end"])
  return (whole:gsub("^<ctx%-[^\n]*\n", "", 1):gsub("\n?</ctx%-[%w-]+>%s*$", "", 1))
end

--- Puts the item on the conversation's board, so that the next bundles hold it.
function Panel:pin()
  local item = self:item()
  if not (item and self.bundle and self.bundle.text and item.span) then
    return
  end
  if not self.conversation then
    vim.notify("contexture: there is no conversation to pin it to; set the option \"conversation\"", vim.log.levels.WARN)
    return
  end
  local args = {
    conversationId = self.conversation,
    type = "note",
    title = item.title,
    content = content_of(self.bundle.text, item.span),
  }
  client.execute("contexture.board.put", args, function(err)
    if err then
      float.complain(err)
      return
    end
    vim.notify("contexture: pinned for five turns: " .. float.split(item.title)[1])
    if open == self then
      self:ask()
    end
  end)
end

function Panel:copy()
  if self.bundle and self.bundle.text then
    if vim.fn.has("clipboard") == 1 then
      vim.fn.setreg("+", self.bundle.text)
    end
    vim.fn.setreg('"', self.bundle.text)
    vim.notify(("contexture: copied %d tokens"):format(self.bundle.tokens))
  end
end

function Panel:keys()
  local function map(buffer, mode, key, action, what)
    vim.keymap.set(mode, key, action, { buffer = buffer, nowait = true, desc = what })
  end
  local function close()
    self:close()
  end
  local function to(window)
    return function()
      vim.cmd.stopinsert()
      vim.api.nvim_set_current_win(window)
    end
  end
  map(self.prompt, { "n", "i" }, "<CR>", to(self.result_window), "To the bundle")
  map(self.prompt, { "n", "i" }, "<Tab>", to(self.result_window), "To the bundle")
  map(self.prompt, "n", "q", close, "Close")
  map(self.prompt, "n", "<Esc>", close, "Close")
  local keys = {
    ["<CR>"] = { self.jump, "Open" },
    x = { self.exclude_item, "Exclude the file" },
    p = { self.pin, "Pin to the conversation" },
    y = { self.copy, "Copy the text" },
    d = {
      function()
        self.dropped = not self.dropped
        self:draw()
      end,
      "What was left out",
    },
    u = {
      function()
        table.remove(self.exclude)
        self:ask()
      end,
      "Undo the last exclusion",
    },
  }
  for key, entry in pairs(keys) do
    map(self.result, "n", key, function()
      entry[1](self)
    end, entry[2])
  end
  map(self.result, "n", "q", close, "Close")
  map(self.result, "n", "<Esc>", close, "Close")
  for _, key in ipairs({ "<Tab>", "i", "a" }) do
    map(self.result, "n", key, function()
      vim.api.nvim_set_current_win(self.prompt_window)
      vim.cmd.startinsert({ bang = true })
    end, "To the prompt")
  end
end

local function scratch(name)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].filetype = name
  return buffer
end

--- Opens the panel with a prompt, or asks the one that is open.
---@param prompt? string
---@return contexture.Panel
function M.open(prompt)
  if open then
    open:close()
  end
  folders.look()
  local origin = vim.api.nvim_get_current_win()
  local self = setmetatable({
    prompt = scratch("contexture-prompt"),
    result = scratch("contexture"),
    origin = origin,
    timer = assert(vim.uv.new_timer()),
    cancel = {},
    asked = 0,
    exclude = {},
    dropped = false,
    caught_up = false,
  }, Panel)
  local place = float.place(vim.o.lines)
  local head = float.frame(vim.tbl_extend("force", place, { height = 1 }), "title", "Contexture")
  local body = vim.tbl_extend("force", place, { height = math.max(3, place.height - 3), row = place.row + 3 })
  body = float.frame(body, "footer", help)
  self.result_window = vim.api.nvim_open_win(self.result, false, body)
  self.prompt_window = vim.api.nvim_open_win(self.prompt, true, head)
  vim.wo[self.result_window].cursorline = true
  vim.wo[self.result_window].wrap = false
  vim.wo[self.result_window].list = true -- for the mark of a line that goes on to the right
  vim.wo[self.result_window].listchars = "extends:…,precedes:…"
  vim.api.nvim_buf_set_lines(self.prompt, 0, -1, false, { float.split(prompt or "")[1] })
  open = self
  self:keys()
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    buffer = self.prompt,
    callback = function()
      self:ask_soon()
    end,
  })
  vim.api.nvim_create_autocmd("User", {
    group = vim.api.nvim_create_augroup("contexture.panel", { clear = true }),
    pattern = "ContextureStatus",
    callback = function()
      self:catch_up()
    end,
  })
  for _, window in ipairs({ self.prompt_window, self.result_window }) do
    vim.api.nvim_create_autocmd("WinClosed", {
      pattern = tostring(window),
      once = true,
      callback = function()
        vim.schedule(function()
          self:close()
        end)
      end,
    })
  end
  vim.cmd.startinsert({ bang = true })
  turn.conversation(function(id)
    self.conversation = id
    if open == self then
      self:ask()
    end
  end)
  self:ask()
  return self
end

--- The panel that is open, or nil.
---@return contexture.Panel?
function M.get()
  return open
end

return M
