--- Colours of code from the server's own parsers, so that the same languages are coloured as are indexed, and no parser
--- has to be installed.
local client = require("contexture.client")

local M = {}

---@alias contexture.Spans { start: integer, end: integer, kind: string }[] bytes of a text, in order

-- The groups that Neovim's own highlighting links to.
local groups = {
  keyword = "@keyword",
  string = "@string",
  number = "@number",
  comment = "@comment",
  type = "@type",
  ["function"] = "@function",
  property = "@property",
  constant = "@constant",
  variable = "@variable",
  operator = "@operator",
  tag = "@tag",
  attribute = "@attribute",
  heading = "@markup.heading",
  link = "@markup.link",
}

--- Returns the highlight group of a kind of span, or nil.
---@param kind string
---@return string?
function M.group(kind)
  return groups[kind]
end

--- Asks for the spans of texts. It does nothing where the server is too old to know them.
---@param texts { path: string?, language: string?, text: string }[]
---@param use fun(spans: contexture.Spans[]) in the order of the texts
---@return fun() cancel
function M.ask(texts, use)
  local running = client.get()
  local commands = vim.tbl_get(running or {}, "server_capabilities", "executeCommandProvider", "commands") or {}
  if #texts == 0 or not vim.tbl_contains(commands, "contexture.syntax") then
    return function() end
  end
  return client.execute("contexture.syntax", { texts = texts }, function(err, result)
    if not err then -- the text is readable without colours
      use(vim.tbl_map(function(text)
        return text.spans
      end, result.texts))
    end
  end)
end

return M
