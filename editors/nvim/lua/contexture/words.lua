--- Words of a query or a prompt, to be marked where they occur in a text.
local M = {}

local shortest = 3 -- characters; shorter words occur everywhere

-- Words that say how one asks, not what about.
local common = {}
for word in ("and are but can did does for from has have how into its not our that the their them then there these they this was were what when where which who why will with you your"):gmatch("%a+") do
  common[word] = true
end

--- Returns the words of a text that are worth marking, in lower case, the longest first.
---@param text string
---@return string[]
function M.of(text)
  local list, seen = {}, {}
  for word in vim.fn.tolower(text):gmatch("[%w_\128-\255]+") do
    if vim.fn.strchars(word) >= shortest and not common[word] and not seen[word] then
      seen[word] = true
      table.insert(list, word)
    end
  end
  table.sort(list, function(a, b)
    return #a > #b or #a == #b and a < b
  end)
  return list
end

--- Returns where words occur in a line: at the beginnings of words, so that "retry" is marked in "retryPayment".
---@param line string
---@param words string[] in lower case
---@param from? integer bytes to leave out at the beginning
---@return { [1]: integer, [2]: integer }[] first byte from 0, and the byte after the last
function M.find(line, words, from)
  local lower, list = line:lower(), {} -- of ASCII alone, so that bytes keep their places
  for _, word in ipairs(words) do
    local at = (from or 0) + 1
    while true do
      local first, last = lower:find(word, at, true)
      if not first then
        break
      end
      local before = lower:sub(first - 1, first - 1)
      local hump = line:sub(first, first):find("%u") and line:sub(first - 1, first - 1):find("%l")
      if first == 1 or not before:find("[%w\128-\255]") or hump then
        table.insert(list, { first - 1, last })
      end
      at = last + 1
    end
  end
  return list
end

return M
