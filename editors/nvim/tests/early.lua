-- A suite that ends early fails, and says in which test: suites that do so, each in a Neovim of its own.
local here = vim.fn.fnamemodify(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)), ":p")
local kit = dofile(here .. "kit.lua")

-- Runs a suite with the body of its second test of three, and returns the exit status and what it said. By itself it is
-- without suite.sh, as run.lua runs capture.lua.
local function suite(body, last, by_itself)
  local file = vim.fn.tempname() .. ".lua"
  local text = ([[
    local kit = dofile(%q)
    kit.it("the first", function() end)
    kit.it("the second", function()
      %s
    end)
    kit.it("the third", function() end)
    %s
  ]]):format(here .. "kit.lua", body, last or "kit.finish()")
  vim.fn.writefile(vim.split(text, "\n"), file)
  local cmd = by_itself and { vim.v.progpath, "--clean", "--headless", "-l", file } or { "sh", here .. "suite.sh", vim.v.progpath, file }
  local done = vim.system(cmd, { text = true }):wait(30000)
  vim.fn.delete(file)
  return done.code, done.stdout .. done.stderr
end

kit.it("passes where all tests pass", function()
  local code, said = suite("")
  assert(code == 0 and said:find("3 passed, 0 failed", 1, true), said)
end)

kit.it("goes on after a test that fails", function()
  for body, why in pairs({
    ["error('broken')"] = "broken",
    ["os.exit(0)"] = "os.exit would end the suite",
    ["vim.ui.select({ 'left', 'right' }, { prompt = 'Which?' }, function() end)"] = "Which?",
    ["vim.ui.input({ prompt = 'Name: ' }, function() end)"] = "Name: ",
    ["pcall(vim.fn.confirm, 'Sure?')"] = "Sure?",
    ["vim.schedule(function() vim.fn.getcharstr() end) kit.wait('an answer', function() end)"] = "getcharstr",
  }) do
    local code, said = suite(body)
    assert(code ~= 0 and said:find("the second ... not ok", 1, true) and said:find(why, 1, true), said)
    assert(said:find("2 passed, 1 failed", 1, true), said)
  end
end)

kit.it("fails where Neovim ends in a test", function()
  for _, body in ipairs({
    "vim.cmd.qall()",
    "vim.cmd('0cquit')",
    "vim.cmd([[call input('Name: ')]])",
    "vim.schedule(function() vim.cmd('qall!') end) vim.wait(5000)",
    "vim.uv.kill(vim.uv.os_getpid(), 'sigterm') vim.wait(5000)",
    "vim.uv.kill(vim.uv.os_getpid(), 'sigkill')",
    "vim.cmd('noautocmd qall!')", -- which no autocommand of the kit sees
  }) do
    local code, said = suite(body)
    assert(code == 1 and said:find("the second ... ", 1, true), body .. ": " .. said)
    assert(not said:find("the third", 1, true) and said:find("in the last test", 1, true), body .. ": " .. said)
    code, said = suite(body, nil, true)
    if not body:find("noautocmd", 1, true) and not body:find("sigkill", 1, true) then
      assert(code == 1 and said:find('ends early, in or after "the second"', 1, true), body .. ": " .. said)
    end
  end
end)

kit.it("fails where a suite does not come to its end", function()
  for _, last in ipairs({
    "",
    "vim.cmd('noautocmd qall!')",
    "error('broken')",
    "io.write('3 passed, 0 failed\\n') vim.uv.kill(vim.uv.os_getpid(), 'sigkill')",
  }) do
    local code, said = suite("", last)
    assert(code == 1 and said:find("FAILED", 1, true), last .. ": " .. said)
  end
  local code, said = suite("", "", true)
  assert(code == 1 and said:find('ends early, in or after "the third"', 1, true), said)
end)

kit.finish()
