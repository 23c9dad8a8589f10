-- What the tests share: a workspace, the program under test, and a tiny runner.
--
--   CONTEXTURE=/path/to/contexture sh tests/suite.sh nvim tests/run.lua
local M = {}

io.stdout:setvbuf("no") -- what was said before a crash is in the log

M.plugin = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p"))))
M.program = assert(vim.env.CONTEXTURE, "CONTEXTURE names the program under test")

-- A folder that git would take for a repository, so that the client finds its root.
function M.workspace(files)
  local root = vim.uv.fs_realpath(vim.fs.dirname(vim.fn.tempname())) .. "/ws" .. vim.uv.hrtime()
  vim.fn.mkdir(root .. "/.git", "p")
  for name, text in pairs(files) do
    vim.fn.mkdir(vim.fs.dirname(root .. "/" .. name), "p")
    vim.fn.writefile(vim.split(text, "\n"), root .. "/" .. name)
  end
  return root
end

-- The command of a server of its own: nothing is shared with the person's.
function M.cmd()
  return { M.program, "serve", "--daemon=off", "--offline", "--state-dir", vim.fn.tempname() }
end

-- The workspace that all clients' tests open.
local shop = vim.fs.dirname(vim.fs.dirname(M.plugin)) .. "/testdata/workspaces/shop"
M.files = {}
for name in vim.fs.dir(shop) do
  M.files[name] = table.concat(vim.fn.readfile(shop .. "/" .. name), "\n") .. "\n"
end

-- What vim.notify has said since start, or since a test emptied it.
M.said = {}

-- Opens the clients' workspace with the plugin loaded, and returns its root.
function M.start()
  vim.opt.rtp:prepend(M.plugin)
  vim.cmd.runtime("plugin/contexture.lua")
  local root = M.workspace(M.files)
  vim.cmd.cd(root)
  vim.notify = function(text)
    table.insert(M.said, text)
  end
  return root
end

local passed, failed = 0, 0
local running -- the name of the test that runs, or that ran last
local asked -- what it asked a person, without answering in the person's place

-- Nothing but M.finish ends a suite well. Neovim leaves with status 0 where a prompt finds its input at its end, and
-- where anything quits; every test that follows would silently count as passed.
local exit = os.exit
local early = vim.api.nvim_create_autocmd("VimLeavePre", {
  callback = function()
    io.write(("\nnot ok: Neovim ends early, in or after %q: something quit, asked for input, or stopped it\n"):format(running or "the start"))
    exit(1)
  end,
})
os.exit = function() -- luacheck: ignore 122
  error("os.exit would end the suite", 2)
end

-- A prompt fails the test that leads to it; one that is meant replaces vim.ui.input or vim.ui.select.
for _, name in ipairs({ "confirm", "getchar", "getcharstr", "input", "inputdialog", "inputlist", "inputsecret" }) do
  vim.fn[name] = function(...)
    asked = ("asks without an answer: %s %s"):format(name, vim.inspect({ ... }))
    error(asked, 2)
  end
end

-- Runs a test. Its name is written first: whatever ends the process, the log says in which test.
function M.it(name, test)
  running, asked = name, nil
  io.write(name, " ... ")
  local ok, err = xpcall(test, debug.traceback)
  if ok and not asked then
    passed = passed + 1
    io.write("ok\n")
  else
    failed = failed + 1
    io.write("not ok\n", asked and asked .. "\n" or "", tostring(err or ""), "\n")
  end
end

function M.eq(got, want)
  if not vim.deep_equal(got, want) then
    error(("got %s\nwant %s"):format(vim.inspect(got), vim.inspect(want)), 2)
  end
end

function M.wait(what, condition, ms)
  local met = vim.wait(ms or 10000, function()
    return asked or condition()
  end, 10)
  if asked or not met then
    error("never: " .. what, 2)
  end
end

-- Calls an asynchronous function and gives what it calls back with.
function M.await(call)
  local got
  call(function(...)
    got = { n = select("#", ...), ... }
  end)
  M.wait("the callback", function()
    return got ~= nil
  end)
  return unpack(got, 1, got.n)
end

-- Ends a suite; suite.sh looks for its line.
function M.finish()
  vim.api.nvim_del_autocmd(early)
  io.write(("%d passed, %d failed\n"):format(passed, failed))
  exit(failed == 0 and passed > 0 and 0 or 1)
end

-- Executes commands of the contract, each with its arguments, in a second Neovim, one after the other.
function M.execute(ui, commands)
  for _, one in ipairs(commands) do
    ui:lua([[
      local command, args = ...
      vim.g.executed = ""
      require("contexture").execute("contexture." .. command, args, function(err)
        vim.g.executed = err and err.message or "yes"
      end)
    ]], one[1], one[2])
    M.wait(one[1], function()
      return ui:lua("return vim.g.executed") ~= ""
    end, 30000)
    M.eq(ui:lua("return vim.g.executed"), "yes")
  end
end

return M
