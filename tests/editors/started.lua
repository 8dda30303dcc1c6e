-- Run in a headless Neovim after the settings: opens g:file, waits until the server has answered or the user was told something, and
-- writes to g:told what that was.

local told = {}
vim.notify = function(text)
  table.insert(told, text)
end

vim.cmd('edit ' .. vim.fn.fnameescape(vim.g.file))
local clients = function()
  return vim.lsp.get_clients and vim.lsp.get_clients() or vim.lsp.get_active_clients()
end
assert(vim.wait(20000, function()
  return #told > 0 or (#clients() > 0 and clients()[1].server_capabilities ~= nil and #vim.tbl_keys(clients()[1].server_capabilities) > 0)
end, 20), 'neither a server nor a word')

vim.fn.writefile(vim.split(table.concat(told, '\n'), '\n'), vim.g.told)
vim.cmd('quitall!')
