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

---@class contexture.Context
---@field text string what a model gets besides the prompt; "" for nothing
---@field title string the prompt's beginning and what it costs

-- A bundle without the prompt, which the chat has itself, and without what the chat has been given before.
local function context_of(result, prompt, had)
  local cuts, items, tokens = {}, {}, 0
  for _, item in ipairs(result.items) do
    local span = item.span
    local text = span and result.text:sub(span.start + 1, span["end"])
    if item.kind == "prompt" or text and had(text) then
      table.insert(cuts, span)
    else
      table.insert(items, item)
      tokens = tokens + item.tokens
    end
  end
  table.sort(cuts, function(a, b)
    return a.start > b.start
  end)
  local text = result.text
  for _, span in ipairs(cuts) do
    text = text:sub(1, span.start) .. text:sub(span["end"] + 1)
  end
  if #items > 0 then
    require("contexture.receipts").note({ at = os.time(), prompt = prompt, items = items, tokens = tokens })
  end
  local short = vim.fn.strcharpart(vim.trim(prompt):gsub("%s+", " "), 0, 40)
  return {
    text = #items > 0 and vim.trim(text) or "",
    title = ("%s · %d item%s, %d tokens"):format(short, #items, #items == 1 and "" or "s", tokens),
  }
end

--- Asks for the context of a prompt that a chat sends, and calls back with an error or with the context.
---@param prompt string
---@param about { buffer?: integer, selection?: lsp.Range, budget?: integer, had?: fun(text: string): boolean }
---  the file that the chat is about, and whether the chat has been given a text
---@param callback fun(err: string?, context: contexture.Context?)
---@return fun() cancel
function M.context(prompt, about, callback)
  local buffer = about.buffer
  local args = { prompt = prompt, budget = about.budget, selection = about.selection }
  if buffer and vim.api.nvim_buf_is_valid(buffer) and vim.bo[buffer].buftype == "" and vim.api.nvim_buf_get_name(buffer) ~= "" then
    args.textDocument = { uri = vim.uri_from_bufnr(buffer) }
  else
    args.selection = nil
  end
  return client.execute("contexture.bundle", args, function(err, result)
    if err then
      callback(err.message)
      return
    end
    callback(nil, context_of(result, prompt, about.had or function() return false end))
  end)
end

--- As `context`, for a chat that takes nothing but an answer: a person who has sent a prompt waits for it, at most three
--- seconds. What goes wrong is shown.
---@return contexture.Context?
function M.wait(prompt, about)
  local err, context
  local cancel = M.context(prompt, about, function(...)
    err, context = ...
  end)
  vim.wait(3000, function()
    return err ~= nil or context ~= nil
  end, 10)
  if not context then
    cancel()
    vim.notify("contexture: no context: " .. (err or "there was no answer in time"), vim.log.levels.WARN)
  end
  return context
end

--- The JSON schema of a tool's arguments.
---@param of contexture.Tool
---@return table
function M.schema(of)
  local properties, required = {}, {}
  for name, property in vim.spairs(of.properties) do
    properties[name] = { type = property.type, description = property.description }
    if property.required then
      table.insert(required, name)
    end
  end
  return { type = "object", properties = properties, required = required }
end

return M
