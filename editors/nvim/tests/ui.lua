-- A second Neovim whose user interface is here: its cells and colours are those that a terminal would be sent.
--
-- Neovim gives no Lua function that reads colours off the screen. So this speaks the protocol of |ui.txt| itself, over
-- the pipes of `nvim --embed`, with the MessagePack that Neovim brings.
local M = {}

---@class Ui
---@field rows { [1]: string, [2]: integer }[][] by row and column from 1: what stands there, and the number of its look
---@field looks table<integer, table> attributes by number, as "hl_attr_define" tells them
---@field colors { fg: integer, bg: integer } what a look without its own has
---@field cursor { row: integer, column: integer } from 0
---@field shape "block"|"vertical"|"horizontal" of the cursor
local Ui = {}
Ui.__index = Ui

-- The screen's events, see |ui-linegrid|. There is one grid: floats arrive drawn into it.
local events = {}

function events.grid_resize(self, _, columns, rows)
  self.columns, self.lines = columns, rows
  self.rows = self.rows or {}
  for row = 1, rows do
    self.rows[row] = self.rows[row] or {}
    for column = 1, columns do
      self.rows[row][column] = self.rows[row][column] or { " ", 0 }
    end
    for column = #self.rows[row], columns + 1, -1 do
      self.rows[row][column] = nil
    end
  end
  for row = #self.rows, rows + 1, -1 do
    self.rows[row] = nil
  end
end

function events.grid_clear(self)
  for _, cells in ipairs(self.rows) do
    for column = 1, self.columns do
      cells[column] = { " ", 0 }
    end
  end
end

function events.grid_line(self, _, row, column, cells)
  local look = 0
  for _, cell in ipairs(cells) do
    look = cell[2] or look
    for _ = 1, cell[3] or 1 do
      column = column + 1
      self.rows[row + 1][column] = { cell[1], look }
    end
  end
end

function events.grid_scroll(self, _, top, bottom, left, right, by)
  local first, last, step = top + 1, bottom - by, 1
  if by < 0 then
    first, last, step = bottom, top + 1 - by, -1
  end
  for row = first, last, step do
    for column = left + 1, right do
      self.rows[row][column] = self.rows[row + by][column]
    end
  end
end

function events.grid_cursor_goto(self, _, row, column)
  self.cursor = { row = row, column = column }
end

function events.hl_attr_define(self, id, look)
  self.looks[id] = look
end

function events.default_colors_set(self, fg, bg)
  self.colors = { fg = fg, bg = bg }
end

function events.mode_info_set(self, _, modes)
  self.modes = modes
end

function events.mode_change(self, _, index)
  self.shape = (self.modes[index + 1] or {}).cursor_shape or "block"
end

-- Reads what has arrived so far. A message that is not whole waits for the rest of it.
local function read(self, chunk)
  local data, position = self.rest .. chunk, 1
  while position <= #data do
    local kind, id, method, args
    kind, id, method, args, position = self.session:receive(data, position)
    if kind == "notification" and method == "redraw" then
      for _, batch in ipairs(args) do
        local take = events[batch[1]]
        for i = 2, take and #batch or 0 do
          take(self, unpack(batch[i]))
        end
      end
    elseif kind == "response" then
      id(method, args) -- the callback, the error, the result
    end
  end
  self.rest = data:sub(position)
end

--- Starts a Neovim of the kind that runs this.
---@param options { args: string[], columns: integer, lines: integer, cwd: string, env?: table<string, string> }
---@return Ui
function M.start(options)
  local function handle(_, bytes)
    return bytes -- of a buffer or a window, which no test here uses
  end
  local self = setmetatable({ rest = "", rows = {}, looks = {}, colors = {}, cursor = { row = 0, column = 0 }, shape = "block" }, Ui)
  self.session = vim.mpack.Session({ unpack = vim.mpack.Unpacker({ ext = { [0] = handle, handle, handle } }) })
  self.input, self.output = assert(vim.uv.new_pipe()), assert(vim.uv.new_pipe())
  local env = {}
  for name, value in pairs(vim.tbl_extend("force", vim.fn.environ(), options.env or {})) do
    table.insert(env, name .. "=" .. value)
  end
  self.process = assert(vim.uv.spawn(vim.v.progpath, {
    args = vim.list_extend({ "--embed" }, options.args),
    stdio = { self.input, self.output, nil },
    cwd = options.cwd,
    env = env,
  }, function() end))
  self.output:read_start(function(_, chunk)
    if chunk then
      local ok, err = pcall(read, self, chunk)
      self.broken = self.broken or not ok and err or nil
    end
  end)
  self:request("nvim_ui_attach", options.columns, options.lines, { rgb = true, ext_linegrid = true })
  return self
end

--- Calls a function of the API and waits for what it gives.
function Ui:request(method, ...)
  local done, err, result
  local head = self.session:request(function(e, r)
    done, err, result = true, e, r
  end)
  self.input:write({ head, vim.mpack.encode(method), vim.mpack.encode({ ... }) })
  local answered = vim.wait(15000, function()
    return done or self.broken ~= nil
  end, 5)
  assert(answered and not self.broken, self.broken or ("%s: no answer; the screen shows\n%s"):format(method, self:text()))
  assert(err == nil or err == vim.NIL, vim.inspect(err))
  return result
end

--- Runs Lua there, and gives what it returns.
function Ui:lua(code, ...)
  return self:request("nvim_exec_lua", code, { ... })
end

--- Presses keys, as a person does.
function Ui:keys(keys)
  self:request("nvim_input", keys)
end

--- Returns the text on the screen, line by line.
---@return string
function Ui:text()
  local lines = {}
  for row, cells in ipairs(self.rows) do
    local line = {}
    for column, cell in ipairs(cells) do
      line[column] = cell[1]
    end
    lines[row] = table.concat(line)
  end
  return table.concat(lines, "\n")
end

--- Waits until the screen shows a text.
---@param text string
---@param ms? integer
function Ui:see(text, ms)
  local there = vim.wait(ms or 15000, function()
    return self:text():find(text, 1, true) ~= nil
  end, 20)
  assert(there, ("%q is not on\n%s"):format(text, self:text()))
end

function Ui:stop()
  self.process:kill("sigterm")
  for _, handle in ipairs({ self.output, self.input, self.process }) do
    handle:close()
  end
end

return M
