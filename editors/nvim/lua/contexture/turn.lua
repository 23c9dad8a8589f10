--- Turns and arcs of conversations in a window.
local client = require("contexture.client")
local float = require("contexture.float")
local options = require("contexture.options")

local M = {}

--- Returns the text of a turn without the tags that name it, which the server puts around it.
---@param text string
---@return string
function M.plain(text)
  return (text:gsub("^<T%-%d+%-%u>\n?", "", 1):gsub("\n?</T%-%d+%-%u>%s*$", "", 1))
end

--- Forgets a conversation permanently, after a yes.
---@param conversation string
---@param done? fun() called when it is forgotten
---@param workspace? string URI of the folder that it belongs to; default the person's
function M.forget(conversation, done, workspace)
  vim.ui.input({ prompt = ("Forget %q permanently? Type yes: "):format(conversation) }, function(answer)
    if answer ~= "yes" then
      vim.notify("contexture: nothing was forgotten")
      return
    end
    client.execute("contexture.conversation.delete", { conversationId = conversation, workspace = workspace, wipe = true }, function(err)
      if err then
        float.complain(err)
        return
      end
      vim.notify("contexture: forgotten: " .. conversation)
      require("contexture.panel").forgotten(conversation, workspace)
      if done then
        done()
      end
    end)
  end)
end

--- Lets the person choose one of the latest conversations.
---@param prompt string
---@param use fun(id: string)
function M.choose(prompt, use)
  client.execute("contexture.conversation.list", { limit = 100 }, function(err, result)
    if err then
      float.complain(err)
    elseif #result.conversations == 0 then
      vim.notify("contexture: there is no conversation yet")
    else
      vim.ui.select(result.conversations, {
        prompt = prompt,
        format_item = function(c)
          return ("%s  %s"):format(c.lastAt and c.lastAt:sub(1, 10) or "", c.title ~= "" and c.title or c.id)
        end,
      }, function(chosen)
        if chosen then
          use(chosen.id)
        end
      end)
    end
  end)
end

--- Opens a turn, whole.
---@param conversation string
---@param turn string "T-7"
function M.open(conversation, turn)
  local args = { conversationId = conversation, turnId = turn, level = "R", pin = false }
  client.execute("contexture.conversation.turn", args, function(err, result)
    if err then
      float.complain(err)
      return
    end
    float.show(("%s · %s"):format(conversation, turn), { M.plain(result.text) }, "markdown") -- the title has its name
  end)
end

--- Finds the conversation that a command without one shows: the option's, else the latest.
---@param callback fun(id: string?) nil when there is none
function M.conversation(callback)
  local chosen = options.conversation()
  if chosen then
    callback(chosen)
    return
  end
  client.execute("contexture.conversation.list", { limit = 1 }, function(err, result)
    if err then
      float.complain(err)
      return
    end
    local latest = (result.conversations or {})[1]
    callback(latest and latest.id)
  end)
end

--- The arc as lines, and the turn that each line comes from.
---@param arc contexture.ArcResult
---@return string[] lines
---@return table<integer, string> turns by line
function M.arc_lines(arc)
  local lines, turns = {}, {}
  local function section(title, list, text)
    table.insert(lines, title)
    if #list == 0 then
      table.insert(lines, "  none")
    end
    for _, entry in ipairs(list) do
      table.insert(lines, ("  %-6s %s"):format(entry.turnId, (text(entry):gsub("%s+", " "))))
      turns[#lines] = entry.turnId
    end
    table.insert(lines, "")
  end
  table.insert(lines, "Focus")
  table.insert(lines, "  " .. (arc.currentFocus ~= "" and (arc.currentFocus:gsub("%s+", " ")) or "none"))
  table.insert(lines, "")
  section("Decisions", arc.decisions, function(d)
    return d.text
  end)
  section("Open questions", arc.openQuestions, function(q)
    return q.text
  end)
  return lines, turns
end

--- Shows the arc of a conversation; <CR> opens the turn of a line.
---@param conversation string
function M.arc(conversation)
  client.execute("contexture.conversation.arc", { conversationId = conversation }, function(err, result)
    if err then
      float.complain(err)
      return
    end
    local lines, turns = M.arc_lines(result)
    local buffer = float.show("arc · " .. conversation, lines)
    vim.keymap.set("n", "<CR>", function()
      local turn = turns[vim.api.nvim_win_get_cursor(0)[1]]
      if turn then
        M.open(conversation, turn)
      end
    end, { buffer = buffer, desc = "Open the turn" })
  end)
end

return M
