-- The context and the tools in other plugins' chats. The chats are stand-ins of the form that CodeCompanion has at
-- revision f1afd025 (19.22), CopilotChat.nvim at f0c2a23a (4.7), and Avante at a9334315.
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local kit = dofile(here .. "/kit.lua")
local it, eq, wait, await = kit.it, kit.eq, kit.wait, kit.await

kit.start()
require("contexture").setup({ cmd = kit.cmd() })
vim.cmd.edit("retry.go")
vim.bo.filetype = "go"
local file = vim.api.nvim_get_current_buf()
wait("the index", function()
  local status = require("contexture.status").get()
  return status and status.state == "idle" and status.files == 3
end)

local question = "where are payments retried?"

local function is_context(text)
  return text:find("func retryPayment", 1, true) and not text:find("<ctx-prompt>", 1, true)
end

-- CodeCompanion: what the extension finds there, and a chat of whose buffer this keeps only what is typed.
local companion = { chats = {} }
function companion.buf_get_chat(buffer)
  return companion.chats[buffer]
end
local config = { interactions = { chat = { tools = {}, slash_commands = {} }, shared = { editor_context = {} } } }
function config.can_send_code()
  return config.may_send
end
config.may_send = true
package.loaded["codecompanion"] = companion
package.loaded["codecompanion.config"] = config
package.loaded["codecompanion.interactions.chat.parser"] = {
  messages = function(chat)
    return chat.typed ~= "" and { content = chat.typed } or nil
  end,
}

local function companion_chat(bufnr, typed)
  local chat = { bufnr = bufnr, typed = typed, header_line = 1, messages = {}, callbacks = {}, lines = {} }
  chat.buffer_context = { bufnr = file, is_visual = true, start_line = 6, end_line = 14 }
  function chat:add_context(data, source, id)
    table.insert(self.lines, id)
    table.insert(self.messages, {
      role = "user",
      content = data.content,
      opts = { visible = false },
      context = { id = id },
      _meta = { tag = source },
    })
  end
  function chat:add_callback(event, callback)
    self.callbacks[event] = callback
  end
  companion.chats[bufnr] = chat
  vim.api.nvim_exec_autocmds("User", { pattern = "CodeCompanionChatCreated", data = { bufnr = bufnr } })
  return chat
end

it("CodeCompanion's model has the tools", function()
  require("codecompanion._extensions.contexture").setup()
  local tool = config.interactions.chat.tools.contexture_bundle.callback()
  eq(tool.schema["function"].parameters.required, { "prompt" })
  local out = await(function(done)
    tool.cmds[1]({}, { prompt = question }, { output_cb = done })
  end)
  eq(out.status, "success")
  local added
  local chat = {
    add_tool_output = function(_, _, result)
      added = result
    end,
  }
  tool.output.success({}, { out.data }, { tools = { chat = chat } })
  assert(added:find("retryPayment", 1, true), added)
end)

it("/contexture adds what CodeCompanion's prompt is about, once, and a line that says so", function()
  local slash = config.interactions.chat.slash_commands.contexture.callback
  local chat = companion_chat(file, question)
  slash(chat)
  wait("the context", function()
    return #chat.messages > 0
  end)
  assert(is_context(chat.messages[1].content), chat.messages[1].content)
  assert(chat.lines[1]:find("^<contexture>where are payments retried%? · %d items?, %d+ tokens</contexture>$"), chat.lines[1])
  kit.said = {}
  slash(chat)
  wait("the second answer", function()
    return #chat.messages > 1 or kit.said[1]
  end)
  for i = 2, #chat.messages do
    assert(not chat.messages[i].content:find("func retryPayment", 1, true), "given twice: " .. chat.messages[i].content)
  end
end)

it("/contexture asks where nothing is typed, and keeps to what may be sent", function()
  local slash = config.interactions.chat.slash_commands.contexture.callback
  local chat = companion_chat(file, "")
  vim.ui.input = function(_, done)
    done(question)
  end
  slash(chat)
  wait("the context", function()
    return #chat.messages > 0
  end)
  config.may_send, kit.said = false, {}
  slash(chat)
  assert(kit.said[1]:find("send no code", 1, true), kit.said[1])
  config.may_send = true
end)

it("#{contexture} is replaced by the context", function()
  local entry = config.interactions.shared.editor_context.contexture
  eq(entry.opts.interactions, { "chat" })
  local module = require(entry.path)
  local chat = companion_chat(file, "#{contexture} " .. question)
  module.new({ Chat = chat, buffer_context = chat.buffer_context, config = entry }):chat_render()
  assert(is_context(chat.messages[1].content), chat.messages[1].content)
  eq(module.replace("#", chat.typed, file), question)
end)

it("gives every prompt of CodeCompanion its context where that is asked for", function()
  eq(companion_chat(file, question).callbacks, {})
  require("codecompanion._extensions.contexture").setup({ always = true })
  local chat = companion_chat(file, question)
  eq(chat.callbacks.on_before_submit(chat), nil)
  assert(is_context(chat.messages[1].content), chat.messages[1].content)
  chat.typed = "#{contexture} " .. question
  local before = #chat.messages
  chat.callbacks.on_before_submit(chat)
  eq(#chat.messages, before) -- the editor context adds it
end)

it("sends a prompt without a context where there is no answer, and says why", function()
  local chat = companion_chat(file, question)
  local client = require("contexture.client")
  local execute = client.execute
  client.execute = function(_, _, callback)
    callback({ message = "the index is locked" })
    return function() end
  end
  kit.said = {}
  chat.callbacks.on_before_submit(chat)
  client.execute = execute
  eq(chat.messages, {})
  eq(kit.said, { "contexture: no context: the index is locked" })
end)

-- CopilotChat.nvim runs its functions in coroutines of plenary's; of that it needs this.
package.loaded["plenary.async"] = {
  wrap = function(start)
    return function()
      local thread = coroutine.running()
      start(function(...)
        coroutine.resume(thread, ...)
      end)
      return coroutine.yield()
    end
  end,
}

local copilot = {
  ask = function(prompt)
    return prompt
  end,
}
package.loaded["CopilotChat"] = copilot

local function resolve(one, input)
  local done, result
  coroutine.wrap(function()
    done, result = pcall(one.resolve, input, { bufnr = file })
  end)()
  wait("the function", function()
    return done ~= nil
  end)
  assert(done, result)
  return result
end

it("CopilotChat has the tools, and the context as a resource", function()
  local functions = require("contexture.integrations.copilotchat").functions()
  eq(vim.tbl_count(functions), 3)
  assert(resolve(functions.contexture_search, { query = "retryPayment" })[1].data:find("retry.go:", 1, true))
  vim.wait(10)
  eq(copilot.ask("> #contexture\n#contexture " .. question), "> #contexture\n#contexture " .. question)
  local given = resolve(functions.contexture, {})[1]
  assert(is_context(given.data), given.data)
  local again = given.uri:match("^contexture://(%S+)$")
  eq(resolve(functions.contexture, { prompt = again })[1].uri, given.uri)
  copilot.ask("#contexture")
  eq(resolve(functions.contexture, {}), {})
end)

-- Avante: a sidebar that notes what is sent.
local sidebar = { code = { bufnr = file }, chat_history = { messages = {} }, sent = {} }
sidebar.code.selection = { range = { start = { lnum = 6, col = 1 }, finish = { lnum = 14, col = 1 } } }
function sidebar:add_history_messages(messages)
  vim.list_extend(self.chat_history.messages, messages)
end
function sidebar:handle_submit(prompt)
  table.insert(self.sent, prompt)
end
package.loaded["avante.sidebar"] = sidebar
package.loaded["avante.history.message"] = {
  new = function(_, role, content, opts)
    return vim.tbl_extend("force", { message = { role = role, content = content }, visible = true }, opts)
  end,
}

it("Avante's model has the tools", function()
  local tools = require("contexture.integrations.avante").tools()
  eq(#tools, 3)
  local text, err
  tools[2].func({ query = "retryPayment" }, nil, function(t, e)
    text, err = t, e
  end)
  wait("the answer", function()
    return text
  end)
  assert(not err and text:find("retry.go:", 1, true), text)
end)

it("/contexture sends a prompt of Avante with its context, which is not shown", function()
  local command = require("contexture.integrations.avante").command
  kit.said = {}
  command.callback(sidebar, "")
  assert(kit.said[1]:find("/contexture where", 1, true), kit.said[1])
  command.callback(sidebar, question)
  wait("the prompt", function()
    return #sidebar.sent == 1
  end)
  local message = sidebar.chat_history.messages[1]
  assert(is_context(message.message.content) and message.visible == false, vim.inspect(message))
  eq(sidebar.sent, { question })
end)

it("gives every prompt of Avante its context where that is asked for, nothing of it twice", function()
  require("contexture.integrations.avante").always()
  sidebar:handle_submit(question)
  wait("the prompt", function()
    return #sidebar.sent == 2
  end)
  for i = 2, #sidebar.chat_history.messages do
    local text = sidebar.chat_history.messages[i].message.content
    assert(not text:find("func retryPayment", 1, true), "given twice: " .. text)
  end
  sidebar:handle_submit("/clear")
  eq(sidebar.sent, { question, question, "/clear" })
end)

kit.finish()
