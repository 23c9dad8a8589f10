---@brief
---
--- https://github.com/contexture-dev/contexture
---
--- Contexture gives AI assistants the right context: it indexes code and documents, remembers conversations, and answers
--- `workspace/executeCommand` with bundles that fit a token budget. Every file may be context, so that there are no
--- filetypes. The plugin in `editors/nvim` of the repository shows what it finds.
---@type vim.lsp.Config
return {
  cmd = { 'contexture', 'serve' },
  root_markers = { '.contexture.toml', '.git' },
  workspace_required = true,
}
