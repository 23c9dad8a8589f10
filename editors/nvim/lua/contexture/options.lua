--- What the person has chosen.
local M = {}

---@class contexture.Options
---@field cmd? string[] the program and its arguments; default { vim.g.contexture_program or "contexture", "serve" }
---@field settings? table settings of the server, as under |contexture-settings|; only what is given here is sent
---@field budget? integer tokens of a bundle in the panel; default the server's setting
---@field conversation? string|fun(): string? the conversation that the panel continues until another
---  is chosen there, and that commands without one show; default none for the panel, and the latest for commands
---@field ticklers? { virtual_text?: boolean, position?: "eol"|"above" } reminders as virtual text, at the end of lines or
---  above them; default on until `:Contexture ticklers off`, "eol"
---@field panel? { width?: number, height?: number, border?: string, delay?: integer } parts of the screen, and how long
---  typing must rest before the panel asks, in milliseconds; default 0.8, 0.8, "rounded", 120
---@field capture? { codecompanion?: boolean, avante?: boolean } chats of other plugins whose conversations are brought
---  to memory at the end of each turn; default false
---@field picker? "telescope"|"fzf-lua"|"snacks"|"buffer" what `:Contexture search` shows hits in; default the first of
---  these that is installed
---@field keys? table<string, table<string, string|string[]|false>> keys of places: by place, then by action; false
---  removes an action's keys

---@type contexture.Options
local defaults = {
  cmd = { "contexture", "serve" },
  settings = {},
  ticklers = { position = "eol" },
  panel = { width = 0.8, height = 0.8, border = "rounded", delay = 120 },
  capture = { codecompanion = false, avante = false },
  keys = {},
}

local kinds = {
  cmd = "table",
  settings = "table",
  budget = "number",
  conversation = { "string", "function" },
  ticklers = "table",
  panel = "table",
  capture = "table",
  picker = "string",
  keys = "table",
}

local values = {
  picker = { "telescope", "fzf-lua", "snacks", "buffer" },
  ["ticklers.position"] = { "eol", "above" },
}

local chosen = vim.deepcopy(defaults)
local named = false -- whether the person named the program

--- Checks options and takes them. An unknown name or a wrong type is an error that names it.
---@param options? contexture.Options
function M.set(options)
  options = options or {}
  for name, value in pairs(options) do
    local want = kinds[name]
    if not want then
      error(("contexture: unknown option %q"):format(name), 0)
    end
    want = type(want) == "table" and want or { want }
    if not vim.tbl_contains(want, type(value)) then
      error(("contexture: option %q: want %s, got %s"):format(name, table.concat(want, " or "), type(value)), 0)
    end
  end
  for source, on in pairs(options.capture or {}) do
    if defaults.capture[source] == nil then
      error(("contexture: option \"capture\": unknown chat %q"):format(source), 0)
    elseif type(on) ~= "boolean" then
      error(("contexture: option \"capture.%s\": want boolean, got %s"):format(source, type(on)), 0)
    end
  end
  for name, allowed in pairs(values) do
    local value = vim.tbl_get(options, unpack(vim.split(name, ".", { plain = true })))
    if value ~= nil and not vim.tbl_contains(allowed, value) then
      error(("contexture: option %q: want %s, got %s"):format(name, table.concat(allowed, " or "), vim.inspect(value)), 0)
    end
  end
  for place, keys in pairs(options.keys or {}) do
    if type(keys) ~= "table" then
      error(("contexture: option \"keys.%s\": want table, got %s"):format(place, type(keys)), 0)
    end
  end
  chosen = vim.tbl_deep_extend("force", vim.deepcopy(defaults), options)
  named = options.cmd ~= nil
  if options.cmd then
    chosen.cmd = vim.deepcopy(options.cmd) -- a list is replaced, not merged
  end
end

--- The conversation of the option, or nil.
---@return string?
function M.conversation()
  local id = chosen.conversation
  if type(id) == "function" then
    id = id()
  end
  return id ~= "" and id or nil
end

---@return contexture.Options
function M.get()
  -- `contexture install` writes g:contexture_program into a file that may be read after setup() was called.
  if not named and type(vim.g.contexture_program) == "string" then
    chosen.cmd = { vim.g.contexture_program, "serve" }
  end
  return chosen
end

return M
