-- What run.lua tests of the conversation that the panel continues. It begins with a panel open, and leaves one open that
-- continues "talk".
return function(kit, text_of)
  local it, eq, wait = kit.it, kit.eq, kit.wait

  it("continues no conversation until one is chosen, and then that one", function()
    local panels = require("contexture.panel")
    local select, options = vim.ui.select, require("contexture.options").get()
    local talk = "We decided to keep three attempts in retryPayment" -- how the conversation's title begins
    -- Chooses by what a person reads, in the panel that is open.
    local function choose(name)
      vim.cmd.stopinsert()
      vim.api.nvim_set_current_win(panels.get().result_window)
      local chosen
      vim.ui.select = function(items, how, done)
        chosen = vim.iter(items):find(function(item)
          return vim.startswith(how.format_item(item), name)
        end)
        done(chosen)
      end
      vim.api.nvim_feedkeys("c", "x", false)
      wait(name .. " among the conversations", function()
        return chosen
      end)
    end
    -- Waits until the panel shows the bundle of a conversation, or of none.
    local function shows(id, name)
      local panel = panels.get()
      eq(panel:arguments("x").conversationId, id)
      wait(name .. " in\n" .. text_of(panel.result), function()
        local text = text_of(panel.result)
        return panel.bundle and text:find("\nConversation: " .. name, 1, true) and (text:find("Open questions", 1, true) ~= nil) == (id ~= nil)
      end)
    end
    shows(nil, "none")
    choose(talk)
    shows("talk", talk)
    panels.get():close()
    panels.open("where are payments retried?")
    shows("talk", talk) -- the choice outlives a panel
    options.conversation = "older"
    choose("None")
    shows(nil, "none")
    panels.get():close()
    panels.open("where are payments retried?")
    shows(nil, "none") -- even where the option names one
    panels.forgotten("older")
    panels.get():close()
    panels.open("")
    choose(talk) -- before there is a prompt
    wait("it without a prompt", function()
      return vim.startswith(text_of(panels.get().result), "Type a prompt above.\nConversation: " .. talk)
    end)
    panels.forgotten("talk")
    panels.get():close()
    panels.open("Shop README")
    shows("older", "older")
    options.conversation = nil
    choose(talk)
    shows("talk", talk)
    vim.ui.select = select
  end)
end
