--- Reminders of earlier turns at the ends of lines. Off by default: option `ticklers.virtual_text`.
local client = require("contexture.client")
local options = require("contexture.options")

local M = {}

local namespace = vim.api.nvim_create_namespace("contexture.ticklers")

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
    M.draw(buffer, lenses or {})
  end)
end

--- Shows lenses, and only those, at the ends of their lines.
---@param buffer integer
---@param lenses lsp.CodeLens[]
function M.draw(buffer, lenses)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  for _, lens in ipairs(lenses) do
    local line = math.min(lens.range.start.line, last)
    vim.api.nvim_buf_set_extmark(buffer, namespace, line, 0, {
      virt_text = { { "  ⟲ " .. lens.command.title, "ContextureTickler" } },
      hl_mode = "combine",
    })
  end
end

--- Switches the reminders on or off.
---@param on boolean
function M.toggle(on)
  options.get().ticklers.virtual_text = on
  M.follow()
end

--- Follows the buffers while the option is on.
function M.follow()
  local group = vim.api.nvim_create_augroup("contexture.ticklers", { clear = true })
  if not options.get().ticklers.virtual_text then
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    end
    return
  end
  vim.api.nvim_set_hl(0, "ContextureTickler", { link = "Comment", default = true })
  vim.api.nvim_create_autocmd({ "LspAttach", "BufEnter", "BufWritePost", "InsertLeave" }, {
    group = group,
    callback = function(event)
      M.refresh(event.buf)
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
