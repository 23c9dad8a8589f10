--- What a person can do where the server gives no answer.
local M = {}

--- Codes that this plugin itself sets as the error's data.code, beside those of the contract.
M.stopped, M.unclear = "stopped", "unclear"

local by_code = {
  corrupt = "`contexture doctor` in a terminal says what is damaged and what to do.",
  notFound = ":Contexture conversations lists what is stored.",
  [M.stopped] = ":Contexture restart starts the server again; :checkhealth contexture says what is wrong.",
  [M.unclear] = "The server and this plugin may be of different versions: update both. :checkhealth contexture compares them.",
}

--- Returns what to do about an error, as a sentence.
---@param err lsp.ResponseError
---@return string
function M.of(err)
  local code = type(err.data) == "table" and err.data.code
  return by_code[code] or "R tries again; :checkhealth contexture says what is wrong."
end

--- Calls a function with an answer of the server. An answer that has not the form of the contract, as one from another
--- version, makes it fail: that is logged and returned as an error of its own.
---@param use fun(result: any)
---@param result any
---@return lsp.ResponseError?
function M.try(use, result)
  local ok, problem = xpcall(use, debug.traceback, result)
  if ok then
    return nil
  end
  require("vim.lsp.log").error("contexture: an answer was not understood: " .. problem)
  return { code = -32603, message = "the server's answer was not understood", data = { code = M.unclear } }
end

return M
