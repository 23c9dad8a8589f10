--- The command |:Contexture| and its completion.
local client = require("contexture.client")
local float = require("contexture.float")

local M = {}

local function notify(text)
  vim.notify("contexture: " .. text)
end

--- Runs a command of the contract and gives its result to show; errors are told.
local function ask(command, args, show)
  client.execute(command, args, function(err, result)
    if err then
      float.complain(err)
    else
      show(result)
    end
  end)
end

local none_yet = "there is no conversation yet; an assistant's plugin or program appends them"

local function with_conversation(id, use)
  if id then
    use(id)
    return
  end
  require("contexture.turn").conversation(function(latest)
    if latest then
      use(latest)
    else
      notify(none_yet)
    end
  end)
end

local function paused(on)
  return function()
    client.change_settings({ index = { paused = on } })
    notify(on and "indexing is paused" or "indexing is resumed")
  end
end

---@class contexture.Subcommand
---@field run fun(text: string, words: string[], call: table)
---@field what string for :help and the list
---@field complete? fun(lead: string): string[]

local function why(text, words)
  if #words > 1 and not vim.uv.fs_stat(text) then
    require("contexture.panel").open("why " .. text) -- no file is named so: it is a question
    return
  end
  local name = text ~= "" and vim.fn.fnamemodify(text, ":p") or vim.api.nvim_buf_get_name(0)
  if name == "" then
    notify("why: name a file")
    return
  end
  ask("contexture.index.why", { textDocument = { uri = vim.uri_from_fname(name) } }, function(r)
    local text_of = (r.indexed and "indexed" or "not indexed") .. (r.rule and ": " .. r.rule or "")
    if r.source then
      text_of = text_of .. (" (%s%s)"):format(r.source, r.line and ":" .. r.line or "")
    end
    notify(text_of)
  end)
end

local function forget(text, words)
  if text == "" then
    require("contexture.turn").choose("Forget which conversation?", require("contexture.turn").forget)
    return
  end
  if #words > 1 then
    notify("forget: one conversation at a time")
    return
  end
  require("contexture.turn").forget(text)
end

-- Opens a place, in a new window where the command has a modifier such as :vertical or :tab.
local function place(kind)
  return function(text, _, call)
    require("contexture.place").open(kind, text, call.smods)
  end
end

local function selection(call)
  if call.range == 0 then
    return ""
  end
  local lines = vim.api.nvim_buf_get_lines(0, call.line1 - 1, call.line2, false)
  return table.concat(lines, "\n")
end

---@type table<string, contexture.Subcommand>
M.subcommands = {
  bundle = {
    what = "the panel: the bundle of a prompt, live while typing",
    run = function(text)
      require("contexture.panel").open(text)
    end,
  },
  search = {
    what = "code and memory for a query, in a picker or a buffer",
    run = function(text, _, call)
      require("contexture.search").open(text ~= "" and text or selection(call), call.smods)
    end,
  },
  quickfix = {
    what = "code for a query, into the quickfix list",
    run = function(text, _, call)
      text = text ~= "" and text or selection(call)
      if text == "" then
        notify("quickfix: name what to search for")
        return
      end
      ask("contexture.search", { query = text, limit = 50 }, function(r)
        require("contexture.jump").quickfix("Contexture: " .. float.split(text)[1], r.hits)
      end)
    end,
  },
  recall = {
    what = "what memory and index hold about a query",
    run = function(text)
      if text == "" then
        notify("recall: name what to recall")
        return
      end
      ask("contexture.recall", { query = text }, function(r)
        float.show("recall · " .. text, { r.text }, "markdown")
      end)
    end,
  },
  arc = {
    what = "decisions, open questions and focus of a conversation",
    run = function(text)
      with_conversation(text ~= "" and text or nil, require("contexture.turn").arc)
    end,
  },
  conversations = {
    what = "the list of conversations; `conversations QUERY` those that match",
    run = place("conversations"),
  },
  conversation = {
    what = "the timeline of a conversation, the latest by default",
    run = function(text, _, call)
      with_conversation(text ~= "" and text or nil, function(id)
        require("contexture.place").open("conversation", id, call.smods)
      end)
    end,
  },
  receipts = {
    what = "what assistants were given lately and why, and what it cost",
    run = function()
      require("contexture.receipts").show()
    end,
  },
  sources = { what = "where conversations are imported from", run = place("sources") },
  topics = { what = "topics, people and things, with their trend", run = place("topics") },
  index = { what = "the index: languages, skipped files, secrets, faults, latencies", run = place("index") },
  exclude = {
    what = "keeps a file, a folder or what a pattern matches out of the index",
    complete = function(lead)
      return vim.fn.getcompletion(lead, "file")
    end,
    run = function(text)
      require("contexture.exclude").add(text)
    end,
  },
  include = {
    what = "takes a pattern of .contextureignore back",
    run = function(text)
      if text == "" then
        notify("include: name the pattern to take back; :Contexture index shows them")
        return
      end
      require("contexture.exclude").remove(text)
    end,
  },
  rules = { what = "rules and decisions: accept, edit, remove", run = place("rules") },
  learned = {
    what = "topics, people and things that conversations speak of; `learned NAME` what is known of one",
    run = function(text)
      require("contexture.learned").pick(text)
    end,
  },
  learn = {
    what = "learns from the conversations now",
    run = function()
      require("contexture.learned").learn()
    end,
  },
  ticklers = {
    what = "reminders: earlier turns about the symbol at the cursor; `on`, `off`, `eol`, `above` for virtual text",
    complete = function()
      return { "above", "eol", "off", "on" }
    end,
    run = function(text)
      local ticklers = require("contexture.ticklers")
      if vim.tbl_contains({ "on", "off", "eol", "above" }, text) then
        ticklers.switch(text)
      else
        ticklers.pick()
      end
    end,
  },
  turn = {
    what = "the full text of a turn: `turn T-7` or `turn ID T-7`",
    run = function(_, words)
      local turn = words[#words]
      if not turn or not turn:match("^T%-%d+$") then
        notify("turn: name T-<number>, after the conversation if it is not the latest")
        return
      end
      with_conversation(#words > 1 and table.concat(words, " ", 1, #words - 1) or nil, function(id)
        require("contexture.turn").open(id, turn)
      end)
    end,
  },
  tasks = {
    what = "completed tasks and blockers",
    run = function()
      ask("contexture.task.list", {}, function(r)
        local lines = {}
        for _, b in ipairs(r.blockers) do
          table.insert(lines, ("blocked  %s: %s"):format(b.taskId, b.reason))
        end
        for _, t in ipairs(r.completed) do
          table.insert(lines, ("done     %s %s"):format(t.taskId, t.intent or ""))
        end
        float.show("tasks", #lines > 0 and lines or { "none" })
      end)
    end,
  },
  status = {
    what = "the state of the index and of the learning, and what assistants were given",
    run = function()
      ask("contexture.index.status", {}, function(r)
        local lines = require("contexture.status").lines(r)
        client.execute("contexture.knowledge.status", {}, function(err, s)
          if err then -- memory is switched off
            float.show("status", lines)
            return
          end
          table.insert(lines, require("contexture.learned").line(s))
          client.execute("contexture.receipts", { limit = 200 }, function(failed, receipts)
            if not failed then
              table.insert(lines, require("contexture.status").given(receipts))
            end
            float.show("status", lines)
          end)
        end)
      end)
    end,
  },
  why = { what = "whether a file is indexed, and which rule says so", complete = function(lead)
    return vim.fn.getcompletion(lead, "file")
  end, run = why },
  rebuild = {
    what = "rebuilds the index; `rebuild embeddings` only the vectors",
    complete = function()
      return { "all", "embeddings" }
    end,
    run = function(text)
      ask("contexture.index.rebuild", { scope = text ~= "" and text or nil }, function()
        notify("the index is being rebuilt; the old one answers until then")
      end)
    end,
  },
  pause = { what = "pauses indexing", run = paused(true) },
  resume = { what = "resumes indexing", run = paused(false) },
  forget = { what = "removes a conversation permanently", run = forget },
  restart = {
    what = "restarts the client",
    run = function()
      client.restart()
    end,
  },
  log = {
    what = "opens Neovim's log of language clients",
    run = function()
      vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.get_log_path and vim.lsp.get_log_path() or vim.lsp.log.get_filename()))
    end,
  },
}

local function names()
  local list = vim.tbl_keys(M.subcommands)
  table.sort(list)
  return list
end

--- Runs what follows :Contexture. Without anything it opens the panel, and so it does with several words of which the
--- first is no subcommand: they are a prompt. One such word is more likely mistyped.
---@param call table as |nvim_create_user_command()| gives it
function M.run(call)
  local words = vim.deepcopy(call.fargs)
  local name = table.remove(words, 1) or "bundle"
  local sub = M.subcommands[name]
  if not sub and #words > 0 then
    require("contexture.panel").open(call.args)
    return
  end
  if not sub then
    vim.notify(("contexture: no subcommand %q; there are %s"):format(name, table.concat(names(), ", ")), vim.log.levels.ERROR)
    return
  end
  local text = vim.trim(call.args:gsub("^%s*%S+", "", 1))
  sub.run(text, words, call)
end

--- Completes the command line.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = vim.trim(line:gsub("^.*Contexture!?", "", 1))
  local words = vim.split(before, "%s+", { trimempty = true })
  local candidates
  if #words == 0 or #words == 1 and lead ~= "" then
    candidates = names()
  else
    local sub = M.subcommands[words[1]]
    candidates = sub and sub.complete and sub.complete(lead) or {}
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
