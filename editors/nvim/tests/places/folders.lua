--- What places.lua tests of places with several folders.
return function(kit)
  local it, eq, wait = kit.it, kit.eq, kit.wait
  local client = require("contexture.client")

  it("is about the folder of the file that it is opened from", function()
    local root = client.get().workspace_folders[1].uri
    local other = kit.workspace({ ["other.go"] = "package other\n" })
    vim.cmd.edit(other .. "/other.go")
    vim.bo.filetype = "go"
    wait("a second folder", function()
      return #client.get().workspace_folders == 2
    end)
    vim.cmd("Contexture rules")
    kit.see("No rule has been stored yet")
    kit.answers("Only here.")
    kit.press("o")
    kit.see("Only here.")
    eq(#kit.call("knowledge.list", { kind = "rule", workspace = vim.uri_from_fname(other) }).items, 1)
    kit.press("q")
    vim.cmd.edit(vim.uri_to_fname(root) .. "/retry.go")
    vim.cmd("Contexture rules")
    wait("the first folder's rules", function()
      return not kit.text():find("Only here.", 1, true)
    end)
    vim.cmd("Contexture conversations") -- from a place, about its folder
    eq(require("contexture.place").get().workspace, root)
    kit.press("q")
    vim.cmd.edit(other .. "/other.go")
    vim.cmd("Contexture rules")
    kit.see("Only here.")
    kit.press("q")
    vim.cmd("bwipeout! " .. vim.fn.fnameescape(other .. "/other.go"))
    vim.cmd.edit(vim.uri_to_fname(root) .. "/retry.go")
    wait("attached", function() -- which Neovim does when it is idle
      return vim.lsp.buf_is_attached(0, client.get().id)
    end)
    local folder = { uri = vim.uri_from_fname(other), name = "other" }
    local c = client.get()
    local params = { event = { added = {}, removed = { folder } } }
    if vim.fn.has("nvim-0.11") == 1 then
      c:notify("workspace/didChangeWorkspaceFolders", params)
    else
      c.notify("workspace/didChangeWorkspaceFolders", params)
    end
    c.workspace_folders = vim.tbl_filter(function(f)
      return f.uri ~= folder.uri
    end, c.workspace_folders)
  end)
end
