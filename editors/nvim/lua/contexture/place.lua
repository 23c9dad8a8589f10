--- Places: what the server knows, as buffers named "contexture://rules", "contexture://conversation/ID" and so on.
---
--- Each kind of place is a module below contexture/places. A buffer is read by |:edit| like any other, so that the jump
--- list, alternate file and sessions lead back to it.
local advice = require("contexture.advice")
local client = require("contexture.client")
local float = require("contexture.float")
local folders = require("contexture.folders")
local listing = require("contexture.listing")
local view = require("contexture.view")

local M = {}

---@class contexture.Kind what a module below contexture/places returns
---@field load fun(place: contexture.Place, show: fun(listing: contexture.Listing)) asks the server and shows the answer;
---  it may show more than once
---@field keys fun(place: contexture.Place): contexture.Key[]
---@field title? string first line where there is no answer; default the place's argument
---@field part string what is unavailable where there is no answer
---@field prose? boolean whether lines are wrapped
---@field events? string[] User events after which the place loads again

---@class contexture.Place
---@field kind string
---@field argument string what follows the kind in the buffer's name, such as a conversation's id; "" when nothing does
---@field buffer integer
---@field view contexture.View
---@field workspace string? URI of the folder that the place is about, of several
---@field loads integer counts the loads, so that late answers are known
---@field cancel fun()[] requests of the current load
---@field fresh boolean whether it has been loaded just now, before a window shows it
---@field [string] any what a kind keeps between loads
local Place = {}
Place.__index = Place

---@type table<integer, contexture.Place> by buffer
local places = {}

--- Returns the place of a buffer, or nil.
---@param buffer? integer default the current one
---@return contexture.Place?
function M.get(buffer)
  return places[buffer or vim.api.nvim_get_current_buf()]
end

--- Returns the name of a place's buffer.
---@param kind string
---@param argument? string
---@return string
function M.name(kind, argument)
  if not argument or argument == "" then
    return "contexture://" .. kind
  end
  local escaped = argument:gsub("[%%%c]", function(byte)
    return ("%%%02X"):format(byte:byte()) -- what would be taken for an escape, or break the line
  end)
  return ("contexture://%s/%s"):format(kind, escaped)
end

--- Says that there is no answer, in place of a listing.
---@param err lsp.ResponseError
function Place:fail(err)
  local kind = require("contexture.places." .. self.kind)
  local out = listing.new(self:width())
  out:add({ { kind.title or self.argument, "Title" } })
  out:add("")
  out:unavailable(kind.part, err)
  self.loads = self.loads + 1 -- other answers of this load come too late
  self.view:draw(out)
end

--- Executes a command about the place's workspace. An answer that comes after the place has been closed or loaded again
--- is discarded.
---@param command string without "contexture."
---@param args table
---@param use fun(result: any)
---@param fail? fun(err: lsp.ResponseError) default says so in place of the listing
function Place:ask(command, args, use, fail)
  local load = self.loads
  args.workspace = args.workspace or self.workspace
  local cancel = client.execute("contexture." .. command, args, function(err, result)
    if self.loads ~= load or not vim.api.nvim_buf_is_valid(self.buffer) then
      return
    end
    if not err then
      local unclear = advice.try(use, result)
      if unclear then
        self:fail(unclear)
      end
    elseif err.code ~= -32800 then
      if fail then
        fail(err)
      else
        self:fail(err)
      end
    end
  end)
  table.insert(self.cancel, cancel)
end

--- Executes a command for a key that was pressed. Its answer comes also when the place has been loaded again meanwhile.
---@param command string without "contexture."
---@param args table
---@param use fun(result: any)
function Place:fetch(command, args, use)
  args.workspace = args.workspace or self.workspace
  client.execute("contexture." .. command, args, function(err, result)
    if err then
      float.complain(err)
    elseif vim.api.nvim_buf_is_valid(self.buffer) then
      local unclear = advice.try(use, result)
      if unclear then
        float.complain(unclear)
      end
    end
  end)
end

--- Executes several commands concurrently and calls back once, when all have been answered.
---@param requests table<string, { [1]: string, [2]: table }> commands and arguments, by names of the caller's choice
---@param use fun(results: table<string, any>, errors: table<string, lsp.ResponseError>)
function Place:gather(requests, use)
  local left, results, errors = vim.tbl_count(requests), {}, {}
  local function done()
    left = left - 1
    if left == 0 then
      use(results, errors)
    end
  end
  for name, request in pairs(requests) do
    self:ask(request[1], request[2], function(result)
      results[name] = result
      done()
    end, function(err)
      errors[name] = err
      done()
    end)
  end
end

--- Executes a command that changes something, then loads the place again. Unlike |contexture.Place:ask|, it is never
--- cancelled.
---@param command string without "contexture."
---@param args table
---@param said? string|fun(result: any): string what to tell the person
function Place:change(command, args, said)
  args.workspace = args.workspace or self.workspace
  client.execute("contexture." .. command, args, function(err, result)
    if err then
      float.complain(err)
      return
    end
    if said then
      vim.notify("contexture: " .. (type(said) == "function" and said(result) or said))
    end
    self:load()
  end)
end

--- Loads the place again. The cursor and the folds stay.
function Place:load()
  if not vim.api.nvim_buf_is_valid(self.buffer) then
    return
  end
  for _, cancel in ipairs(self.cancel) do
    cancel()
  end
  self.cancel = {}
  self.loads = self.loads + 1
  local load = self.loads
  require("contexture.places." .. self.kind).load(self, function(list)
    if self.loads == load then
      self.view:draw(list)
    end
  end)
end

--- Returns the width in cells of a window that shows the place.
---@return integer
function Place:width()
  local window = vim.fn.win_findbuf(self.buffer)[1]
  return window and vim.api.nvim_win_get_width(window) or vim.o.columns
end

--- Closes the window, or shows another buffer in it where it is the last one.
function Place:close()
  if #vim.api.nvim_tabpage_list_wins(0) > 1 or #vim.api.nvim_list_tabpages() > 1 then
    vim.api.nvim_win_close(0, false)
  elseif vim.fn.bufnr("#") ~= -1 and vim.fn.bufnr("#") ~= self.buffer then
    vim.cmd.buffer("#")
  else
    vim.cmd.enew()
  end
end

-- The keys that all places have.
local function common(place)
  return {
    { "reload", "R", "Load again", function() place:load() end },
    { "help", "g?", "Show the keys", function() place.view:help() end },
    { "close", "q", "Close the window", function() place:close() end },
  }
end

-- Loads a place after events that come in bursts: once, and only where a window shows it.
local function follow(place, events)
  local group = vim.api.nvim_create_augroup("contexture.place." .. place.buffer, { clear = true })
  local waiting = false
  vim.api.nvim_create_autocmd("User", {
    group = group,
    pattern = events,
    callback = function()
      if waiting then
        return
      end
      waiting = true
      vim.defer_fn(function()
        waiting = false
        local seen = vim.api.nvim_buf_is_valid(place.buffer) and #vim.fn.win_findbuf(place.buffer) > 0
        if seen and client.serves() then -- a server that a person has stopped stays so
          place:load()
        end
      end, 300)
    end,
  })
  return group
end

--- Fills a buffer whose name is that of a place, as |BufReadCmd| asks for. It replaces a place that the buffer had.
---@param buffer integer
function M.read(buffer)
  local kind, argument = vim.api.nvim_buf_get_name(buffer):match("^contexture://(%l+)/?(.*)$")
  local ok, module = pcall(require, "contexture.places." .. (kind or ""))
  if not kind or not ok then
    vim.notify(("contexture: there is no place %q"):format(vim.api.nvim_buf_get_name(buffer)), vim.log.levels.ERROR)
    return
  end
  local place = places[buffer]
  if not place then
    place = setmetatable({
      kind = kind,
      argument = vim.uri_decode(argument),
      buffer = buffer,
      view = view.new(buffer, kind),
      loads = 0,
      cancel = {},
    }, Place)
    places[buffer] = place
    vim.bo[buffer].buflisted = false
    vim.bo[buffer].bufhidden = "hide" -- so that the jump list leads back
    place.view:map(module.keys(place))
    local keys = common(place)
    place.view:map(keys)
    local help = view.keys_of(kind, keys[2])[1]
    place.view.hint = help and help .. " keys"
    local group = follow(place, module.events or {})
    vim.api.nvim_create_autocmd("BufWinEnter", {
      group = group,
      buffer = buffer,
      callback = function()
        view.dress(vim.api.nvim_get_current_win(), module.prose)
        if place.view.listing then
          place.view:fold(vim.api.nvim_get_current_win())
        end
        if not place.fresh then
          place:load() -- it may have changed while no window showed it
        end
        place.fresh = false
      end,
    })
    vim.api.nvim_create_autocmd("BufWipeout", {
      group = group,
      buffer = buffer,
      callback = function()
        places[buffer] = nil
        pcall(vim.api.nvim_del_augroup_by_id, group)
      end,
    })
  end
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    view.dress(window, module.prose)
  end
  place.workspace = folders.meant({})
  place.fresh = true
  place:load()
end

--- Opens a place: in the window that shows it, else, from another place, in that one's window, else in a new window.
---@param kind string
---@param argument? string
---@param mods? table as |nvim_create_user_command()| gives them, such as { tab = 1 } or { vertical = true }
---@return contexture.Place
function M.open(kind, argument, mods)
  folders.look()
  local workspace = folders.meant({})
  local buffer = vim.fn.bufadd(M.name(kind, argument))
  if places[buffer] then
    places[buffer].workspace = workspace
  end
  local shown = vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_tabpage(window) == vim.api.nvim_get_current_tabpage()
  end, vim.fn.win_findbuf(buffer))
  local asked = mods and (mods.vertical or mods.horizontal or (mods.tab or -1) >= 0 or (mods.split or "") ~= "")
  if shown[1] and not asked then
    vim.api.nvim_set_current_win(shown[1])
  elseif M.get() and not asked then
    vim.cmd("normal! m'")
    vim.cmd.buffer(buffer)
  else
    vim.cmd({ cmd = "split", mods = asked and mods or { split = "botright" } })
    vim.cmd.buffer(buffer)
  end
  if not places[buffer] then
    M.read(buffer) -- where autocommands are off, as in nested ones
  elseif shown[1] then
    places[buffer]:load()
  end
  return places[buffer]
end

return M
