--- Goes from an entry to the file or the turn that it names.
local M = {}

-- A window of the tab page for a file: the current one, the one that the person came from, or any that shows a file.
local function window_for_file()
  local candidates = { vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#")) }
  vim.list_extend(candidates, vim.api.nvim_tabpage_list_wins(0))
  for _, window in ipairs(candidates) do
    if window ~= 0 and vim.api.nvim_win_get_config(window).relative == "" and not vim.wo[window].previewwindow then
      local buffer = vim.api.nvim_win_get_buf(window)
      if vim.bo[buffer].buftype == "" then
        return window
      end
    end
  end
end

--- Opens a file at a line, in a window that shows files; one is made where there is none.
---@param path string
---@param line? integer from 1
function M.file(path, line)
  local window = window_for_file()
  if window then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd("aboveleft split")
  end
  vim.cmd("normal! m'")
  vim.cmd.edit(vim.fn.fnameescape(vim.fn.fnamemodify(path, ":."))) -- as one would have typed it
  if line then
    vim.api.nvim_win_set_cursor(0, { math.min(line, vim.api.nvim_buf_line_count(0)), 0 })
    vim.cmd("normal! zvzz")
  end
end

--- Opens the file of an entry, or else its turn.
---@param entry contexture.Entry?
---@return boolean opened whether the entry names either
function M.entry(entry)
  if entry and entry.uri and entry.uri:match("^file:") then
    M.file(vim.uri_to_fname(entry.uri), entry.range and entry.range.start.line + 1)
    return true
  elseif entry and entry.turn and entry.turn ~= "" and entry.conversation then
    require("contexture.turn").open(entry.conversation, entry.turn)
    return true
  end
  return false
end

--- Returns the path of a file that the server names below a workspace's root.
---@param path string
---@param workspace? string URI of the root; default the first folder that is served
---@return string
function M.below(path, workspace)
  local found = require("contexture.client").get()
  local root = workspace or found and found.workspace_folders and found.workspace_folders[1] and found.workspace_folders[1].uri
  return root and vim.fs.joinpath(vim.uri_to_fname(root), path) or path
end

--- Puts entries that name files into the quickfix list and opens it.
---@param title string
---@param entries { uri: string?, range: contexture.Range?, title: string? }[]
function M.quickfix(title, entries)
  local list = {}
  for _, entry in ipairs(entries) do
    if entry.uri and entry.uri:match("^file:") then
      table.insert(list, {
        filename = vim.uri_to_fname(entry.uri),
        lnum = entry.range and entry.range.start.line + 1 or 1,
        end_lnum = entry.range and entry.range["end"].line + 1 or nil,
        col = 1,
        text = require("contexture.listing").oneline(entry.title or ""),
      })
    end
  end
  if #list == 0 then
    vim.notify("contexture: nothing here names a file")
    return
  end
  vim.fn.setqflist({}, " ", { title = title, items = list })
  vim.cmd("botright copen")
end

return M
