--- What places.lua tests of a person's tasks: each takes at most five actions, which are commands, keys and answers.
return function(kit)
  local it, eq = kit.it, kit.eq

  -- Does a task step by step: a command, keys, an answer to what is asked next, or the text of the line to go to; what
  -- is to be seen then is waited for.
  local function task(name, steps)
    it(name .. ", in at most five actions", function()
      assert(#steps <= 5, #steps .. " actions")
      for i, step in ipairs(steps) do
        if step.answer then
          kit.answers(step.answer)
        end
        if step.command then
          vim.cmd("Contexture " .. step.command)
        elseif step.line then
          kit.go(step.line)
        elseif step.keys then
          kit.press(step.keys)
        end
        if step.see then
          kit.see(step.see)
        end
        if step.told then
          kit.told(step.told)
        end
        if step.check then
          kit.wait(("step %d of %s"):format(i, name), step.check)
        end
      end
      local panel = require("contexture.panel").get()
      if panel then
        panel:close()
      end
      vim.cmd("silent! fclose!")
      vim.cmd("silent! only!")
      vim.cmd.enew() -- so that the next task sees nothing of this one
      eq(kit.text(), "")
    end)
  end

  kit.call("conversation.append", {
    conversationId = "tasks",
    messages = {
      { id = "1", role = "user", at = "2026-02-05T10:00:00Z", content = "From now on always name the bank in logs, and the account too where there is one, so that whoever reads them later finds both." },
      { id = "2", role = "assistant", at = "2026-02-05T10:01:00Z", content = "Understood." },
      { id = "3", role = "user", at = "2026-02-05T10:02:00Z", content = "We decided to never retry refunds, because the bank books them twice." },
      { id = "4", role = "assistant", at = "2026-02-05T10:03:00Z", content = "Noted." },
    },
  })
  kit.said = {}

  task("say why a file is missing", {
    { command = "why .git/HEAD", told = "not indexed" },
  })
  task("accept a rule", {
    { command = "rules", see = "Candidates to accept" },
    { line = "always name the bank" },
    { keys = "a", told = "accepted" },
  })
  task("see what was decided about refunds", {
    { command = "recall what was decided about refunds", see = "never retry refunds" },
  })
  task("see the decisions of a conversation where they were made", {
    { command = "conversation tasks", see = "tasks   2 turns" },
    { line = "never retry refunds" },
    { keys = "o", see = "assistant: Noted." },
  })
  task("copy a bundle", {
    { command = "bundle how often is retryPayment tried again?", check = function()
      local panel = require("contexture.panel").get()
      return panel and panel.bundle
    end },
    { keys = "<CR>", check = function()
      return vim.bo.filetype == "contexture-context"
    end },
    { keys = "y", told = "copied" },
  })
  task("go to the code of a hit", {
    { command = "search retryPayment kind:code", see = "│ func retryPayment" },
    { line = "│ func retryPayment" },
    { keys = "<CR>", check = function()
      return vim.fs.basename(vim.api.nvim_buf_get_name(0)) == "retry.go"
    end },
  })
  local root = vim.uri_to_fname(require("contexture.client").get().workspace_folders[1].uri)
  vim.fn.mkdir(root .. "/old", "p")
  task("exclude a folder", {
    { command = "exclude old", told = "/old/ is now in .contextureignore" },
  })
  task("take an exclusion back", {
    { command = "include /old/", told = "/old/ is no longer in .contextureignore" },
  })
  vim.fn.delete(root .. "/.contextureignore")
  vim.fn.delete(root .. "/old", "rf")

  task("read the last faults and latencies", {
    { command = "index", see = "Faults" },
  })
  task("store a rule", {
    { command = "rules", see = "Rules and decisions" },
    { keys = "o", answer = "Always log the amount in cents.", see = "Always log the amount in cents." },
  })
  task("forget a conversation", {
    { command = "conversations", see = "From now on always name the bank" },
    { line = "From now on always name the bank" },
    { keys = "d", answer = "yes", told = "forgotten: tasks" },
  })
  it("leaves nothing of the tasks", function()
    for _, item in ipairs(kit.call("knowledge.list", { kind = "rule", superseded = true }).items) do
      kit.call("knowledge.delete", { id = item.id })
    end
    eq(#kit.call("knowledge.list", { kind = "rule" }).items, 0)
  end)
end
