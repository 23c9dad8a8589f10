--- Search over code and memory: the query's filters, the request, and what pickers and the results buffer have in
--- common.
local client = require("contexture.client")
local folders = require("contexture.folders")
local listing = require("contexture.listing")

local M = {}

---@class contexture.Found a hit as pickers show it
---@field hit contexture.Hit
---@field where string path and line, or the turn
---@field title string one line
---@field path string? absolute path of the file
---@field line integer? from 1
---@field filetype string of the snippet
---@field spans? contexture.Spans syntax of the snippet, once it has arrived

-- Filters that a query may hold, as in "retry kind:code path:server/** lang:go mode:symbol".
local filters = {
  kind = "kinds",
  lang = "languages",
  path = "paths",
  mode = "mode",
}

--- Returns the arguments of a search, with the filters taken out of the query.
---@param query string
---@return contexture.SearchArgs
function M.arguments(query)
  local args, words = { limit = 50 }, {}
  for word in query:gmatch("%S+") do
    local name, value = word:match("^(%l+):(.+)$")
    local field = name and filters[name]
    if field == "mode" then
      args.mode = value
    elseif field then
      args[field] = args[field] or {}
      vim.list_extend(args[field], vim.split(value, ",", { trimempty = true }))
    else
      table.insert(words, word)
    end
  end
  args.query = table.concat(words, " ")
  return args
end

--- Returns a hit as pickers show it.
---@param hit contexture.Hit
---@return contexture.Found
function M.found(hit)
  local file = hit.uri and hit.uri:match("^file:") and vim.uri_to_fname(hit.uri)
  local line = file and hit.range and hit.range.start.line + 1
  local where
  if file then
    where = folders.relative(hit.uri) .. (line and ":" .. line or "")
  elseif hit.turnId and hit.turnId ~= "" and hit.conversationId then
    where = ("%s of %s"):format(hit.turnId, hit.conversationId)
  else
    where = hit.kind
  end
  return {
    hit = hit,
    where = where,
    title = listing.oneline(hit.title),
    path = file or nil,
    line = line or nil,
    filetype = file and vim.filetype.match({ filename = file }) or "markdown",
  }
end

--- Searches. Nothing is asked for a query without words.
---@param query string with filters
---@param use fun(list: contexture.Found[], err: lsp.ResponseError?)
---@return fun() cancel
function M.run(query, use)
  local args = M.arguments(query)
  if args.query == "" then
    use({})
    return function() end
  end
  return client.execute("contexture.search", args, function(err, result)
    use(result and vim.tbl_map(M.found, result.hits) or {}, err)
  end)
end

--- Opens what was found: the file at its line, or the turn, or else its text in a window.
---@param found contexture.Found
function M.go(found)
  if not require("contexture.jump").entry({
    uri = found.hit.uri,
    range = found.hit.range,
    conversation = found.hit.conversationId,
    turn = found.hit.turnId,
  }) then
    require("contexture.float").show(found.title, { found.hit.snippet }, "markdown")
  end
end

--- Opens the search: in the picker that is installed, else in a buffer.
---@param query string
---@param mods? table as |nvim_create_user_command()| gives them
function M.open(query, mods)
  local name, picker = require("contexture.pickers").choose()
  if picker then
    picker.open(query)
  elseif query ~= "" then
    require("contexture.place").open("search", query, mods)
  else
    vim.ui.input({ prompt = "Search: " }, function(text)
      if text and vim.trim(text) ~= "" then
        require("contexture.place").open("search", vim.trim(text), mods)
      end
    end)
  end
  return name
end

return M
