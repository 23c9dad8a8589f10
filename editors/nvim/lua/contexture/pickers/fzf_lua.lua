--- Search in fzf-lua: as one types, with preview. <C-q> sends the selected hits to the quickfix list.
local search = require("contexture.search")

local M = {}

-- A line of fzf's. It must be one line, and name its hit.
local function line_of(found)
  return ("%s  %s"):format(found.where, found.title)
end

local function previewer(by_line)
  local class = require("fzf-lua.previewer.builtin").base:extend()
  function class:populate_preview_buf(line)
    local found, buffer = by_line[line], self:get_tmp_buffer()
    if not found then
      return
    end
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(found.hit.snippet, "\n", { plain = true }))
    vim.bo[buffer].filetype = found.filetype
    self:set_preview_buf(buffer)
    if self.win and self.win.update_preview_title then
      self.win:update_preview_title((" %s "):format(found.where))
    end
  end
  return class
end

---@param query string
function M.open(query)
  local by_line = {} -- of all queries: an older answer may still be on the screen
  local stop = function() end -- the search before: fzf-lua holds a pipe open until its list has ended
  local function chosen(selected)
    local list = {}
    for _, line in ipairs(selected or {}) do
      table.insert(list, by_line[line])
    end
    return list
  end
  require("fzf-lua").fzf_live(function(args)
    local text = type(args) == "table" and args[1] or args -- older versions give the query itself
    return function(add)
      stop()
      local cancel = search.run(text or "", function(list)
        for _, found in ipairs(list) do
          local line = line_of(found)
          by_line[line] = found
          add(line)
        end
        add(nil)
      end)
      stop = function()
        cancel()
        add(nil) -- does nothing where it has ended
      end
    end
  end, {
    prompt = "Contexture> ",
    query = query ~= "" and query or nil,
    exec_empty_query = false,
    fzf_opts = { ["--no-sort"] = true, ["--multi"] = true },
    previewer = {
      _ctor = function()
        return previewer(by_line)
      end,
    },
    actions = {
      ["default"] = function(selected)
        local found = chosen(selected)[1]
        if found then
          search.go(found)
        end
      end,
      ["ctrl-q"] = function(selected)
        local hits = vim.tbl_map(function(found)
          return found.hit
        end, chosen(selected))
        require("contexture.jump").quickfix("Contexture", hits)
      end,
    },
  })
end

return M
