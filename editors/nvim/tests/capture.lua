-- Conversations of other plugins' chats, brought to the real program. The chats are stand-ins of the form that
-- CodeCompanion has at revision f1afd025 (19.22) and Avante at a9334315: their events, and the fields of a chat.
local kit = dofile(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)) .. "/kit.lua")
local it, eq, wait, await = kit.it, kit.eq, kit.wait, kit.await

kit.start()
local contexture = require("contexture")
local client = require("contexture.client")

-- The conversations that the server has, by id.
local function conversations()
  local err, result = await(function(done)
    contexture.execute("contexture.conversation.list", {}, done)
  end)
  assert(not err, vim.inspect(err))
  local out = {}
  for _, c in ipairs(result.conversations) do
    out[c.id] = c
  end
  return out
end

local function count(id)
  local c = conversations()[id]
  return c and c.messageCount or 0
end

local function turn(id, name)
  local err, result = await(function(done)
    contexture.execute("contexture.conversation.turn", { conversationId = id, turnId = name, level = "R" }, done)
  end)
  assert(not err, vim.inspect(err))
  return result.text
end

-- Waits until everything that events have set off is done: what came before a request is answered before it.
local function settle()
  vim.wait(0)
  for _ = 1, 3 do
    conversations()
  end
end

local companion = { chats = {} }
function companion.buf_get_chat(buffer)
  return companion.chats[buffer]
end
package.loaded["codecompanion"] = companion

-- A chat that is created; `add` is Chat:add_message, `fire` is utils.fire.
local function chat(buffer, session, messages)
  local made = { bufnr = buffer, id = 7942063, cycle = 1, session_id = session, messages = messages or {}, hash = 100 }
  made.buffer_context = { bufnr = vim.api.nvim_get_current_buf() }
  function made.add(role, content, opts)
    made.hash = made.hash + 1
    local message = vim.tbl_extend("force", {
      role = role,
      content = content,
      opts = { visible = true },
      _meta = { id = made.hash, cycle = made.cycle },
    }, opts or {})
    table.insert(made.messages, message)
    return message
  end
  function made.fire(event)
    vim.api.nvim_exec_autocmds("User", { pattern = "CodeCompanion" .. event, data = { bufnr = buffer, id = made.id } })
  end
  companion.chats[buffer] = made
  made.fire("ChatCreated")
  return made
end

local function exchange(c, question, answer)
  c.add("user", question)
  c.fire("ChatSubmitted")
  c.add("llm", answer)
  c.cycle = c.cycle + 1
  c.fire("ChatDone")
end

local avante = { sidebars = {} }
package.loaded["avante"] = avante

local uuid = 0
local function avante_message(role, content, more)
  uuid = uuid + 1
  return vim.tbl_extend("force", {
    message = { role = role, content = type(content) == "string" and content or { content } },
    uuid = ("00000000-0000-4000-8000-%012d"):format(uuid),
    state = "generated",
    timestamp = os.date("%Y-%m-%d %H:%M:%S"),
    visible = true,
  }, more or {})
end

local function turn_ends()
  vim.api.nvim_exec_autocmds("User", { pattern = "AvanteViewBufferUpdated" })
end

local function start(capture)
  contexture.setup({ cmd = kit.cmd(), capture = capture })
  vim.cmd.edit("retry.go")
  if vim.bo.filetype == "" then
    vim.bo.filetype = "go"
  end
  wait("attached", function()
    local c = client.get()
    return c and c.initialized and vim.lsp.buf_is_attached(0, c.id)
  end)
end

it("refuses chats that it does not know", function()
  local ok, err = pcall(contexture.setup, { capture = { copilot = true } })
  assert(not ok and err:find("copilot", 1, true), err)
  ok, err = pcall(contexture.setup, { capture = { avante = "yes" } })
  assert(not ok and err:find("capture.avante", 1, true) and err:find("boolean", 1, true), err)
end)

it("takes nothing until it is switched on", function()
  start()
  exchange(chat(90, "codecompanion-1-1"), "Is anything kept?", "No.")
  avante.sidebars = { { chat_history = { messages = { avante_message("user", "Is anything kept?") } } } }
  turn_ends()
  settle()
  eq(conversations(), {})
  eq(package.loaded["contexture.capture"], nil)
end)

it("loads nothing before the first event", function()
  contexture.setup({ cmd = kit.cmd(), capture = { codecompanion = true, avante = true } })
  eq(package.loaded["contexture.capture"], nil)
end)

it("brings in the turns of CodeCompanion", function()
  local c = chat(91, "codecompanion-1795000000-7942063")
  c.add("system", "You are an AI programming assistant.", { opts = { visible = false } })
  c.add("user", "Contents of the attached file", { opts = { visible = false }, context = { id = "<buf>retry.go</buf>" } })
  c.add("user", "Why does retryPayment stop after three attempts?")
  c.fire("ChatSubmitted")
  c.add("llm", nil, {
    opts = { visible = false },
    reasoning = { content = "The policy must be read." },
    tools = { calls = { { id = "call_1", ["function"] = { name = "read_file", arguments = '{"filepath":"retry.go"}' } } } },
  })
  c.add("tool", "The file is not there.", { tools = { call_id = "call_1", name = "read_file", is_error = true } })
  c.add("llm", "Because the bank blocks after four.")
  c.cycle = 2
  c.fire("ChatDone")
  local id = "codecompanion/1795000000-7942063"
  wait("the first turn", function()
    return count(id) == 3
  end)
  local text = turn(id, "T-1")
  for _, want in ipairs({ "three attempts", "read_file", "retry.go", "not there", "The policy must be read", "the bank blocks" }) do
    assert(text:find(want, 1, true), want .. " is not in\n" .. text)
  end
  assert(not text:find("programming assistant", 1, true) and not text:find("attached file", 1, true), text)

  exchange(c, "Thanks.", "You are welcome.")
  wait("the second turn", function()
    return count(id) == 5
  end)
  eq(conversations()[id].turnCount, 2)
  -- A context that goes moves what follows, and the content of old messages is cut: neither makes a message new.
  table.remove(c.messages, 2)
  c.messages[4].content = "[cleared to save tokens]"
  c.add("user", "Summary so far", { _meta = { id = 9, cycle = 3, tag = "compact_summary" } })
  c.fire("ChatDone")
  c.fire("ChatDone")
  c.fire("ChatClosed")
  settle()
  eq(count(id), 5)
  assert(turn(id, "T-2"):find("welcome", 1, true))
end)

it("sends again what the server does not have twice", function()
  local c = companion.chats[91]
  package.loaded["contexture.capture"], package.loaded["contexture.capture.codecompanion"] = nil, nil -- as after a restart
  c.fire("ChatDone")
  settle()
  eq(count("codecompanion/1795000000-7942063"), 5)
  exchange(c, "One more thing.", "Yes?")
  wait("the third turn", function()
    return count("codecompanion/1795000000-7942063") == 7
  end)
end)

it("begins another conversation where a chat is cleared", function()
  local c = chat(92, "codecompanion-1795000001-7942063")
  exchange(c, "Hello", "Hello.")
  wait("the first", function()
    return count("codecompanion/1795000001-7942063") == 2
  end)
  c.messages, c.cycle, c.hash = {}, 1, 100
  c.fire("ChatCleared")
  exchange(c, "Hello", "Hello.")
  wait("the second", function()
    return count("codecompanion/1795000001-7942063-2") == 2
  end)
  eq(count("codecompanion/1795000001-7942063"), 2)
end)

it("names a chat that has no session, as before CodeCompanion 19.17, by when it was first seen", function()
  local before = os.time()
  local c = chat(97)
  exchange(c, "Is 18 served?", "It is.")
  local id
  wait("the turn", function()
    for name in pairs(conversations()) do
      local time = name:match("^codecompanion/(%d+)%-7942063$")
      if time and tonumber(time) >= before and tonumber(time) <= os.time() then
        id = name
        return count(id) == 2
      end
    end
  end)
  exchange(c, "Still?", "Still.")
  wait("the next turn in the same", function()
    return count(id) == 4
  end)
end)

it("leaves out what a restored chat began with", function()
  local c = chat(93, "codecompanion-1795000002-7942063", {
    { role = "user", content = "Of yesterday", _meta = { id = 1, cycle = 1 }, opts = { visible = true } },
    { role = "llm", content = "Answered.", _meta = { id = 2, cycle = 1 }, opts = { visible = true } },
  })
  c.cycle = 2
  exchange(c, "Of today", "Answered, too.")
  wait("the new turn", function()
    return count("codecompanion/1795000002-7942063") == 2
  end)
  assert(turn("codecompanion/1795000002-7942063", "T-1"):find("Of today", 1, true))
end)

it("brings in the turns of Avante", function()
  local messages = {
    avante_message("user", "Which file retries payments?", { is_user_submission = true }),
    avante_message("assistant", { type = "thinking", thinking = "Search first." }),
    avante_message("assistant", { type = "tool_use", id = "toolu_1", name = "grep", input = {} }),
    avante_message("user", { type = "tool_result", tool_use_id = "toolu_1", content = "no such directory", is_error = true }),
    avante_message("user", "<system-reminder>Use tool calls.</system-reminder>", { visible = false }),
    avante_message("assistant", "Generation was cancelled", { just_for_display = true }),
    avante_message("assistant", "retry.go does."),
    avante_message("assistant", { type = "tool_use", id = "toolu_2", name = "attempt_completion", input = { result = "Found it." } }),
  }
  local other = { current_state = "generating", chat_history = { messages = { avante_message("user", "Not answered yet") } } }
  avante.sidebars = { { current_state = "succeeded", code = { bufnr = 1 }, chat_history = { messages = messages } }, other }
  local id = ("avante/%s-%s"):format(messages[1].timestamp:gsub("%D", ""), messages[1].uuid)
  turn_ends()
  wait("the first turn", function()
    return count(id) == 4
  end)
  local text = turn(id, "T-1")
  for _, want in ipairs({ "Which file", "grep", "no such directory", "Search first.", "retry.go does.", "Found it." }) do
    assert(text:find(want, 1, true), want .. " is not in\n" .. text)
  end
  assert(not text:find("system-reminder", 1, true) and not text:find("cancelled", 1, true), text)

  table.insert(messages, avante_message("user", "Thanks.", { is_user_submission = true }))
  table.insert(messages, avante_message("assistant", "You are welcome."))
  turn_ends()
  wait("the second turn", function()
    return count(id) == 6
  end)
  turn_ends()
  turn_ends()
  settle()
  eq(count(id), 6)
  for name in pairs(conversations()) do
    assert(vim.startswith(name, "codecompanion/") or name == id, name)
  end
end)

it("leaves out what Avante's chats held before", function()
  local messages = {
    avante_message("user", "Of yesterday", { timestamp = "2026-01-01 10:00:00" }),
    avante_message("assistant", "Answered.", { timestamp = "2026-01-01 10:00:05" }),
  }
  avante.sidebars = { { chat_history = { messages = messages } } }
  turn_ends()
  settle()
  local id = "avante/20260101100000-" .. messages[1].uuid
  eq(count(id), 0)
  table.insert(messages, avante_message("user", "Of today"))
  turn_ends()
  wait("the new message", function()
    return count(id) == 1
  end)
end)

it("cuts what is too long and takes what is no text", function()
  local c = chat(94, "codecompanion-1795000003-7942063")
  c.add("user", "Show the log.")
  c.add("llm", nil, {
    opts = { visible = false },
    tools = { calls = { { id = "call_9", ["function"] = { name = "cat", arguments = "not JSON" } } } },
  })
  c.add("tool", ("größe"):rep(1000000), { tools = { call_id = "call_9" } })
  c.add("llm", "Bytes: \255\254 and \0.")
  c.fire("ChatDone")
  wait("all of it", function()
    return count("codecompanion/1795000003-7942063") == 3
  end)
end)

it("keeps the rest where one message is refused", function()
  local c = chat(95, "codecompanion-1795000004-7942063")
  c.add("user", "First")
  c.add("llm", "Second", { _meta = { id = ("x"):rep(5000), cycle = 1 } }) -- no id of the contract
  c.add("user", "Third")
  c.fire("ChatDone")
  wait("the others", function()
    return count("codecompanion/1795000004-7942063") == 2
  end)
  assert(require("contexture.capture").problem():find("1795000004", 1, true))
end)

it("disturbs nothing where a chat has another form, or no server runs", function()
  kit.said = {}
  local c = chat(96, "codecompanion-1795000005-7942063")
  for _, messages in ipairs({ { 1, "two", { role = {} } }, { { role = "user", content = { 1 } } } }) do
    c.messages = messages
    c.fire("ChatDone")
  end
  companion.buf_get_chat = function()
    error("moved")
  end
  c.fire("ChatDone")
  avante.sidebars = { { chat_history = { messages = { 1, { message = 2 } } } }, 7 }
  turn_ends()
  settle()
  companion.buf_get_chat = function(buffer)
    return companion.chats[buffer]
  end
  client.stop()
  wait("stopped", function()
    return client.get() == nil
  end)
  c.messages = {}
  exchange(c, "Is anyone there?", "Yes.")
  vim.wait(50)
  eq(client.get(), nil)
  eq(kit.said, {})
  eq(vim.v.errmsg, "")
end)

kit.finish()
