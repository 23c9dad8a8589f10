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

-- What `:edit contexture://rules` shows.
vim.api.nvim_create_autocmd("BufReadCmd", {
  group = vim.api.nvim_create_augroup("contexture.places", { clear = true }),
  pattern = "contexture://*",
  callback = function(event)
    require("contexture.place").read(event.buf)
  end,
})

-- A session restores a place as an empty buffer with its name.
vim.api.nvim_create_autocmd("SessionLoadPost", {
  group = "contexture.places",
  callback = function()
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_is_loaded(buffer) and vim.startswith(vim.api.nvim_buf_get_name(buffer), "contexture://") then
        require("contexture.place").read(buffer)
      end
    end
  end,
})
