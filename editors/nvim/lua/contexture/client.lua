--- The language client: one for all folders of this Neovim.
local folders = require("contexture.folders")
local options = require("contexture.options")

local M = {}

local name = "contexture"

--- The client that runs, or nil.
---@return vim.lsp.Client?
function M.get()
  return vim.lsp.get_clients({ name = name })[1]
end

-- The ids of the clients that were told to stop. Neovim lists them until they have ended.
---@type table<integer, true>
local stopping = {}

--- Whether a client runs that nobody has stopped.
---@return boolean
function M.serves()
  local client = M.get()
  return client ~= nil and not stopping[client.id]
end

--- The client, even one that has not been greeted yet, which Neovim lists only where this is asked for; or nil.
---@return vim.lsp.Client?
local function begun()
  return vim.lsp.get_clients({ name = name, _uninitialized = true })[1]
end

--- Calls a function of a client, which became a method in Neovim 0.11.
local function call(client, method, ...)
  if vim.fn.has("nvim-0.11") == 1 then
    return client[method](client, ...)
  end
  return client[method](...)
end

--- Tells a client of a folder that it does not have yet, so that one client serves all.
local function add_folder(client, root)
  if not root then
    return
  end
  local uri = vim.uri_from_fname(root)
  for _, folder in ipairs(client.workspace_folders or {}) do
    if folder.uri == uri then
      return
    end
  end
  local folder = { uri = uri, name = vim.fs.basename(root) }
  client.workspace_folders = client.workspace_folders or {}
  table.insert(client.workspace_folders, folder)
  call(client, "notify", "workspace/didChangeWorkspaceFolders", { event = { added = { folder }, removed = {} } })
end

local function reuse(client, config)
  if client.name ~= name or client:is_stopped() then
    return false
  end
  add_folder(client, config.root_dir)
  return true
end

-- In 0.10 a client's functions are plain ones.
if vim.fn.has("nvim-0.11") == 0 then
  reuse = function(client, config)
    if client.name ~= name or client.is_stopped() then
      return false
    end
    add_folder(client, config.root_dir)
    return true
  end
end

--- What |vim.lsp.config()| and |vim.lsp.start()| take.
---@return vim.lsp.ClientConfig
function M.config()
  local chosen = options.get()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities = vim.tbl_deep_extend("force", capabilities, { general = { positionEncodings = { "utf-8", "utf-16" } } })
  return {
    name = name,
    cmd = vim.deepcopy(chosen.cmd),
    root_dir = function(buffer, use)
      use(folders.root(buffer))
    end,
    reuse_client = reuse,
    capabilities = capabilities,
    init_options = vim.empty_dict(),
    settings = { contexture = next(chosen.settings) and vim.deepcopy(chosen.settings) or vim.empty_dict() },
    handlers = {
      ["contexture/status"] = function(_, status)
        require("contexture.status").set(status)
      end,
      ["contexture/learning"] = function(_, learning)
        require("contexture.status").set_learning(learning)
      end,
      ["contexture/memory"] = function()
        vim.api.nvim_exec_autocmds("User", { pattern = "ContextureMemory", modeline = false })
      end,
    },
    commands = {
      ["contexture.conversation.turn"] = function(lens)
        local args = lens.arguments[1]
        require("contexture.turn").open(args.conversationId, args.turnId)
      end,
    },
    on_exit = function(code, signal)
      vim.schedule(function()
        require("contexture.status").set(nil, code ~= 0 or signal ~= 0)
      end)
    end,
  }
end

-- What begins with a client, however it was started.
local followed
vim.api.nvim_create_autocmd("LspAttach", {
  group = vim.api.nvim_create_augroup("contexture.attached", { clear = true }),
  callback = function(event)
    local attached = vim.lsp.get_client_by_id(event.data.client_id)
    if attached and attached.name == name and followed ~= attached.id then
      followed = attached.id
      require("contexture.ticklers").follow()
    end
  end,
})

--- Starts the client for a buffer, or attaches the one that runs.
---@param buffer? integer
---@return integer? id
function M.start(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local config = M.config()
  if vim.fn.executable(config.cmd[1]) == 0 then
    vim.notify(
      ("contexture: the program %q was not found; install it, or name it by setup({ cmd = { … } })"):format(config.cmd[1]),
      vim.log.levels.ERROR
    )
    return nil
  end
  config.root_dir = folders.root(buffer)
  return vim.lsp.start(config, { bufnr = buffer, reuse_client = reuse })
end

--- For Neovim 0.10, which has no |vim.lsp.enable()|: starts the client when a file is opened.
function M.attach_on_open()
  local group = vim.api.nvim_create_augroup("contexture", { clear = true })
  local missing = false
  local function attach(buffer)
    local file = vim.api.nvim_buf_get_name(buffer)
    if missing or vim.bo[buffer].buftype ~= "" or file == "" or file:match("^%a[%w+.-]*://") then
      return
    end
    missing = M.start(buffer) == nil -- said once is enough
  end
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
    group = group,
    callback = function(event)
      attach(event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      attach(buffer)
    end
  end
end

-- The error of a request that has no server.
local function gone(message)
  return { code = -32803, message = message, data = { code = require("contexture.advice").stopped } }
end

--- Sends a request once there is a client, which is started when there is none.
---@param method string
---@param params table
---@param callback fun(err: lsp.ResponseError?, result: any)
---@return fun() cancel
function M.request(method, params, callback)
  local cancelled, id = false, nil
  local client = M.get() or begun()
  if not client then
    local started = M.start()
    client = started and vim.lsp.get_client_by_id(started)
  end
  if not client then
    callback(gone("contexture is not running"), nil)
    return function() end
  end
  local function send()
    if cancelled then
      return
    end
    local ok
    ok, id = call(client, "request", method, params, function(err, result)
      if not cancelled then
        callback(err, result)
      end
    end)
    if not ok then
      callback(gone("contexture has stopped"), nil)
    end
  end
  if client.initialized then
    send()
  else
    local timer = assert(vim.uv.new_timer())
    local tries = 0
    timer:start(10, 20, function()
      tries = tries + 1
      local ended = client.rpc.is_closing()
      if client.initialized or cancelled or ended or tries > 500 then
        timer:stop()
        timer:close()
        vim.schedule(function()
          if not client.initialized and not cancelled then
            callback(gone(ended and "contexture ended while it was starting" or "contexture did not start within 10 s"), nil)
            return
          end
          send()
        end)
      end
    end)
  end
  return function()
    if not cancelled then
      cancelled = true
      if id then
        call(client, "cancel_request", id)
      end
    end
  end
end

--- Executes a command of the contract.
---@param command string
---@param args table
---@param callback fun(err: lsp.ResponseError?, result: any)
---@return fun() cancel
function M.execute(command, args, callback)
  if not args.workspace then
    args = vim.tbl_extend("force", args, { workspace = folders.meant(args) })
  end
  if next(args) == nil then
    args = vim.empty_dict()
  end
  return M.request("workspace/executeCommand", { command = command, arguments = { args } }, callback)
end

--- Changes settings of the server while it runs.
---@param changes table nested as in |contexture-settings|
function M.change_settings(changes)
  local chosen = options.get()
  chosen.settings = vim.tbl_deep_extend("force", chosen.settings, changes)
  local client = M.get()
  if client then
    client.settings = { contexture = chosen.settings }
    call(client, "notify", "workspace/didChangeConfiguration", { settings = client.settings })
  end
end

local function stop(client)
  stopping[client.id] = true
  call(client, "stop")
end

--- Stops the client.
function M.stop()
  local client = M.get()
  if client then
    stop(client)
  end
end

--- Stops the client and starts it again for the buffers that it had.
function M.restart()
  local client = M.get()
  if not client then
    M.start()
    return
  end
  local buffers = vim.tbl_keys(client.attached_buffers or {})
  stop(client)
  local timer = assert(vim.uv.new_timer())
  timer:start(
    50,
    50,
    vim.schedule_wrap(function()
      if M.get() or timer:is_closing() then
        return
      end
      timer:stop()
      timer:close()
      for _, buffer in ipairs(buffers) do
        if vim.api.nvim_buf_is_valid(buffer) then
          M.start(buffer)
        end
      end
    end)
  )
end

return M
