--- What assistants inside Neovim may call, told apart from how each of them takes it.
local client = require("contexture.client")

local M = {}

---@class contexture.Tool
---@field name string
---@field description string
---@field properties table<string, { type: string, description: string, required?: boolean }>
---@field run fun(args: table, callback: fun(err: string?, text: string?))

local function text_of(result)
  local text = result.text or ""
  for _, lack in ipairs(result.degraded or {}) do
    text = ("%s\n(%s: %s)"):format(text, lack.stage, lack.reason)
  end
  return text
end

local function tool(command, name, description, properties, show)
  return {
    name = name,
    description = description,
    properties = properties,
    run = function(args, callback)
      client.execute(command, args, function(err, result)
        if err then
          callback(err.message, nil)
        else
          callback(nil, (show or text_of)(result))
        end
      end)
    end,
  }
end

---@type contexture.Tool[]
M.list = {
  tool("contexture.bundle", "contexture_bundle", "The context for a prompt: code, documents, rules and memory of this workspace, within a token budget.", {
    prompt = { type = "string", description = "what is asked, in full", required = true },
    budget = { type = "integer", description = "tokens that the text may take, from 256; 12000 when absent" },
  }),
  tool("contexture.search", "contexture_search", "Ranked places of the workspace's code and memory for words, an identifier, a path or an error message.", {
    query = { type = "string", description = "what to look for", required = true },
    limit = { type = "integer", description = "number of hits, up to 200" },
  }, function(result)
    local lines = {}
    for _, hit in ipairs(result.hits) do
      local line = hit.range and (":" .. hit.range.start.line + 1) or ""
      local where = hit.uri and (hit.uri:match("^file:") and vim.uri_to_fname(hit.uri) or hit.uri) .. line or hit.kind
      table.insert(lines, ("%s  %s\n%s"):format(where, hit.title, hit.snippet))
    end
    return table.concat(lines, "\n\n")
  end),
  tool("contexture.recall", "contexture_recall", "What earlier conversations decided, learned or said about something.", {
    query = { type = "string", description = "what to remember", required = true },
    budget = { type = "integer", description = "tokens that the text may take, from 64; 2000 when absent" },
  }),
}

return M
