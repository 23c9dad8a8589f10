-- What is handed to Neovim's catalogues, read as its users would.
local kit = dofile(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)) .. "/kit.lua")
local packaging = kit.plugin .. "/packaging/"
local repository = vim.fs.dirname(vim.fs.dirname(kit.plugin))

-- `contexture` in PATH, with a state directory of its own and nothing that stays.
local path = vim.fn.tempname()
vim.fn.mkdir(path, "p")
vim.fn.writefile({ "#!/bin/sh", ('exec "%s" "$@" --daemon=off --offline --state-dir "%s/state"'):format(kit.program, path) }, path .. "/contexture")
assert(vim.uv.fs_chmod(path .. "/contexture", 493)) -- 0755
vim.env.PATH = path .. ":" .. vim.env.PATH

kit.it("nvim-lspconfig's entry runs the server in the folder of the file", function()
  local root = kit.workspace(kit.files)
  local entry = dofile(packaging .. "lspconfig.lua")
  vim.cmd.edit(root .. "/retry.go")
  if vim.lsp.config then
    vim.lsp.config("contexture", entry)
    vim.lsp.enable("contexture")
    vim.cmd.edit()
  else -- nvim-lspconfig's own way in 0.10
    vim.lsp.start({ name = "contexture", cmd = entry.cmd, root_dir = vim.fs.root(0, entry.root_markers) })
  end
  kit.wait("the server", function()
    local client = vim.lsp.get_clients({ name = "contexture" })[1]
    return client and client.initialized
  end)
  local client = vim.lsp.get_clients({ name = "contexture" })[1]
  kit.eq(client.config.root_dir, root)
  local text
  kit.wait("code", function()
    local answer = vim.fn.has("nvim-0.11") == 1
        and client:request_sync("workspace/executeCommand", { command = "contexture.bundle", arguments = { { prompt = "where are payments retried?" } } }, 10000)
      or client.request_sync("workspace/executeCommand", { command = "contexture.bundle", arguments = { { prompt = "where are payments retried?" } } }, 10000)
    text = answer and answer.result and answer.result.text or ""
    return text:find("func retryPayment", 1, true)
  end)
  if vim.lsp.enable then
    vim.lsp.enable("contexture", false)
  end
  vim.lsp.stop_client(vim.lsp.get_clients({ name = "contexture" }), true)
end)

kit.it("lazy.nvim's spec loads the plugin and takes the program that it builds", function()
  local spec = dofile(packaging .. "lazy.lua")
  local output, package = spec.build:match("%-o (%S+) (%S+)$")
  kit.eq(vim.fn.isdirectory(repository .. "/" .. package), 1)
  local plugin = { dir = repository }
  spec.init(plugin)
  spec.config(plugin)
  kit.eq(vim.fn.executable(repository .. "/" .. output), 1)
  kit.eq(require("contexture.options").get().cmd, { repository .. "/" .. output, "serve" })
  vim.cmd.runtime("plugin/contexture.lua")
  kit.eq(vim.fn.exists(":Contexture"), 2)
end)

kit.it("LuaRocks installs a plugin that Neovim loads", function()
  local tree = vim.fn.tempname()
  local made = vim.system({ "luarocks", "--lua-version", "5.1", "--tree", tree, "make", packaging .. "contexture.nvim-scm-1.rockspec" }, { cwd = kit.plugin }):wait(60000)
  assert(made.code == 0, made.stdout .. made.stderr)
  -- As rocks.nvim does: the rock's folder on the runtimepath, its modules in package.path.
  local rock = tree .. "/lib/luarocks/rocks-5.1/contexture.nvim/scm-1"
  local modules = tree .. "/share/lua/5.1/"
  local ran = vim
    .system({
      vim.v.progpath, "--clean", "--headless",
      "--cmd", ("lua package.path = '%s?.lua;%s?/init.lua;' .. package.path"):format(modules, modules),
      "--cmd", "set rtp^=" .. rock,
      "+lua require('contexture').setup() io.write(vim.fn.exists(':Contexture'), ' ', #vim.api.nvim_get_runtime_file('doc/contexture.txt', false))",
      "+qa",
    })
    :wait(10000)
  kit.eq(ran.stdout .. ran.stderr, "2 1")
end)

kit.finish()
