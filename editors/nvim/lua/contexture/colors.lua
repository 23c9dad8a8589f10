--- The plugin's highlight groups. All are defaults: a colour scheme or a person may set them.
local M = {}

-- Of the layers in a bundle's budget, in their order. They differ in lightness too, and are readable on dark and light.
local layers = { "#4f8fd9", "#c29a2b", "#9a7fd6", "#d0803f", "#2fa39a", "#3b9fc4", "#5ba55b", "#8a8f98" }
local terminal = { 4, 3, 5, 1, 2, 6, 10, 8 } -- for terminals without 24-bit colours

--- Sets the groups.
function M.set()
  vim.api.nvim_set_hl(0, "ContextureMatch", { underline = true, default = true })
  vim.api.nvim_set_hl(0, "ContextureFolded", { default = true }) -- of the lines of closed folds: as other lines
  vim.api.nvim_set_hl(0, "ContextureTickler", { link = "Comment", default = true })
  for i, color in ipairs(layers) do
    vim.api.nvim_set_hl(0, "ContextureLayer" .. i - 1, { fg = color, ctermfg = terminal[i], default = true })
  end
end

--- Sets the groups now and after each change of the colour scheme, which removes them.
function M.follow()
  M.set()
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = vim.api.nvim_create_augroup("contexture.colors", { clear = true }),
    callback = M.set,
  })
end

return M
