--- Reminders of earlier turns as virtual text, at the ends of lines or above them.
---
--- While one types they are hidden, and showing or hiding them never moves the line of the cursor on the screen.
local client = require("contexture.client")
local options = require("contexture.options")

local M = {}

local namespace = vim.api.nvim_create_namespace("contexture.ticklers")

-- What the person said by the command, "on" or "off"; "shown" once they have been told of it.
local function memory()
  return vim.fn.stdpath("state") .. "/contexture-reminders"
end

local function remembered()
  local ok, lines = pcall(vim.fn.readfile, memory(), "", 1)
  return ok and lines[1] or nil
end

local function remember(what)
  pcall(vim.fn.mkdir, vim.fn.fnamemodify(memory(), ":h"), "p")
  pcall(vim.fn.writefile, { what }, memory())
end

-- The option holds over what was said by the command.
local function is_on()
  local chosen = options.get().ticklers.virtual_text
  if chosen ~= nil then
    return chosen
  end
  return remembered() ~= "off"
end

-- Tells a new user once what these texts are.
local function introduce()
  if options.get().ticklers.virtual_text == nil and not remembered() then
    remember("shown")
    vim.notify("⟲ reminds of an earlier turn; :Contexture ticklers off hides them") -- fits |v:echospace| of 80 columns
  end
end

-- The row of the cursor's line in the current window, counted from the lines themselves: |winline()| may be that of the
-- last redrawing.
local function row()
  local top, cursor = vim.fn.line("w0") - 1, vim.fn.line(".") - 1
  local height = vim.api.nvim_win_text_height(0, { start_row = top, start_vcol = 0, end_row = cursor })
  return height.all + vim.fn.winsaveview().topfill
end

--- Changes virtual text of a buffer, and scrolls its windows by as many lines as have come or gone above their cursors.
---@param buffer integer
---@param change fun()
local function in_place(buffer, change)
  local rows = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    rows[window] = vim.api.nvim_win_call(window, row)
  end
  change()
  for window, before in pairs(rows) do
    vim.api.nvim_win_call(window, function()
      local moved = row() - before
      if moved ~= 0 then
        local margin = vim.wo.scrolloff
        vim.wo.scrolloff = 0 -- else scrolling would move the cursor itself
        vim.cmd("normal! " .. math.abs(moved) .. vim.keycode(moved > 0 and "<C-e>" or "<C-y>"))
        vim.wo.scrolloff = margin
      end
    end)
  end
end

local function typing()
  return vim.api.nvim_get_mode().mode:find("^[iR]") ~= nil
end

--- Asks for the reminders of a buffer and shows them.
---@param buffer integer
function M.refresh(buffer)
  local running = client.get()
  if not running or not vim.lsp.buf_is_attached(buffer, running.id) then
    return
  end
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  client.request("textDocument/codeLens", { textDocument = { uri = vim.uri_from_bufnr(buffer) } }, function(err, lenses)
    if err or not vim.api.nvim_buf_is_valid(buffer) or vim.api.nvim_buf_get_changedtick(buffer) ~= tick then
      return
    end
    if not typing() then
      M.draw(buffer, lenses or {})
      if lenses and #lenses > 0 then
        introduce()
      end
    end
  end)
end

-- The titles of lenses by line from 0.
local function by_line(buffer, lenses)
  local last, lines = vim.api.nvim_buf_line_count(buffer) - 1, {}
  for _, lens in ipairs(lenses) do
    local line = math.min(lens.range.start.line, last)
    lines[line] = lines[line] or {}
    table.insert(lines[line], "⟲ " .. lens.command.title)
  end
  return lines
end

-- A line above another begins where that one's text does.
local function indent_of(buffer, line)
  local text = vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] or ""
  return (" "):rep(vim.fn.strdisplaywidth(text:match("^%s*")))
end

--- Shows lenses, and only those.
---@param buffer integer
---@param lenses lsp.CodeLens[]
function M.draw(buffer, lenses)
  local above = options.get().ticklers.position == "above"
  in_place(buffer, function()
    vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    for line, titles in pairs(by_line(buffer, lenses)) do
      local text = table.concat(titles, "  ")
      if above and line > 0 then -- above the first line there is no room
        vim.api.nvim_buf_set_extmark(buffer, namespace, line, 0, {
          virt_lines = { { { indent_of(buffer, line) .. text, "ContextureTickler" } } },
          virt_lines_above = true,
        })
      else
        vim.api.nvim_buf_set_extmark(buffer, namespace, line, 0, {
          virt_text = { { "  " .. text, "ContextureTickler" } },
          hl_mode = "combine",
        })
      end
    end
  end)
end

--- Hides the reminders of a buffer until the next refresh. Lines above others stay as empty ones, so that no text moves.
---@param buffer integer
function M.hide(buffer)
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })) do
    if mark[4].virt_lines then
      vim.api.nvim_buf_set_extmark(buffer, namespace, mark[2], mark[3], {
        id = mark[1],
        virt_lines = { { { "", "ContextureTickler" } } },
        virt_lines_above = true,
      })
    else
      vim.api.nvim_buf_del_extmark(buffer, namespace, mark[1])
    end
  end
end

--- Switches the reminders on or off, or moves them: "on", "off", "eol" or "above". It stays so in the next Neovim, unless
--- the option says otherwise.
---@param what "on"|"off"|"eol"|"above"
function M.switch(what)
  local chosen = options.get().ticklers
  chosen.virtual_text = what ~= "off"
  remember(what == "off" and "off" or "on")
  if what == "eol" or what == "above" then
    chosen.position = what
  end
  M.follow()
end

--- Follows the buffers while they are on.
function M.follow()
  local group = vim.api.nvim_create_augroup("contexture.ticklers", { clear = true })
  if not is_on() then
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      in_place(buffer, function()
        vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
      end)
    end
    return
  end
  require("contexture.colors").follow()
  vim.api.nvim_create_autocmd({ "LspAttach", "BufEnter", "BufWritePost", "InsertLeave" }, {
    group = group,
    callback = function(event)
      M.refresh(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd("InsertEnter", {
    group = group,
    callback = function(event)
      M.hide(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd("User", {
    group = group,
    pattern = "ContextureMemory",
    callback = function()
      for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        M.refresh(vim.api.nvim_win_get_buf(window))
      end
    end,
  })
  M.refresh(vim.api.nvim_get_current_buf())
end

--- The reminders of the place under the cursor, to choose from; the chosen one's turn opens.
function M.pick()
  local running = client.get()
  local params = vim.lsp.util.make_position_params(0, running and running.offset_encoding or "utf-8")
  local args = { textDocument = params.textDocument, position = params.position }
  client.execute("contexture.ticklers", args, function(err, result)
    local float = require("contexture.float")
    if err then
      float.complain(err)
    elseif #result.ticklers == 0 then
      vim.notify("contexture: no reminders about the symbol at the cursor")
    else
      vim.ui.select(result.ticklers, {
        prompt = "Reminders",
        format_item = function(t)
          return ("%s %s  %s"):format(t.turnId, t.date, float.split(t.summary)[1])
        end,
      }, function(choice)
        if choice then
          require("contexture.turn").open(choice.conversationId, choice.turnId)
        end
      end)
    end
  end)
end

return M
