-- Screens kept as text: the lines as they are read, then a letter for the look of each cell, then what the letters mean.
-- A file NAME.txt is for all versions of Neovim; NAME-0.10.txt beside it is for one whose screen differs by more than
-- is tolerated.
local M = {}

-- What one version of Neovim may draw otherwise than another: a share of the cells in all, and a few signs of the text.
-- Both are less than a word, so that none changes, and none changes its colour, unnoticed. Neovim 0.10 and 0.12 differ
-- in no cell.
local tolerated, signs = 0.003, 3

local letters = {}
for letter in ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#$%&*+=@"):gmatch(".") do
  table.insert(letters, letter)
end

---@class Screen
---@field columns integer
---@field head string size and cursor, as the first line of a golden has it
---@field rows { [1]: string, [2]: string }[][] what stands in a cell, and its look in words; "" where it has none

local flags = { "bold", "italic", "underline", "undercurl", "strikethrough", "reverse" }

-- A look in words, with the colours that the terminal would show.
local function words(look)
  local list = {}
  for _, part in ipairs({ { "foreground", "fg" }, { "background", "bg" } }) do
    if look[part[1]] then
      table.insert(list, ("%s #%06x"):format(part[2], look[part[1]]))
    end
  end
  for _, flag in ipairs(flags) do
    if look[flag] then
      table.insert(list, flag)
    end
  end
  return table.concat(list, ", ")
end

--- Returns what a second Neovim shows now.
---@param ui Ui
---@return Screen
function M.screen(ui)
  local named = { [0] = "" }
  local rows = {}
  for row, cells in ipairs(ui.rows) do
    rows[row] = {}
    for column, cell in ipairs(cells) do
      named[cell[2]] = named[cell[2]] or words(ui.looks[cell[2]] or {})
      rows[row][column] = { cell[1], named[cell[2]] }
    end
  end
  local head = "%d columns, %d lines, cursor in line %d, column %d"
  return { columns = ui.columns, rows = rows, head = head:format(ui.columns, ui.lines, ui.cursor.row + 1, ui.cursor.column + 1) }
end

-- The letters of a screen's looks: those of an earlier golden, where it has them, so that a diff shows only what differs.
local function lettering(screen, earlier)
  local by_look, used = vim.deepcopy(earlier), {}
  for _, letter in pairs(earlier) do
    used[letter] = true
  end
  local next_letter, seen, legend = 1, {}, {}
  for _, cells in ipairs(screen.rows) do
    for _, cell in ipairs(cells) do
      local look = cell[2]
      if look ~= "" and not seen[look] then
        seen[look] = true
        while not by_look[look] and used[letters[next_letter]] do
          next_letter = next_letter + 1
        end
        by_look[look] = by_look[look] or assert(letters[next_letter], "more looks than letters")
        used[by_look[look]] = true
        table.insert(legend, by_look[look] .. "  " .. look)
      end
    end
  end
  table.sort(legend)
  return by_look, legend
end

--- Returns a screen as the text of a golden.
---@param screen Screen
---@param earlier? table<string, string> letters by look
---@return string
function M.text(screen, earlier)
  local by_look, legend = lettering(screen, earlier or {})
  local lines, looks = { screen.head }, {}
  for _, cells in ipairs(screen.rows) do
    local line, look = {}, {}
    for column, cell in ipairs(cells) do
      line[column], look[column] = cell[1], by_look[cell[2]] or " "
    end
    table.insert(lines, (table.concat(line):gsub("%s+$", "")))
    table.insert(looks, (table.concat(look):gsub("%s+$", "")))
  end
  vim.list_extend(lines, looks)
  vim.list_extend(lines, legend)
  return table.concat(lines, "\n") .. "\n"
end

-- Reads the text of a golden: the screen, and the letters of its looks.
local function parse(text)
  local lines = vim.split(text, "\n", { plain = true })
  local columns, height = assert(lines[1]:match("^(%d+) columns, (%d+) lines"))
  columns, height = tonumber(columns), tonumber(height)
  local by_letter, by_look = { [" "] = "" }, {}
  for i = 2 * height + 2, #lines do
    local letter, look = lines[i]:match("^(.)  (.+)$")
    if letter then
      by_letter[letter], by_look[look] = look, letter
    end
  end
  local rows = {}
  for row = 1, height do
    local cells = {}
    for _, character in ipairs(vim.fn.split(lines[row + 1], "\\zs")) do
      table.insert(cells, character)
      if vim.fn.strdisplaywidth(character) == 2 then
        table.insert(cells, "") -- its second half
      end
    end
    rows[row] = {}
    local looks = lines[row + 1 + height]
    for column = 1, columns do
      local letter = looks:sub(column, column)
      rows[row][column] = { cells[column] or " ", by_letter[letter ~= "" and letter or " "] }
    end
  end
  return { columns = columns, rows = rows, head = lines[1] }, by_look
end

-- What differs between two screens, in words; nil where it is tolerated.
local function differences(got, want)
  if got.head:match("^[^,]+,[^,]+") ~= want.head:match("^[^,]+,[^,]+") then
    return got.head .. "\ninstead of " .. want.head
  end
  local said, cells, text = {}, 0, 0
  for row, expected in ipairs(want.rows) do
    local here = { text = 0, look = 0 }
    local is, was = {}, {}
    for column, cell in ipairs(expected) do
      local now = got.rows[row][column]
      is[column], was[column] = now[1], cell[1]
      local differs = now[1] ~= cell[1]
      here.text = here.text + (differs and 1 or 0)
      here.look = here.look + (not differs and now[2] ~= cell[2] and 1 or 0)
    end
    cells, text = cells + here.text + here.look, text + here.text
    if here.text > 0 then
      table.insert(said, ("%2d + %s\n   - %s"):format(row, table.concat(is), table.concat(was)))
    elseif here.look > 0 then
      table.insert(said, ("%2d   %s\n     %d cells look otherwise"):format(row, table.concat(is), here.look))
    end
  end
  if text > signs or cells > tolerated * got.columns * #got.rows then
    return ("%d cells differ, %d of them in what they say:\n%s"):format(cells, text, table.concat(said, "\n"))
  end
  return nil
end

--- Returns goldens of a folder, which compare and, where update is set, write.
---@param folder string
---@param update boolean
---@param version string? of a Neovim that may have goldens of its own
---@return { check: fun(name: string, screen: Screen), stale: fun(): string[] }
function M.new(folder, update, version)
  local seen = {}
  local function read(path)
    local file = io.open(path, "rb")
    local text = file and file:read("*a")
    if file then
      file:close()
    end
    return text
  end
  local function write(path, screen)
    local text = read(path)
    local _, earlier = nil, {}
    if text then
      _, earlier = parse(text)
    end
    local file = assert(io.open(path, "wb"))
    file:write(M.text(screen, earlier))
    file:close()
  end

  --- Compares a screen with its golden, and fails where it differs or there is none.
  local function check(name, screen)
    seen[name] = true
    local common = folder .. "/" .. name .. ".txt"
    local own = version and folder .. "/" .. name .. "-" .. version .. ".txt"
    if update then
      vim.fn.mkdir(folder, "p")
      local text = read(common)
      if not version or not text then
        write(common, screen)
      elseif differences(screen, (parse(text))) then
        write(own, screen)
      else
        vim.fn.delete(own)
      end
    end
    local text = own and read(own) or read(common)
    assert(text, name .. " has no golden; look at its screen, then write it with UPDATE=1:\n" .. M.text(screen))
    local problem = differences(screen, (parse(text)))
    assert(not problem, ("%s %s"):format(name, problem))
  end

  --- Returns the goldens that no test has compared with.
  local function stale()
    local list = {}
    for file in vim.fs.dir(folder) do
      local name = file:gsub("%.txt$", "")
      if not seen[name] and not seen[(name:gsub("%-%d+%.%d+$", ""))] then
        table.insert(list, file)
      end
    end
    return list
  end
  return { check = check, stale = stale }
end

return M
