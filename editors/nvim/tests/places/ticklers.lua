--- What places.lua tests of reminders as virtual text.
return function(kit)
  local it, eq, wait = kit.it, kit.eq, kit.wait
  local options = require("contexture.options")
  local ticklers = require("contexture.ticklers")
  local namespace = vim.api.nvim_create_namespace("contexture.ticklers")

  local function marks()
    return vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })
  end

  -- The first text of a kind, "virt_lines" or "virt_text", that names a turn.
  local function shown(kind)
    for _, mark in ipairs(marks()) do
      local text = mark[4][kind] and vim.iter(mark[4][kind]):flatten(3):join("")
      if text and text:find("⟲ Turn 1", 1, true) then
        return text
      end
    end
  end

  it("asks for reminders and shows them above their lines", function()
    kit.call("conversation.append", {
      conversationId = "reminded",
      messages = { { role = "user", content = "Why does retryPayment give up so early?", at = "2026-02-03T04:05:06Z" } },
    })
    vim.cmd.edit("retry.go")
    vim.cmd("Contexture ticklers above")
    wait("a reminder", function()
      ticklers.refresh(0)
      vim.wait(100)
      return shown("virt_lines")
    end)
    vim.cmd("Contexture ticklers eol")
    wait("the same at the end of the line", function()
      return shown("virt_text") and not shown("virt_lines")
    end)
    vim.cmd("Contexture ticklers off")
    eq(marks(), {})
  end)

  it("are on for a new user, who is told once how they go", function()
    local file = vim.fn.stdpath("state") .. "/contexture-reminders"
    vim.fn.delete(file)
    options.get().ticklers.virtual_text = nil
    kit.said = {}
    ticklers.follow()
    wait("a reminder", function()
      return shown("virt_text")
    end)
    wait("how they go", function()
      return kit.said[1]
    end)
    ticklers.refresh(0)
    vim.wait(200)
    eq(#kit.said, 1)
    assert(kit.said[1]:find(":Contexture ticklers off", 1, true), kit.said[1])
    vim.cmd("Contexture ticklers off")
    options.get().ticklers.virtual_text = nil -- as in the next Neovim
    ticklers.follow()
    vim.wait(200)
    eq(marks(), {})
    vim.cmd("Contexture ticklers on")
    eq(vim.fn.readfile(file), { "on" })
    vim.cmd("Contexture ticklers off")
  end)

  it("refuses a position that there is not", function()
    local ok, err = pcall(require("contexture.options").set, { ticklers = { position = "below" } })
    assert(not ok and err:find("eol or above", 1, true), err)
  end)
end
