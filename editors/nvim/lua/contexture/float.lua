--- Floating windows that show text.
local options = require("contexture.options")

local M = {}

--- The place of a window in the middle of the screen.
---@param lines integer wanted
---@return table
function M.place(lines)
  local chosen = options.get().panel
  local least = vim.o.columns <= 80 and 76 or 40 -- of a small screen all
  local width = math.max(least, math.floor(vim.o.columns * (chosen.width or 0.8)))
  local most = math.max(6, math.floor((vim.o.lines - vim.o.cmdheight - 2) * (chosen.height or 0.8)))
  width = math.min(width, vim.o.columns - 4)
  local height = math.min(math.max(lines, 3), most)
  return {
    relative = "editor",
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2)),
    style = "minimal",
    border = chosen.border or "rounded",
  }
end

--- Writes text into the border of a place, if it has one.
---@param place table
---@param side "title"|"footer"
---@param text string
---@return table place
function M.frame(place, side, text)
  if place.border ~= "none" then
    -- Keys are no heading, and have the border's own colours.
    place[side] = { { " " .. text .. " ", side == "title" and "FloatTitle" or "FloatBorder" } }
    place[side .. "_pos"] = "center"
  end
  return place
end

--- Text that came from elsewhere as lines that a buffer takes.
---@param text string
---@return string[]
function M.split(text)
  return vim.split(text:gsub("\r\n?", "\n"):gsub("%z", "␀"), "\n", { plain = true })
end

--- Shows lines in a window that "q" or <Esc> closes.
---@param title string
---@param lines string[]
---@param filetype? string
---@return integer buffer
---@return integer window
function M.show(title, lines, filetype)
  local buffer = vim.api.nvim_create_buf(false, true)
  local flat = {}
  for _, line in ipairs(lines) do
    vim.list_extend(flat, M.split(line))
  end
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, flat)
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].modifiable = false
  if filetype then
    vim.bo[buffer].filetype = filetype
  end
  local place = M.frame(M.place(#flat), "title", M.split(title)[1])
  local window = vim.api.nvim_open_win(buffer, true, place)
  vim.wo[window].wrap = true
  vim.wo[window].linebreak = true
  local wrapped = M.place(vim.api.nvim_win_text_height(window, {}).all)
  vim.api.nvim_win_set_config(window, { relative = "editor", row = wrapped.row, col = wrapped.col, height = wrapped.height })
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, function()
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_close(window, true)
      end
    end, { buffer = buffer, nowait = true, desc = "Close" })
  end
  return buffer, window
end

--- Tells of an error of a request. What was cancelled is none.
---@param err lsp.ResponseError
function M.complain(err)
  if err.code == -32800 then
    return
  end
  local hint = type(err.data) == "table" and err.data.field and (" (%s)"):format(err.data.field) or ""
  vim.notify("contexture: " .. err.message .. hint, vim.log.levels.ERROR)
end

return M
