-- For `vim.lsp.enable("contexture")`, from Neovim 0.11 on. It has no filetypes: every file may be context.
return require("contexture.client").config()
