-- The places against the real program, in this Neovim: what all of them have, then each by its own file.
local here = vim.fn.fnamemodify(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)), ":p")
local kit = dofile(here .. "kit.lua")
kit.start()
vim.env.HOME = vim.fn.tempname() -- a source that is switched on reads nothing of the person's
vim.fn.mkdir(vim.env.HOME, "p")
for _, kind in ipairs({ "CONFIG", "STATE", "CACHE", "DATA" }) do
  vim.env["XDG_" .. kind .. "_HOME"] = vim.env.HOME .. "/" .. kind:lower()
end
local contexture = require("contexture")
local client = require("contexture.client")
contexture.setup({ cmd = kit.cmd(), panel = { delay = 10 } })

-- The text of a buffer, the current one by default.
function kit.text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false), "\n")
end

-- Waits until the current buffer shows a text.
function kit.see(text, ms)
  local shown = vim.wait(ms or 10000, function()
    return kit.text():find(text, 1, true) ~= nil
  end, 10)
  if not shown then
    error(("%q is not in\n%s"):format(text, kit.text()), 2)
  end
end

-- Presses keys as a person does, and waits until they are processed.
function kit.press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), "xt", false)
end

-- Puts the cursor on the first line that shows a text.
function kit.go(text)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search("\\V" .. vim.fn.escape(text, "\\"), "c") > 0, ("%q is not in\n%s"):format(text, kit.text()))
end

-- Executes a command of the contract and returns its result.
function kit.call(command, args)
  local err, result = kit.await(function(done)
    contexture.execute("contexture." .. command, args, done)
  end)
  assert(not err, vim.inspect(err))
  return result
end

-- Answers what vim.ui.input and vim.ui.select ask, in order; a function of a selection gets its items.
function kit.answers(...)
  local left = { ... }
  vim.ui.input = function(_, done)
    done(table.remove(left, 1))
  end
  vim.ui.select = function(items, _, done)
    local answer = table.remove(left, 1)
    done(type(answer) == "function" and answer(items) or answer)
  end
end

-- Waits until a text has been notified.
function kit.told(text)
  kit.wait(text .. " in " .. vim.inspect(kit.said), function()
    return vim.iter(kit.said):any(function(said)
      return said:find(text, 1, true) ~= nil
    end)
  end)
  kit.said = {}
end

vim.cmd.edit("retry.go")
vim.bo.filetype = "go"
kit.wait("the index", function()
  local status = require("contexture.status").get()
  return client.get() and status and status.state == "idle" and status.files == 3
end)

-- Each file by itself with PLACE=rules.
for _, name in ipairs(vim.env.PLACE and { vim.env.PLACE } or { "common", "context", "rules", "conversations", "conversation", "topics", "index", "search", "pickers", "ticklers", "tasks", "folders", "offline" }) do
  dofile(here .. "places/" .. name .. ".lua")(kit)
  vim.cmd("silent! only!")
end
kit.it("serves no folder but the workspace", function()
  kit.eq(#client.get().workspace_folders, 1)
end)
client.stop()
vim.fn.delete(vim.env.HOME, "rf")
kit.finish()
