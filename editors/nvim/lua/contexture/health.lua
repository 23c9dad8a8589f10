--- For |:checkhealth| contexture.
local M = {}

-- The program, and whether it and the plugin speak the same contract: one line.
local function program(cmd)
  local path = vim.fn.exepath(cmd[1])
  if path == "" then
    vim.health.error(("the program %q was not found"):format(cmd[1]), {
      "Put contexture into a folder of PATH,",
      "or name it: require('contexture').setup({ cmd = { '/path/to/contexture', 'serve' } })",
    })
    return
  end
  local done = vim.system({ path, "version", "--json" }, { text = true }):wait(5000)
  local ok, version = pcall(vim.json.decode, done.stdout or "")
  local contract = require("contexture.contract").version
  if done.code ~= 0 or not ok then
    vim.health.error(("%s does not tell its version"):format(path), { vim.trim(done.stderr or "") })
  elseif version.contract and version.contract ~= contract then
    vim.health.warn(("%s speaks contract version %s, this plugin %d"):format(path, version.contract, contract))
  else
    vim.health.ok(("%s, version %s"):format(path, version.version))
  end
end

-- The client and the index: one line.
local function index()
  local client = require("contexture.client").get()
  if not client then
    vim.health.info("the client is not running: open a file, or see :help contexture-start")
    return
  end
  local folders = #(client.workspace_folders or {})
  local runs = ("the client runs with %d folder%s"):format(folders, folders == 1 and "" or "s")
  local status = require("contexture.status").get()
  if status then
    runs = ("%s; index: %s, %d of %d files"):format(runs, status.state, status.files, status.filesTotal)
  end
  if status and status.state == "error" then
    vim.health.error(runs, { ":Contexture index shows the faults" })
  else
    vim.health.ok(runs)
  end
  if status and status.embedder.problem then
    vim.health.warn("the model server: " .. status.embedder.problem)
  end
end

--- What is well takes a line each; the rest, what is not, and what to do about it.
function M.check()
  vim.health.start("contexture")
  if vim.fn.has("nvim-0.10") == 0 then
    vim.health.error("Neovim 0.10 or newer is needed")
    return
  end
  program(require("contexture.options").get().cmd)
  index()
  local wanted = require("contexture.options").get().picker
  if wanted and wanted ~= require("contexture.pickers").choose() then
    vim.health.warn(("the option \"picker\" names %s, which is not installed; searches open in a buffer"):format(wanted))
  end
  local capture = package.loaded["contexture.capture"]
  if capture and capture.problem() then
    vim.health.warn("a conversation was not brought in whole: " .. capture.problem())
  end
end

return M
