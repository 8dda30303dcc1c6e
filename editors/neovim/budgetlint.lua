-- budgetlint in Neovim 0.7 and newer, without a plugin: copy it to ~/.config/nvim/plugin/budgetlint.lua.
-- It starts the budgetlint of the project's virtual environment where there is one, else the one on PATH.

local filetypes = { 'yaml', 'json', 'jsonc', 'toml', 'python', 'sh', 'bash', 'dockerfile', 'make', 'budget' }
local roots = { '.git', 'pyproject.toml' }

local function command(root)
  for _, name in ipairs({ '.venv', 'venv', 'env' }) do
    local program = (root or vim.fn.getcwd()) .. '/' .. name .. '/bin/budgetlint'
    if vim.fn.executable(program) == 1 then
      return { program, 'lsp' }
    end
  end
  return { 'budgetlint', 'lsp' }
end

vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  pattern = { '*.budget', 'budget.lock' }, -- `set`, as a first line with a # is taken for a conf file
  command = 'set filetype=budget | setlocal commentstring=#\\ %s',
})

vim.api.nvim_create_autocmd('Syntax', {
  pattern = 'budget',
  callback = function()
    vim.cmd([=[
      syntax match budgetStatement /\v(^|[;{}])@<=\s*[a-z]+>/
      syntax match budgetOption /\v<\h[-.[:alnum:]_]*\ze\s*\=[^=]/
      syntax match budgetNumber /\v[-\/.[:alnum:]_]@<!\d[0-9_.]*(\%|[kKMGT]i?B|B|x)?>/
      syntax region budgetString start=/"/ skip=/\\"/ end=/"/ oneline
      syntax region budgetString start=/'/ end=/'/ oneline
      syntax match budgetComment /\v(^|[ \t;{},[\]])@<=#.*$/
      highlight default link budgetStatement Statement
      highlight default link budgetOption Identifier
      highlight default link budgetNumber Number
      highlight default link budgetString String
      highlight default link budgetComment Comment
    ]=])
  end,
})

local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  while true do
    for _, name in ipairs(roots) do
      if vim.loop.fs_stat(folder .. '/' .. name) then
        return folder
      end
    end
    local above = vim.fn.fnamemodify(folder, ':h')
    if above == folder then
      return nil
    end
    folder = above
  end
end

if vim.lsp.config then -- 0.11 and newer
  vim.lsp.config('budgetlint', {
    cmd = function(dispatchers, config)
      return vim.lsp.rpc.start(command(config.root_dir), dispatchers, { cwd = config.root_dir })
    end,
    filetypes = filetypes,
    root_markers = roots,
  })
  vim.lsp.enable('budgetlint')
  return
end

local clients = {}

local function attach(buffer)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  local key = root or ''
  if not clients[key] then
    clients[key] = vim.lsp.start_client({
      name = 'budgetlint',
      cmd = command(root),
      root_dir = root,
      on_exit = function()
        clients[key] = nil
      end,
    })
  end
  if clients[key] then
    vim.lsp.buf_attach_client(buffer, clients[key])
  end
end

vim.api.nvim_create_autocmd('FileType', {
  pattern = filetypes,
  callback = function(event)
    if vim.bo[event.buf].buftype == '' and vim.api.nvim_buf_get_name(event.buf) ~= '' then
      attach(event.buf)
    end
  end,
})
