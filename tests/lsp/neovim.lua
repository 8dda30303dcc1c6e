-- Run by test_neovim.py in a headless Neovim: opens a config, and writes down what a person would see and get.
-- Global variables come from the command line: FILE, WORD (hover there), TITLE (the code action to apply), OUT.

local function waited(what, done)
  assert(vim.wait(20000, done, 20), 'nothing came of ' .. what)
end

vim.cmd('edit ' .. vim.fn.fnameescape(FILE))
waited('the diagnostics', function()
  return #vim.diagnostic.get(0) > 0
end)

local found = { diagnostics = {} }
for _, one in ipairs(vim.diagnostic.get(0)) do
  table.insert(found.diagnostics, { line = one.lnum + 1, column = one.col, message = one.message, source = one.source })
end

local function ask(method, parameters)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, parameters, 20000)) do
    assert(not answer.error, vim.inspect(answer.error))
    return answer.result
  end
end

local function position(line, character)
  return { line = line - 1, character = character }
end

local document = vim.lsp.util.make_text_document_params()
local line = vim.fn.search(WORD)
found.hover = ask('textDocument/hover', { textDocument = document, position = position(line, 0) }).contents.value

local bad = vim.diagnostic.get(0)
local actions = {}
for _, one in ipairs(bad) do
  local range = { start = position(one.lnum + 1, one.col), ['end'] = position(one.end_lnum + 1, one.end_col) }
  vim.list_extend(actions, ask('textDocument/codeAction', { textDocument = document, range = range, context = { diagnostics = {} } }))
end
for _, action in ipairs(actions) do
  if string.find(action.title, TITLE, 1, true) then
    vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
    break
  end
end
waited('the changed text', function()
  return #vim.diagnostic.get(0) < #bad
end)
found.left = #vim.diagnostic.get(0)
found.text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n') .. '\n'

local out = io.open(OUT, 'w')
out:write(vim.json and vim.json.encode(found) or vim.fn.json_encode(found))
out:close()
vim.cmd('quitall!')
