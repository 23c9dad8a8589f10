-- A spec of lazy.nvim. The plugin lies in a folder of the repository, which `init` puts onto the runtimepath; `build` makes
-- the program there, with Go and a C compiler. Without `build` the one in PATH is taken.
return {
  "contexture-dev/contexture",
  build = "go build -trimpath -ldflags=-s -o bin/contexture ./cmd/contexture",
  lazy = false, -- the plugin loads itself when it is used
  init = function(plugin)
    vim.opt.runtimepath:append(plugin.dir .. "/editors/nvim")
  end,
  config = function(plugin)
    local built = plugin.dir .. "/bin/contexture"
    vim.cmd.helptags({ plugin.dir .. "/editors/nvim/doc", mods = { emsg_silent = true } })
    require("contexture").setup({ cmd = { vim.fn.executable(built) == 1 and built or "contexture", "serve" } })
  end,
}
