--- A bundle in the forms that people paste: as it is sent, as Markdown with fenced code, or as XML with an element an
--- item. They are the same as on the page.
local render = require("contexture.render")

local M = {}

M.forms = { "text", "Markdown", "XML" }

-- Code between more backticks than it has in a row.
local function fenced(code, path)
  local longest = 2
  for run in code:gmatch("`+") do
    longest = math.max(longest, #run)
  end
  local fence = ("`"):rep(longest + 1)
  return ("%s%s\n%s\n%s"):format(fence, (path or ""):match("%.(%w+)$") or "", (code:gsub("\n$", "", 1)), fence)
end

local function escape(text)
  return (text:gsub('[&<>"]', { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

--- Returns a bundle in a form.
---@param bundle contexture.BundleResult with its text
---@param form "text"|"Markdown"|"XML"
---@return string
function M.write(bundle, form)
  if form == "text" then
    return bundle.text
  end
  local parts = {}
  for _, item in ipairs(bundle.items) do
    if item.span then
      local text, source = render.content(bundle.text, item.span), render.place(item)
      if form == "XML" then
        local attribute = source ~= "" and (' source="%s"'):format(escape(source)) or ""
        table.insert(parts, ('<item kind="%s"%s tokens="%d">\n%s\n</item>'):format(item.kind, attribute, item.tokens, escape(text)))
      else
        local body = render.is_code(item) and fenced(text, item.uri) or vim.trim(text)
        table.insert(parts, ("## %s\n\n%s\n"):format(source ~= "" and source or item.title, body))
      end
    end
  end
  if form == "XML" then
    return ('<context tokens="%d">\n%s\n</context>\n'):format(bundle.tokens, table.concat(parts, "\n"))
  end
  return table.concat(parts, "\n")
end

return M
