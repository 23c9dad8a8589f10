--- The context of a prompt in CopilotChat.nvim, as revision f0c2a23a (4.7) has it:
--- `functions = require("contexture.integrations.copilotchat").functions()` in its setup. Each function is a tool, such as
--- @contexture_search; the context is a resource, too: #contexture for the prompt itself, #contexture:`words` for others.
local tools = require("contexture.integrations.tools")

local M = {}

local scheme = "contexture://"

local asked = "" -- the prompt that is being sent

-- CopilotChat gives a resource no prompt.
local function note_prompts()
  local chat = require("CopilotChat")
  local ask = chat.ask
  chat.ask = function(prompt, config)
    asked = prompt or ""
    return ask(prompt, config)
  end
end

-- The words of a prompt: without sticky lines and without this resource.
local function words(prompt)
  local lines = vim.tbl_filter(function(line)
    return not vim.startswith(line, ">")
  end, vim.split(prompt, "\n"))
  return vim.trim((table.concat(lines, "\n"):gsub("#contexture%f[%W]", "")))
end

-- Calls what calls back, from within CopilotChat's coroutine.
local function await(start)
  local err, result = require("plenary.async").wrap(start, 1)()
  return result or error("contexture: " .. err, 0)
end

local function resource(input, source)
  local prompt = input.prompt and vim.uri_decode(input.prompt) or words(asked)
  if prompt == "" then
    return {}
  end
  local context = await(function(done)
    tools.context(prompt, { buffer = source and source.bufnr }, done)
  end)
  if context.text == "" then
    return {}
  end
  return { { uri = scheme .. vim.uri_encode(prompt), name = context.title, mimetype = "text/plain", data = context.text } }
end

local function tool_function(tool)
  return {
    group = "contexture",
    description = tool.description,
    schema = tools.schema(tool),
    resolve = function(input)
      local text = await(function(done)
        tool.run(input, done)
      end)
      return { { data = text ~= "" and text or "Nothing was found.", mimetype = "text/plain" } }
    end,
  }
end

---@return table<string, table>
function M.functions()
  vim.schedule(note_prompts)
  local functions = {
    contexture = {
      group = "contexture",
      uri = scheme .. "{prompt}",
      description = "The context of a prompt: code, documents, rules and memory of this workspace, within a token budget.",
      schema = {
        type = "object",
        properties = { prompt = { type = "string", description = "what is asked, in full; the prompt itself when absent" } },
      },
      resolve = resource,
    },
  }
  for _, tool in ipairs(tools.list) do
    if tool.name ~= "contexture_bundle" then -- the first function is this tool as well
      functions[tool.name] = tool_function(tool)
    end
  end
  return functions
end

return M
