--- Two bundles next to each other in a tab page, in |diff-mode|.
local float = require("contexture.float")

local M = {}

local function show(text, title)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, float.split(text))
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = "contexture-bundle"
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo[0][0].winbar = " " .. title:gsub("%%", "%%%%") .. "%=q closes "
  vim.keymap.set("n", "q", "<Cmd>tabclose<CR>", { buffer = buffer, nowait = true, desc = "Contexture: Close the comparison" })
end

--- Shows a bundle's text in a tab page.
---@param bundle contexture.BundleResult
function M.text(bundle)
  vim.cmd("tab split")
  show(bundle.text, ("What the model gets, %d tokens"):format(bundle.tokens))
end

--- Shows what differs from an earlier bundle. |]c| and |[c| go from change to change.
---@param before { prompt: string, bundle: contexture.BundleResult }
---@param after { prompt: string, bundle: contexture.BundleResult }
function M.open(before, after)
  vim.cmd("tab split")
  show(before.bundle.text, ("Before: %s (%d tokens)"):format(before.prompt, before.bundle.tokens))
  vim.cmd.diffthis()
  vim.cmd("rightbelow vsplit")
  show(after.bundle.text, ("Now: %s (%d tokens)"):format(after.prompt, after.bundle.tokens))
  vim.cmd.diffthis()
end

return M
