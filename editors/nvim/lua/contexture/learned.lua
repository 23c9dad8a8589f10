--- What was learned from conversations: topics, people and things, and what a person can do with them.
local client = require("contexture.client")
local float = require("contexture.float")

local M = {}

local titles = {
  { "what", "What it is" },
  { "decision", "Decisions" },
  { "rule", "Rules" },
  { "question", "Open questions" },
  { "event", "What happened" },
}

local function ask(command, args, use)
  client.execute("contexture.knowledge." .. command, args, function(err, result)
    if err then
      float.complain(err)
    else
      use(result)
    end
  end)
end

local function one_line(text)
  return (text:gsub("%s+", " "))
end

---@class contexture.Subject a topic, or an entity
---@field id string
---@field label string
---@field kind string "topic" or the entity's
---@field names string[] words that go with a topic, or other spellings of an entity
---@field turns integer
---@field trend "rising"|"steady"|"falling"
---@field history? number[] turns of each of the last twelve weeks, oldest first
---@field last string when it last came up
---@field pinned? boolean

--- Returns topics, then people and things, in one form.
---@param topics contexture.TopicsResult
---@param entities contexture.EntitiesResult
---@return contexture.Subject[]
function M.subjects(topics, entities)
  local list = {}
  local function add(s, label, kind)
    table.insert(list, {
      id = s.id,
      label = label,
      kind = kind,
      names = s.names,
      turns = s.turnCount,
      trend = s.trend,
      history = s.history,
      last = s.lastEngagedAt,
      pinned = s.pinned,
    })
  end
  for _, t in ipairs(topics.topics) do
    add(t, t.topic, "topic")
  end
  for _, e in ipairs(entities.entities) do
    add(e, e.name, e.kind)
  end
  return list
end

--- Topics, then people and things.
---@param use fun(list: contexture.Subject[])
function M.list(use)
  ask("topics", {}, function(topics)
    ask("entities", {}, function(entities)
      use(M.subjects(topics, entities))
    end)
  end)
end

local function item_text(s)
  return ("%s%s (%s, %d %s, %s)"):format(s.pinned and "* " or "", s.label, s.kind, s.turns, s.turns == 1 and "turn" or "turns", s.trend)
end

--- A profile as lines, and the turn or file that each line comes from.
---@param p contexture.Profile
---@return string[] lines
---@return table<integer, { conversation: string?, turn: string?, file: string?, name: string? }> sources by line
function M.profile_lines(p)
  local lines, sources = {}, {}
  table.insert(lines, ("%s: %s, %d turns, %s to %s"):format(p.label, p.kind, p.turnCount, p.firstAt:sub(1, 10), p.lastEngagedAt:sub(1, 10)))
  if #p.names > 0 then
    table.insert(lines, "also: " .. table.concat(p.names, ", "))
  end
  if p.history then
    table.insert(lines, ("%s, in twelve weeks: %s"):format(p.trend, require("contexture.sparkline").of(p.history)))
  else
    table.insert(lines, p.trend)
  end
  for _, part in ipairs(titles) do
    local headed = false
    for _, s in ipairs(p.statements) do
      if s.part == part[1] then
        if not headed then
          vim.list_extend(lines, { "", part[2] })
          headed = true
        end
        local q = s.quotation
        table.insert(lines, ("  %-6s %s %s"):format(q.turnId, (q.at or ""):sub(1, 10), one_line(q.text)))
        sources[#lines] = { conversation = q.conversationId, turn = q.turnId }
      end
    end
  end
  if #p.related > 0 then
    vim.list_extend(lines, { "", "Related" })
    for _, name in ipairs(p.related) do
      table.insert(lines, "  " .. name)
      sources[#lines] = { name = name }
    end
  end
  if #p.files > 0 then
    vim.list_extend(lines, { "", "Files" })
    for _, file in ipairs(p.files) do
      table.insert(lines, "  " .. file)
      sources[#lines] = { file = file }
    end
  end
  return lines, sources
end

local function steer(id, act, args, done)
  ask("steer", vim.tbl_extend("force", { id = id, act = act }, args or {}), function()
    vim.notify("contexture: done; later runs keep to it")
    if done then
      done()
    end
  end)
end

--- Asks what to do with a subject, and does it.
---@param p contexture.Profile|contexture.Subject
---@param done? fun() called when it is done
function M.change(p, done)
  vim.ui.select({ "rename", "merge", p.pinned and "unpin" or "pin", "forget" }, { prompt = p.label }, function(act)
    if act == "pin" or act == "unpin" then
      steer(p.id, act, nil, done)
    elseif act == "rename" then
      vim.ui.input({ prompt = "New name: ", default = p.label }, function(label)
        if label and label ~= "" then
          steer(p.id, act, { label = label }, done)
        end
      end)
    elseif act == "forget" then
      vim.ui.input({ prompt = ("Never find %q again? Type yes: "):format(p.label) }, function(answer)
        if answer == "yes" then
          steer(p.id, act, nil, done)
        end
      end)
    elseif act == "merge" then
      M.list(function(list)
        local others = vim.tbl_filter(function(s)
          return s.id ~= p.id and (s.kind == "topic") == (p.kind == "topic")
        end, list)
        vim.ui.select(others, { prompt = "Merge into", format_item = item_text }, function(into)
          if into then
            steer(p.id, act, { into = into.id }, done)
          end
        end)
      end)
    end
  end)
end

--- Shows what is known of a topic or an entity: <CR> opens the turn, the file or what is related, "c" changes the
--- subject.
---@param id string
function M.show(id)
  ask("profile", { id = id }, function(result)
    local p = result.profile
    local lines, sources = M.profile_lines(p)
    local buffer, window = float.show("known of " .. p.label, lines)
    vim.keymap.set("n", "<CR>", function()
      local from = sources[vim.api.nvim_win_get_cursor(0)[1]]
      if from and from.turn then
        require("contexture.turn").open(from.conversation, from.turn)
      elseif from then
        vim.api.nvim_win_close(window, true)
        if from.name then
          M.list(function(list)
            for _, s in ipairs(list) do
              if s.label == from.name and s.kind ~= "topic" then
                M.show(s.id)
                return
              end
            end
            M.pick(from.name) -- it has another name by now
          end)
        else
          local jump = require("contexture.jump")
          jump.file(jump.below(from.file))
        end
      end
    end, { buffer = buffer, desc = "Open the turn, the file or what is related" })
    vim.keymap.set("n", "c", function()
      M.change(p)
    end, { buffer = buffer, desc = "Rename, merge, pin or forget" })
  end)
end

--- Returns subjects without the topics that are entities too: what is often spoken of and has a proper name is both,
--- with the same profile, and changing one changes the other.
---@param list contexture.Subject[]
---@return contexture.Subject[]
function M.each_once(list)
  local function key(s)
    return vim.json.encode({ s.label, s.turns, s.last })
  end
  local entities = {}
  for _, s in ipairs(list) do
    if s.kind ~= "topic" then
      entities[key(s)] = true
    end
  end
  return vim.tbl_filter(function(s)
    return s.kind ~= "topic" or not entities[key(s)]
  end, list)
end

--- Chooses a topic, a person or a thing, and shows what is known of it. A name that is given is not asked for.
---@param name string
function M.pick(name)
  M.list(function(list)
    local wanted = name:lower()
    local found = vim.tbl_filter(function(s)
      return name == "" or s.label:lower():find(wanted, 1, true) ~= nil
    end, M.each_once(list))
    if #list == 0 then
      vim.notify("contexture: nothing was learned from conversations yet; :Contexture learn learns now")
    elseif #found == 0 then
      vim.notify(("contexture: nothing is known of %q"):format(name))
    elseif #found == 1 then
      M.show(found[1].id)
    else
      vim.ui.select(found, { prompt = "What was learned", format_item = item_text }, function(choice)
        if choice then
          M.show(choice.id)
        end
      end)
    end
  end)
end

--- Runs the learning.
---@param done? fun() called when it has ended
function M.learn(done)
  ask("process", {}, function(r)
    if done then
      done()
    end
    vim.notify(("contexture: %d topics, %d entities, %d lessons and %d references are known"):format(r.topics, r.entities, r.lessons, r.references))
  end)
end

--- How the learning stands, for a person.
---@param s contexture.LearningStatus
---@return string
function M.line(s)
  local p = s.progress
  if p then
    local waits = p.waits and ", waits for " .. p.waits or ""
    return ("learning  %d%%%s%s"):format(math.floor(100 * p.share), p.stage and ", " .. p.stage or "", waits)
  end
  local last = s.lastRunAt and s.lastRunAt:sub(1, 16):gsub("T", " ") .. " UTC" or "never"
  local waits = s.state == "waiting" and s.waits and ", waits for " .. s.waits or ""
  local problem = s.problem and ", failed: " .. s.problem or ""
  return ("learned   %d topics, %d entities, %s%s%s"):format(s.topics, s.entities, last, waits, problem)
end

return M
