--- For |:checkhealth| contexture.
local M = {}

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
  if done.code ~= 0 or not ok then
    vim.health.error(("%s does not tell its version"):format(path), { vim.trim(done.stderr or "") })
    return
  end
  vim.health.ok(("%s, version %s"):format(path, version.version))
  local contract = require("contexture.contract").version
  if version.contract and version.contract ~= contract then
    vim.health.warn(("the program speaks contract version %s, this plugin %d"):format(version.contract, contract))
  end
end

function M.check()
  vim.health.start("contexture")
  if vim.fn.has("nvim-0.10") == 1 then
    vim.health.ok("Neovim " .. tostring(vim.version()))
  else
    vim.health.error("Neovim 0.10 or newer is needed")
    return
  end
  program(require("contexture.options").get().cmd)
  local picker = require("contexture.pickers").choose()
  local wanted = require("contexture.options").get().picker
  if wanted and wanted ~= picker then
    vim.health.warn(("the option \"picker\" names %s, which is not installed; searches open in a buffer"):format(wanted))
  else
    vim.health.ok("searches open in " .. (picker == "buffer" and "a buffer" or picker))
  end
  local capture = package.loaded["contexture.capture"]
  if capture and capture.problem() then
    vim.health.warn("a conversation was not brought in whole: " .. capture.problem())
  end
  local client = require("contexture.client").get()
  if not client then
    vim.health.info("the client is not running: open a file, or see :help contexture-start")
    return
  end
  local folders = #(client.workspace_folders or {})
  vim.health.ok(("the client runs (id %d), with %d folder%s"):format(client.id, folders, folders == 1 and "" or "s"))
  local status = require("contexture.status").get()
  if status then
    for _, line in ipairs(require("contexture.status").lines(status)) do
      vim.health.info(line)
    end
  end
  vim.health.info("more: contexture doctor, on the command line")
end

return M
