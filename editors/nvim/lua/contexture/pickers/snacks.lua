--- Search in the picker of snacks.nvim: as one types, with preview. <C-q> sends the hits to the quickfix list, as in all
--- its pickers.
local search = require("contexture.search")

local M = {}

local function item_of(found)
  return {
    text = found.where .. " " .. found.title,
    found = found,
    file = found.path,
    pos = found.path and { found.line or 1, 0 } or nil,
    preview = not found.path and { text = found.hit.snippet, ft = found.filetype, loc = false } or nil,
  }
end

-- Runs in a coroutine of the picker's own, which is suspended until the server has answered.
local function finder(_, ctx)
  return function(add)
    local async, list, answered, waiting = ctx.async, {}, false, false
    local cancel = function() end
    async:on("abort", vim.schedule_wrap(function()
      cancel()
    end))
    vim.schedule(function()
      cancel = search.run(ctx.filter.search, function(found)
        list, answered = found, true
        if waiting then
          async:resume()
        end
      end)
    end)
    if not answered then
      waiting = true
      async:suspend()
    end
    for _, found in ipairs(list) do
      add(item_of(found))
    end
  end
end

---@param query string
function M.open(query)
  local snacks = require("snacks")
  snacks.picker.pick({
    source = "contexture",
    title = "Contexture",
    live = true,
    search = query,
    finder = finder,
    format = function(item)
      return { { item.found.where, item.file and "SnacksPickerFile" or "SnacksPickerComment" }, { "  " .. item.found.title } }
    end,
    preview = function(ctx)
      return snacks.picker.preview[ctx.item.file and "file" or "preview"](ctx)
    end,
    confirm = function(picker, item)
      if item and not item.file then
        picker:close()
        search.go(item.found)
      elseif item then
        picker:action("jump")
      end
    end,
  })
end

return M
