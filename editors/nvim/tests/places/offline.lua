--- What places.lua tests of places whose server is gone.
return function(kit)
  local it, eq, wait = kit.it, kit.eq, kit.wait
  local client = require("contexture.client")

  it("does not start a server that a person has stopped", function()
    vim.cmd("Contexture index")
    kit.see("Index   ")
    client.stop()
    wait("stopped", function()
      return client.get() == nil
    end)
    vim.wait(600) -- longer than a place waits after an event
    eq(#vim.lsp.get_clients({ name = "contexture", _uninitialized = true }), 0)
    kit.see("Index   ")
    kit.press("R")
    wait("a server", function()
      return client.get() ~= nil
    end)
    kit.see("3 chunks")
    kit.press("q")
  end)

  it("says in each place that nothing answers, and goes on when something does", function()
    local options = require("contexture.options").get()
    local cmd = options.cmd
    client.stop()
    wait("stopped", function()
      return client.get() == nil
    end)
    options.cmd = { "no-such-program" }
    for _, place in ipairs({ "rules", "conversations", "conversation payments", "sources", "topics", "index", "search retry" }) do
      kit.said = {}
      vim.cmd("Contexture " .. place)
      kit.see("is unavailable: contexture is not running")
      kit.told("no-such-program")
      kit.press("q")
    end
    options.cmd = cmd
    vim.cmd("Contexture rules")
    kit.see("Rules and decisions   ")
  end)
end
