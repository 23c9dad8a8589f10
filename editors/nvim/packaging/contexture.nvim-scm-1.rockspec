rockspec_format = "3.0"
package = "contexture.nvim"
version = "scm-1"
source = {
  url = "git+https://github.com/contexture-dev/contexture.git",
  dir = "contexture/editors/nvim",
}
description = {
  summary = "The right context for an AI assistant, in Neovim",
  detailed = "Shows what Contexture finds for a prompt: code, documents and past conversations. Needs the program contexture.",
  homepage = "https://github.com/contexture-dev/contexture",
  license = "Apache-2.0",
  labels = { "neovim" },
}
dependencies = { "lua == 5.1" }
build = {
  type = "builtin", -- finds the modules in lua/
  copy_directories = { "doc", "lsp", "plugin" },
}
