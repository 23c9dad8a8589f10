--- Contexture: the right context for an AI assistant. See |contexture|.
local M = {}

-- The events that the chats of other plugins fire.
local events = {
  codecompanion = {
    "CodeCompanionChatCreated",
    "CodeCompanionChatSubmitted",
    "CodeCompanionChatDone",
    "CodeCompanionChatCleared",
    "CodeCompanionChatClosed",
  },
  avante = { "AvanteViewBufferUpdated" },
}

-- Listens to the chats whose conversations the person wants to be remembered. Only their first event loads more.
local function listen()
  local group = vim.api.nvim_create_augroup("contexture.capture", { clear = true })
  local since = os.date("%Y-%m-%d %H:%M:%S")
  for source, on in pairs(require("contexture.options").get().capture) do
    if on then
      vim.api.nvim_create_autocmd("User", {
        group = group,
        pattern = events[source],
        callback = function(event)
          require("contexture.capture").take(source, event, since)
        end,
      })
    end
  end
end

--- Takes options and starts the client for files that are opened from now on. Calling it is optional from Neovim 0.11
--- on, where `vim.lsp.enable("contexture")` starts the client with the defaults.
---@param options? contexture.Options
function M.setup(options)
  require("contexture.options").set(options)
  local client = require("contexture.client")
  if vim.lsp.enable then
    vim.lsp.config("contexture", client.config())
    vim.lsp.enable("contexture")
  else
    client.attach_on_open()
  end
  if client.get() then
    require("contexture.ticklers").follow() -- the option may have changed
  end
  listen()
end

--- Executes a command of the contract, such as "contexture.bundle". It never waits: callback gets an error or a result.
---@param command string
---@param args table
---@param callback fun(err: lsp.ResponseError?, result: any)
---@return fun() cancel
function M.execute(command, args, callback)
  return require("contexture.client").execute(command, args, callback)
end

--- The functions of the contract, one a command: `contract():bundle({ prompt = "…" }, callback)`.
---@return contexture.Contract
function M.contract()
  return require("contexture.contract").new(M.execute)
end

--- A short text for a statusline: "" while there is no client. It only reads what the server has told.
---@return string
function M.statusline()
  local status = package.loaded["contexture.status"]
  return status and status.text() or ""
end

return M
