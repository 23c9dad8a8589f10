--- The place "context": type a prompt, see the bundle as it would be sent.
---
--- Two windows: the prompt, one line above, and the bundle below it. It asks again when typing rests, and cancels what
--- it had asked before.
local advice = require("contexture.advice")
local client = require("contexture.client")
local float = require("contexture.float")
local folders = require("contexture.folders")
local listing = require("contexture.listing")
local options = require("contexture.options")
local render = require("contexture.render")
local view = require("contexture.view")

local M = {}

-- The most important keys, as many as there is room for.
local helps = {
  "<CR> open · x leave out · + take in · y copy · D difference · g? keys",
  "<CR> open · x leave out · + take in · g? keys",
  "<CR> open · g? keys",
}

---@class contexture.Panel
---@field prompt integer buffer
---@field result integer buffer
---@field view contexture.View of the result
---@field prompt_window integer
---@field result_window integer
---@field origin integer window that the person came from
---@field timer uv.uv_timer_t
---@field cancel fun()[] requests that run
---@field asked integer counts the questions, so that a late answer is known
---@field bundle contexture.BundleResult?
---@field spans table<string, contexture.Spans> syntax of the bundle's items
---@field folder string URI of the folder that it asks about
---@field conversation contexture.Chosen? the conversation that the prompt continues; none when nil
---@field budget integer? tokens; the server's setting when nil
---@field changes contexture.Change[] in the order they were made
---@field caught_up boolean whether the first answer was looked at
---@field most table<string, integer> how many items of a part are shown, by the part's name
---@field anew boolean whether the cursor begins at the best item with the next drawing
local Panel = {}
Panel.__index = Panel

---@type contexture.Panel?
local open

---@class contexture.Chosen
---@field id string
---@field title? string

-- The conversations that the person chose in panels while Neovim runs, by folder; false where they chose none. Where
-- nothing was chosen it is the option's.
---@type table<string, contexture.Chosen|false>
local choices = {}

-- The last two bundles of different prompts or changes, to be compared. They outlive a panel.
---@type { key: string, prompt: string, bundle: contexture.BundleResult }?, { key: string, prompt: string, bundle: contexture.BundleResult }?
local latest, previous

-- Shows a text in place of a bundle.
function Panel:say(text)
  local out = listing.new(vim.api.nvim_win_is_valid(self.result_window) and vim.api.nvim_win_get_width(self.result_window) or nil)
  for _, line in ipairs(float.split(text)) do
    out:say(line)
  end
  render.conversation(out, self.conversation)
  self.view:draw(out, true)
  self.anew = true
end

--- Says why there is no bundle.
---@param err lsp.ResponseError
function Panel:fail(err)
  local out = listing.new(vim.api.nvim_win_is_valid(self.result_window) and vim.api.nvim_win_get_width(self.result_window) or nil)
  self.bundle = nil
  out:unavailable("The context", err)
  if #self.changes > 0 then
    out:say("u takes the last change back.")
  end
  self.view:draw(out, true)
  self.anew = true
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

--- Draws the bundle. The cursor stays at its item, unless another prompt is being typed.
function Panel:draw()
  if not self.bundle or not vim.api.nvim_buf_is_valid(self.result) then
    return
  end
  self.view:draw(render.bundle(self.bundle, {
    prompt = self:text(),
    width = vim.api.nvim_win_is_valid(self.result_window) and vim.api.nvim_win_get_width(self.result_window) or 80,
    changes = self.changes,
    conversation = self.conversation,
    arc = self.arc,
    spans = self.spans,
    most = self.most,
  }), self.anew)
  self.anew = false
end

-- The arguments of the bundle, with what the person has changed.
function Panel:arguments(prompt)
  local args = { prompt = prompt, conversationId = self.conversation and self.conversation.id, budget = self.budget or options.get().budget }
  for _, change in ipairs(self.changes) do
    args[change.kind] = args[change.kind] or {}
    table.insert(args[change.kind], change.value)
  end
  return args
end

--- Continues another conversation, or none, from now on.
---@param chosen contexture.Chosen?
function Panel:continue(chosen)
  choices[self.folder] = chosen or false
  self.conversation, self.arc = chosen, nil
  self:ask()
end

-- Keeps the bundle that was shown before, where something else was asked then.
local function keep(key, prompt, bundle)
  if latest and latest.key ~= key then
    previous = latest
  end
  latest = { key = key, prompt = prompt, bundle = bundle }
end

-- Colours the items' code once its syntax has arrived.
function Panel:color(asked)
  local items, texts = {}, {}
  for _, item in ipairs(self.bundle.items) do
    if render.is_code(item) and item.span and self.bundle.text then
      table.insert(items, item)
      table.insert(texts, { path = folders.relative(item.uri), text = render.content(self.bundle.text, item.span) })
    end
  end
  table.insert(self.cancel, require("contexture.syntax").ask(texts, function(spans)
    if self.asked == asked and open == self then
      for i, item in ipairs(items) do
        self.spans[item.id] = spans[i]
      end
      self:draw()
    end
  end))
end

--- Asks for the bundle of the prompt as it stands, and for what else the panel shows.
function Panel:ask()
  self:stop()
  self.asked = self.asked + 1
  local asked, prompt = self.asked, self:text()
  if vim.trim(prompt) == "" then
    self.bundle = nil
    self:say("Type a prompt above.")
    return
  end
  if not self.bundle then
    self:say("…")
  end
  local function request(command, args, take)
    local cancel = client.execute(command, args, function(err, result)
      if self.asked ~= asked or open ~= self then
        return
      end
      if err then
        if command == "contexture.bundle" then
          self:fail(err)
        end
        return
      end
      local unclear = advice.try(function()
        take(result)
        self:draw()
      end, nil)
      if unclear then
        self:stop() -- other answers of such a server are not understood either
        self:fail(unclear)
      end
    end)
    table.insert(self.cancel, cancel)
  end
  local args = self:arguments(prompt)
  local key = vim.inspect(args)
  request("contexture.bundle", self:context(args), function(result)
    self.bundle, self.spans, self.most = result, {}, {}
    self.anew = self.anew or vim.api.nvim_get_current_win() ~= self.result_window
    keep(key, prompt, result)
    self:color(asked)
    if not self.caught_up then -- the index may have been done while the answer was on its way
      self.caught_up = true
      self:catch_up()
    end
  end)
  if self.conversation then
    request("contexture.conversation.arc", { conversationId = args.conversationId, style = "light" }, function(result)
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
      if open == self and vim.api.nvim_buf_is_valid(self.prompt) then
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

function Panel:keys()
  local function map(buffer, mode, key, action, what)
    vim.keymap.set(mode, key, action, { buffer = buffer, nowait = true, desc = "Contexture: " .. what })
  end
  local function close()
    self:close()
  end
  local function to_bundle()
    vim.cmd.stopinsert()
    vim.api.nvim_set_current_win(self.result_window)
  end
  map(self.prompt, { "n", "i" }, "<CR>", to_bundle, "To the bundle")
  map(self.prompt, { "n", "i" }, "<Tab>", to_bundle, "To the bundle")
  map(self.prompt, "n", "q", close, "Close")
  map(self.prompt, "n", "<Esc>", close, "Close")
  self.view:map(require("contexture.panel_keys").list(self))
  self.view:map({
    { "prompt", { "<Tab>", "i", "a" }, "To the prompt", function()
      vim.api.nvim_set_current_win(self.prompt_window)
      vim.cmd.startinsert({ bang = true })
    end },
    { "reload", "R", "Ask again", function()
      self:ask()
    end },
    { "help", "g?", "Show the keys", function()
      self.view:help()
    end },
    { "close", { "q", "<Esc>" }, "Close", close },
  })
end

-- Opens the two windows, and closes them together.
function Panel:show(prompt)
  local place = float.place(vim.o.lines)
  local head = float.frame(vim.tbl_extend("force", place, { height = 1 }), "title", "Contexture")
  local body = vim.tbl_extend("force", place, { height = math.max(3, place.height - 3), row = place.row + 3 })
  local help = vim.iter(helps):find(function(text)
    return vim.fn.strdisplaywidth(text) + 4 <= body.width
  end)
  body = float.frame(body, "footer", help or "g? keys")
  self.result_window = vim.api.nvim_open_win(self.result, false, body)
  self.prompt_window = vim.api.nvim_open_win(self.prompt, true, head)
  view.dress(self.result_window)
  vim.api.nvim_buf_set_lines(self.prompt, 0, -1, false, { float.split(prompt or "")[1] })
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
end

local function scratch()
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = "wipe"
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
  local folder, named = folders.current(), options.conversation()
  local chosen = choices[folder]
  if chosen == nil then
    chosen = named and { id = named }
  end
  local self = setmetatable({
    prompt = scratch(),
    result = scratch(),
    origin = vim.api.nvim_get_current_win(),
    folder = folder,
    conversation = chosen or nil,
    timer = assert(vim.uv.new_timer()),
    cancel = {},
    asked = 0,
    changes = {},
    spans = {},
    most = {},
    caught_up = false,
    anew = true,
  }, Panel)
  vim.bo[self.prompt].filetype = "contexture-prompt"
  self.view = view.new(self.result, "context")
  self:show(prompt)
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
  vim.cmd.startinsert({ bang = true })
  self:ask()
  return self
end

--- Shows what differs between the last bundle and the one before it.
function M.compare()
  if not previous or not latest then
    vim.notify("contexture: there is nothing to compare with yet; the next prompt is compared with this one")
    return
  end
  require("contexture.compare").open(previous, latest)
end

--- Drops the choice of a conversation that was forgotten.
---@param id string
---@param folder? string URI of the folder that it belonged to; default the person's
function M.forgotten(id, folder)
  folder = folder or folders.current()
  if choices[folder] and choices[folder].id == id then
    choices[folder] = nil
  end
end

--- The panel that is open, or nil.
---@return contexture.Panel?
function M.get()
  return open
end

return M
