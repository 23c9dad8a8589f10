--- Which folder a file, a command or the person is in.
local M = {}

local markers = { ".git", ".contexture.toml" }

-- The buffer of the last file that a command was given in: the plugin's own windows are in no folder.
local last

local function served()
  local running = vim.lsp.get_clients({ name = "contexture", _uninitialized = true })[1]
  return running and running.workspace_folders or {}
end

-- The folder that holds a file, the innermost one, and the file's path below it.
local function holding(path)
  local found, below
  for _, folder in ipairs(served()) do
    local top = vim.uri_to_fname(folder.uri) .. "/"
    if vim.startswith(path, top) and (not below or #path - #top < #below) then
      found, below = folder, path:sub(#top + 1)
    end
  end
  return found, below
end

--- The folder to serve for a buffer: its file's repository, else where Neovim works, if the file is below. A home folder
--- or the whole disk is not a workspace.
---@param buffer integer
---@return string? folder
function M.root(buffer)
  local found = vim.fs.root(buffer, markers)
  if found then
    return found
  end
  local here, file = vim.fn.getcwd(), vim.api.nvim_buf_get_name(buffer)
  local below = vim.bo[buffer].buftype ~= "" or file == "" or vim.startswith(file, here .. "/")
  if below and here ~= "/" and here ~= vim.uv.os_homedir() then
    return here
  end
  return nil
end

--- The URI of the folder that holds a buffer's file, of several, or nil: the server knows with one.
---@param buffer? integer
---@return string? uri
function M.of(buffer)
  if #served() < 2 or not buffer or not vim.api.nvim_buf_is_valid(buffer) then
    return nil
  end
  local folder = holding(vim.api.nvim_buf_get_name(buffer))
  return folder and folder.uri
end

--- The path of a file's URI below the folder that holds it, else as short as it goes from here.
---@param uri string
---@return string
function M.relative(uri)
  local path = vim.uri_to_fname(uri)
  local _, below = holding(path)
  return below or vim.fn.fnamemodify(path, ":~:.")
end

--- Notes where the person is, before a window of the plugin's own opens.
function M.look()
  local file = vim.api.nvim_buf_get_name(0)
  if vim.bo.buftype == "" and file ~= "" then
    last = vim.api.nvim_get_current_buf()
  end
end

--- The URI of the folder that a command without a document is meant for, also where it is the only one; "" before there
--- is one.
---@return string uri
function M.current()
  local first = served()[1]
  return M.meant({}) or first and first.uri or ""
end

--- The URI of the folder that a command is meant for: that of its document, of the place that one is in, else the
--- person's. With fewer than two folders there is nothing to say, and the server knows.
---@param args table
---@return string? uri
function M.meant(args)
  M.look()
  local all = served()
  if #all < 2 then
    return nil
  end
  local file = args.textDocument and vim.uri_to_fname(args.textDocument.uri)
  local place = not file and package.loaded["contexture.place"] and require("contexture.place").get()
  if place and place.workspace then
    return place.workspace
  end
  if not file and last and vim.api.nvim_buf_is_valid(last) then
    file = vim.api.nvim_buf_get_name(last)
  end
  return ((file and holding(file)) or all[1]).uri
end

return M
