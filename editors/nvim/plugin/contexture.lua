-- Loaded at every start: it defines one command and loads nothing else before that is used.
if vim.g.loaded_contexture then
  return
end
vim.g.loaded_contexture = 1

vim.api.nvim_create_user_command("Contexture", function(call)
  require("contexture.command").run(call)
end, {
  nargs = "*",
  range = true,
  desc = "Contexture: the right context for an AI assistant",
  complete = function(lead, line)
    return require("contexture.command").complete(lead, line)
  end,
})
