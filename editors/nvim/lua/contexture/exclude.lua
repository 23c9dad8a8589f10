--- Keeps files out of the index, by lines of the root's .contextureignore.
local client = require("contexture.client")
local float = require("contexture.float")
local folders = require("contexture.folders")

local M = {}

--- Returns the pattern that matches a path below the root, and nothing else.
---@param path string relative to the root
---@param folder boolean
---@return string
function M.pattern(path, folder)
  local escaped = path:gsub("[%*%?%[%]\\]", "\\%0"):gsub(" $", "\\ ")
  return "/" .. escaped:gsub("^/", ""):gsub("/$", "") .. (folder and "/" or "")
end

-- What a person types is a file or a folder that there is, or else a pattern.
local function meant(text)
  local path = vim.fn.fnamemodify(text, ":p")
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return text
  end
  return M.pattern(folders.relative(vim.uri_from_fname((path:gsub("/$", "")))), stat.type == "directory")
end

local function send(pattern, remove, options)
  client.execute("contexture.index.exclude", { pattern = pattern, remove = remove or nil, workspace = options.workspace }, function(err, result)
    if err then
      float.complain(err)
      return
    end
    vim.notify(("contexture: %s %s %s"):format(pattern, remove and "is no longer in" or "is now in", folders.relative(result.uri)))
    if options.done then
      options.done()
    end
  end)
end

---@class contexture.ExcludeOptions
---@field workspace? string URI of the root; default the person's
---@field done? fun() called when it is done

--- Adds a pattern, after the person has seen it.
---@param text string a path, or a pattern as in .gitignore; "" asks for one
---@param options? contexture.ExcludeOptions
function M.add(text, options)
  if text ~= "" then
    send(meant(text), false, options or {})
    return
  end
  M.ask(nil, options)
end

--- Asks for a pattern and adds it.
---@param pattern? string what to begin with
---@param options? contexture.ExcludeOptions
function M.ask(pattern, options)
  vim.ui.input({ prompt = "Keep out of the index: ", default = pattern }, function(answer)
    if answer and vim.trim(answer) ~= "" then
      send(vim.trim(answer), false, options or {})
    end
  end)
end

--- Takes a pattern back.
---@param pattern string as it stands in the file
---@param options? contexture.ExcludeOptions
function M.remove(pattern, options)
  send(pattern, true, options or {})
end

return M
