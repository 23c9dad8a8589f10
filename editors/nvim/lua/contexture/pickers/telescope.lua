--- Search in Telescope: as one types, with preview. <C-q> sends the hits to the quickfix list, as in all its pickers.
local search = require("contexture.search")

local M = {}

-- Telescope takes the value for a path where there is no file name, as for the quickfix list. A memory's is its place.
local function memory_of(found)
  local name = require("contexture.place").name
  local conversation = found.hit.conversationId
  return conversation and conversation ~= "" and name("conversation", conversation) or name("rules")
end

-- What Telescope calls for each change of the prompt.
local function finder()
  local cancel = function() end
  return setmetatable({
    close = function()
      cancel()
    end,
  }, {
    __call = function(_, prompt, add, done)
      cancel()
      cancel = search.run(prompt or "", function(list)
        for i, found in ipairs(list) do
          add({
            value = found,
            index = i,
            display = ("%s  %s"):format(found.where, found.title),
            ordinal = found.where .. " " .. found.title,
            filename = found.path or memory_of(found),
            lnum = found.line,
            col = 1,
            text = found.title,
          })
        end
        done()
      end)
    end,
  })
end

local function previewer()
  return require("telescope.previewers").new_buffer_previewer({
    title = "Preview",
    define_preview = function(self, entry)
      local found = entry.value
      if not found.path then
        vim.api.nvim_buf_set_lines(self.state.bufnr, 0, -1, false, vim.split(found.hit.snippet, "\n", { plain = true }))
        vim.bo[self.state.bufnr].filetype = found.filetype
        return
      end
      local window = self.state.winid
      require("telescope.config").values.buffer_previewer_maker(found.path, self.state.bufnr, {
        bufname = self.state.bufname,
        winid = window,
        callback = function(buffer)
          if found.line and vim.api.nvim_win_is_valid(window) then
            pcall(vim.api.nvim_win_set_cursor, window, { found.line, 0 })
            vim.api.nvim_win_call(window, function()
              vim.cmd("normal! zz")
            end)
            pcall(vim.api.nvim_buf_set_extmark, buffer, vim.api.nvim_create_namespace("contexture.preview"), found.line - 1, 0, { line_hl_group = "TelescopePreviewLine" })
          end
        end,
      })
    end,
  })
end

---@param query string
function M.open(query)
  local actions, state = require("telescope.actions"), require("telescope.actions.state")
  require("telescope.pickers")
    .new({}, {
      prompt_title = "Contexture",
      default_text = query,
      debounce = 60, -- milliseconds
      finder = finder(),
      previewer = previewer(),
      sorter = require("telescope.sorters").empty(), -- the server has ranked them
      attach_mappings = function(prompt)
        -- Telescope opens files by itself, in splits and tabs too; turns it knows nothing of.
        actions.select_default:replace_if(function()
          local entry = state.get_selected_entry()
          return entry ~= nil and not entry.value.path
        end, function()
          local entry = state.get_selected_entry()
          actions.close(prompt)
          search.go(entry.value)
        end)
        return true
      end,
    })
    :find()
end

return M
