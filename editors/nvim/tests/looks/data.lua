-- What looks.lua shows the places with: conversations of a small team, and made-up answers of unusual size.
-- It runs in the Neovim whose screen is read.
local M = {}

-- A time in early 2026.
local function at(minute)
  return os.date("!%Y-%m-%dT%H:%M:%SZ", 1767603600 + 60 * minute)
end

local talks = {
  { "payments", "Retries of payments", {
    { "How are payments retried? Look at retryPayment in retry.go.", "retryPayment makes three attempts and waits 200 ms between them." },
    { "We decided to use three attempts with a growing pause, because the bank answers slowly at night.", "Understood: three attempts, growing pause." },
    { "Always log the payment's id with every retry, never the card number.", "I will log the id only." },
    { "Should the pause be configurable?", "That is open: nobody has needed it so far." },
  } },
  { "ledger", "The harbour ledger", {
    { "Olga runs the harbour-ledger service. The harbour-ledger keeps the bookings.", "Noted: Olga runs harbour-ledger." },
    { "Olga says that harbour-ledger is slow when the customs declarations arrive.", "Then the declarations should be queued." },
    { "We moved the customs declarations out of harbour-ledger; Olga agreed.", "Good." },
  } },
  { "errors", "Errors of the shop", {
    { "Please always wrap errors with %w, and name the operation first.", "I will." },
    { "In this repository never use panic outside of main.", "Understood." },
    { "We decided against retries in harbour-ledger, because Olga wants to see every failure.", "Understood." },
  } },
  { "tables", "Bookings and their table, 日本語の台帳 and what a long title becomes where there is no room for all of it", {
    { "The table harbour_bookings holds the bookings of harbour-ledger. Who owns it?", "Olga's team does." },
    { "Are customs declarations retried? Olga reviewed harbour-ledger for that.", "No, they are queued." },
  } },
}

--- Returns the commands that fill a memory, with their arguments, in order.
function M.fill()
  local list = {}
  for i, talk in ipairs(talks) do
    local messages = {}
    for j, turn in ipairs(talk[3]) do
      local minute = (i - 1) * 3 * 24 * 60 + 10 * j
      table.insert(messages, { id = j .. "u", role = "user", author = "Ada", content = turn[1], at = at(minute) })
      table.insert(messages, { id = j .. "a", role = "assistant", content = turn[2], at = at(minute + 1) })
    end
    table.insert(list, { "conversation.append", { conversationId = talk[1], title = talk[2], messages = messages } })
  end
  table.insert(list, { "remember", { kind = "rule", text = "Use tabs in Go files." } })
  table.insert(list, { "remember", { kind = "rule", text = "Use spaces, not tabs, in Go files from now on." } })
  table.insert(list, { "remember", { kind = "decision", text = "Amounts are whole cents, never floats." } })
  table.insert(list, { "conversation.fork", { conversationId = "payments", atTurn = "T-2", newConversationId = "payments-pause" } })
  table.insert(list, { "knowledge.process", { full = true } })
  return list
end

-- Times that come from the clock, and not from the data.
local clocked = { indexedAt = true, createdAt = true, updatedAt = true, lastRunAt = true, savedAt = true }

local function steady_times(value)
  for key, inner in pairs(value) do
    if type(inner) == "table" then
      steady_times(inner)
    elseif clocked[key] or (key == "at" or key == "lastAt") and type(inner) == "string" and not vim.startswith(inner, "2026-01-") then
      value[key] = "2026-02-01T10:00:00Z"
    end
  end
end

local function recent()
  local requests, commands = {}, { "contexture.bundle", "contexture.search", "contexture.recall" }
  for i = 0, 99 do
    local stages = {}
    for s, name in ipairs(i % 3 == 0 and { "classify", "keyword", "vector", "negotiate", "assemble" } or {}) do
      stages[s] = { name = name, ms = s / 2 + i % (s + 2) }
    end
    requests[i + 1] = { command = commands[i % 3 + 1], at = at(i), ms = 6 + (i * 7) % 23, outcome = i % 31 == 30 and "error" or "ok", stages = stages }
  end
  return { requests = requests, faults = { { at = at(50), component = "ollama", message = "the model server does not answer; built-in vectors are used" } } }
end

--- Returns a real answer with what differs from run to run as if it were always the same.
function M.steady(command, answer)
  steady_times(answer)
  if command == "index.status" then
    answer.watcher = { mode = "inotify", watches = 4 }
  elseif command == "metrics.recent" then
    return recent()
  elseif command == "capture.status" and M.kind ~= "empty" then
    for _, source in ipairs(answer.sources) do
      if source.source == "claude-code" then -- as where one has used it for long
        source.on, source.watching, source.sessions, source.messages, source.lastReadAt = true, "inotify", 12, 3456, at(9000)
        source.unknown = { { kind = "hologram", count = 3, file = source.places[1] .. "/shop/7.jsonl", line = 14 } }
        source.left = { ["of another folder"] = 40 }
      elseif source.source == "codex" then
        source.on, source.watching, source.errors = true, "off", { "open 7.jsonl: permission denied" }
      end
    end
  end
  return answer
end

local many = 100000
local words = "The settlement of the northern harbours is reconciled every night, and whoever changes it must tell the bank two weeks before. "

local function long(i)
  return ("services/payments/internal/adapters/bank_of_the_northern_harbours/settlement_reconciliation_%d.go"):format(i)
end

local function uri(i)
  return vim.uri_from_fname(vim.fn.getcwd() .. "/" .. long(i))
end

local function times(n, make)
  local list = {}
  for i = 0, n - 1 do
    list[i + 1] = make(i)
  end
  return list
end

-- A page of what there are many of, and where the next one begins.
local function page(args, make)
  local from = tonumber(args.before or args.after or 0)
  local count = math.min(many - from, args.limit or 100)
  return times(count, function(i)
    return make(from + i)
  end), from + count < many and tostring(from + count) or nil
end

local function pick(list, i)
  return list[i % #list + 1]
end

local function subject(i, kind, name)
  return { id = ("%s-%d"):format(kind, i), kind = kind, [kind == "topic" and "topic" or "name"] = name .. i, weight = 1 / (1 + i), trend = pick({ "rising", "steady", "falling" }, i),
    lastEngagedAt = at(i), names = {}, turnCount = 50000, history = { 0, 1, 2, 3, 5, 8, 6, 4, 2, 1, 3, 9 } }
end

local function code(i)
  return table.concat(times(12, function(line)
    return ("\tstep%d(reconcileSettlement%d) // %s"):format(line, i, line == 3 and words or "retried")
  end), "\n")
end

---@type table<string, fun(args: table, answer: table): table>
M.huge = {
  ["conversation.list"] = function(args)
    local list, next_page = page(args, function(i)
      return { id = "talk-" .. i, title = i .. ": " .. words, turnCount = 50000, messageCount = many, startedAt = at(i), lastAt = at(i + 1), source = "claude-code" }
    end)
    return { conversations = list, next = next_page }
  end,
  ["conversation.turns"] = function(args)
    local to = tonumber(args.before) or 50000
    local from = math.max(0, to - (args.limit or 200))
    return {
      turns = times(to - from, function(j)
        local i = from + j
        local marks = i % 5 == 0 and { { kind = pick({ "decision", "question", "rule", "lesson" }, i / 5), text = words } } or {}
        return { turnId = "T-" .. i + 1, at = at(i), title = i + 1 .. ": " .. words, messageCount = 4, tokens = 1234, marks = marks }
      end),
      next = from > 0 and tostring(from) or nil,
      forks = {},
    }
  end,
  ["conversation.arc"] = function(_, answer)
    return answer
  end,
  search = function(args, answer)
    answer.hits = times(args.limit or 50, function(i)
      return { id = "code:" .. i, kind = i % 3 == 0 and "doc" or "code", score = 1 / (1 + i), title = "func reconcileSettlement" .. i, uri = uri(i), range = { start = { line = 99990 + i, character = 0 }, ["end"] = { line = 99994 + i, character = 0 } },
        snippet = ("func reconcileSettlement%d() error {\n\treturn nil // retry: %s\n}"):format(i, words), snippetLine = 99990 + i, messageIds = {}, signals = {} }
    end)
    return answer
  end,
  bundle = function(_, answer)
    local text, items = answer.text, vim.tbl_filter(function(item)
      return item.layer ~= "L5_jit"
    end, answer.items)
    for i = 0, 399 do
      local body = code(i)
      table.insert(items, { id = "code:" .. i, layer = "L5_jit", kind = "code", title = "func reconcileSettlementOfTheNorthernHarbours" .. i, tokens = 22 * (1 + i % 9), score = 0.99 / (1 + i / 40), format = "full",
        reason = "keyword match: settlement, harbours; matches the path; recently changed with similar commits", uri = uri(i), range = { start = { line = 12 * i, character = 0 }, ["end"] = { line = 12 * i + 12, character = 0 } }, messageIds = {}, span = { start = #text, ["end"] = #text + #body } })
      text = text .. body
    end
    local dropped = times(5000, function(i)
      return { id = "code:d" .. i, kind = "code", reason = pick({ "threshold", "budget", "redundant" }, i), score = 0.2 / (1 + i), title = "func leftOut" .. i, uri = uri(i) }
    end)
    for _, layer in ipairs(answer.layers) do
      if layer.layer == "L5_jit" then
        layer.allocated, layer.used = 150000, 144000
      end
    end
    return vim.tbl_extend("force", answer, { tokens = 146950, budget = 200000, text = text, items = items, dropped = dropped })
  end,
  ["index.status"] = function(_, answer)
    return vim.tbl_extend("force", answer, { state = "indexing", queue = 41234, files = many - 41234, filesTotal = many, chunks = 1200000, symbols = 2400000, bytes = 3.2e9, skipped = { { reason = "ignored", count = many }, { reason = "binary", count = 1200 } },
      languages = times(40, function(i)
        return { language = "language" .. i, files = math.floor(60000 / (1 + i)), chunks = math.floor(900000 / (1 + i)) }
      end),
      embedder = vim.tbl_extend("force", answer.embedder, { pending = 765432 }) })
  end,
  ["index.secrets"] = function(args)
    local list, next_page = page(args, function(i)
      return { rule = "aws-access-key", path = long(i), count = 1 + i % 3 }
    end)
    return { findings = list, total = many, next = next_page }
  end,
  ["knowledge.list"] = function(args)
    return { items = times(2000, function(i)
      return { id = args.kind .. i, kind = args.kind, label = args.kind == "reference" and "decision" or nil, title = i .. ": " .. words, content = i .. ": " .. words, topics = { "settlement" }, keywords = {}, weight = 1, sourceTurns = {},
        state = pick({ "confirmed", "candidate", "superseded" }, i), supersededBy = i % 3 == 2 and args.kind .. i - 2 or nil, quotations = { { conversationId = "talk-1", turnId = "T-1", messageId = "1", text = words, at = at(i) } }, createdAt = at(i), updatedAt = at(i) }
    end) }
  end,
  ["knowledge.topics"] = function()
    return { topics = times(2000, function(i)
      return subject(i, "topic", "settlement of the northern harbours, and what follows from it ")
    end) }
  end,
  ["knowledge.entities"] = function()
    return { entities = times(2000, function(i)
      return subject(i, pick({ "person", "service", "table" }, i), "harbour-service-")
    end) }
  end,
  ["knowledge.graph"] = function()
    local nodes = times(200, function(i)
      return { id = "topic-" .. i, kind = pick({ "topic", "person", "service", "file" }, i), label = "harbour " .. i, weight = 1 / (1 + i), turnCount = 9 }
    end)
    return { nodes = nodes, left = many, edges = times(1600, function(i)
      return { from = "topic-" .. i % 200, to = "topic-" .. (i * 17 + 1) % 200, weight = 1 / (1 + i) }
    end) }
  end,
  ["capture.status"] = function(_, answer)
    for i, source in ipairs(answer.sources) do
      source.on, source.watching, source.sessions, source.messages, source.lastReadAt = true, "inotify", many * i, 12345678 * i, at(i)
      source.places = times(20, function(n)
        return ("/srv/homes/somebody-with-a-long-name/projects-of-the-northern-harbours/assistants/%s/%d"):format(source.source, n)
      end)
    end
    return answer
  end,
}

M.kind = "empty" -- of the data: empty, small, huge, broken, nonsense, offline
M.ended = false -- whether Neovim has said that a server has ended, which it does a moment after the requests have failed
M.waiting = 0 -- requests without an answer

local damaged = { code = -32803, message = "the memory is damaged: /state/memory: checksum mismatch", data = { code = "corrupt" } }

-- What a place gets for a real answer.
local function made(command, args, err, answer)
  if M.kind == "broken" then
    return damaged, nil
  elseif M.kind == "nonsense" then
    return nil, vim.empty_dict()
  elseif M.kind == "offline" or err then
    return err, answer
  end
  answer = M.steady(command, answer)
  if M.kind == "huge" and M.huge[command] then
    answer = M.huge[command](args, answer)
  end
  return nil, answer
end

--- Stands between the places and the client from now on, stops the clock that times are compared with, and hides how
--- far the learning is, which the server tells a moment after it has ended too.
function M.install()
  local client = require("contexture.client")
  require("contexture.status").set_learning = function() end
  local execute, date, notify = client.execute, os.date, vim.notify
  function client.execute(command, args, callback)
    local done = false
    local function finish()
      M.waiting = M.waiting - (done and 0 or 1)
      done = true
    end
    M.waiting = M.waiting + 1
    local short = command:gsub("^contexture%.", "")
    local cancel = execute(command, args, function(err, answer)
      err, answer = made(short, args, err, answer)
      local began = os.clock()
      local ok, problem = pcall(callback, err, answer)
      M.spent = (M.spent or 0) + os.clock() - began -- of the processor, in seconds
      finish()
      if not ok then
        error(problem, 0)
      end
    end)
    return function()
      finish()
      cancel()
    end
  end
  ---@diagnostic disable-next-line: duplicate-set-field
  function vim.notify(text, ...)
    M.ended = M.ended or text:find("quit with exit code", 1, true) ~= nil
    return notify((text:gsub("%S+/lsp%.log", "lsp.log")), ...) -- Neovim names its log, whose path is new in each run
  end
  rawset(os, "date", function(format, time)
    return date(format, time or 1769940000) -- 1 February 2026, 10:00
  end)
end

return M
