-- budgetlint in Neovim 0.7 and newer, without a plugin: copy it to ~/.config/nvim/plugin/budgetlint.lua.
-- It starts the budgetlint on PATH, and nothing that lies in the folder of the file that you open, which somebody else may have written.
-- Your own init.lua may say more:
--   vim.g.budgetlint = {
--     trusted = { '~/work' }, -- projects at or below these start the budgetlint of their own environment (.venv, venv, env)
--     command = { '/path/to/budgetlint', 'lsp' }, -- this instead: an absolute path, or a name on PATH
--   }

local filetypes = { 'yaml', 'json', 'jsonc', 'toml', 'python', 'sh', 'bash', 'dockerfile', 'make', 'budget' }
local roots = { '.git', 'pyproject.toml' }

local windows = vim.fn.has('win32') == 1
local suffix = windows and '.exe' or ''
local home = vim.loop.os_homedir()

local function expand(path)
  return (path == '~' or vim.startswith(path, '~/')) and home .. path:sub(2) or path
end

local function clean(path) -- one way to write it; links stay
  return windows and path:gsub('\\', '/'):lower() or path
end

local function is_absolute(path)
  return vim.startswith(clean(path), windows and '//' or '/') or (windows and clean(path):find('^%a:/') ~= nil)
end

local function is_below(path, folder)
  path, folder = clean(path), clean(folder):gsub('/$', '')
  return path == folder or vim.startswith(path, folder .. '/')
end

local function really_in(path, folder) -- with links resolved
  return is_below(vim.loop.fs_realpath(path) or path, vim.loop.fs_realpath(folder) or folder)
end

local function lies_in(path, folder) -- as it is written, or with links resolved
  return is_below(path, folder) or really_in(path, folder)
end

local function above(folder, names) -- the nearest folder that holds one of these, from this one up
  while true do
    for _, name in ipairs(names) do
      if vim.loop.fs_stat(folder .. '/' .. name) then
        return folder
      end
    end
    local parent = vim.fn.fnamemodify(folder, ':h')
    if parent == folder then
      return nil
    end
    folder = parent
  end
end

local function checkout(folder) -- all that came with it: the outermost repository around it, but no whole home, which is your own
  local found, outer = folder, above(folder, { '.git' })
  while outer and not lies_in(home, outer) do
    found, outer = outer, above(vim.fn.fnamemodify(outer, ':h'), { '.git' })
  end
  return found
end

local function on_path(name, folder)
  local whole, passed = checkout(folder), nil
  for _, entry in ipairs(vim.split(vim.env.PATH or '', windows and ';' or ':', { plain = true })) do
    local place = entry .. '/' .. name .. suffix
    if is_absolute(entry) and vim.fn.executable(place) == 1 then
      if lies_in(home, whole) or not (lies_in(entry, whole) or lies_in(place, whole)) then
        return place
      end
      passed = passed or place
    end
  end
  return nil, passed
end

local function in_environment(folder)
  for _, name in ipairs({ '.venv', 'venv', 'env' }) do
    local place = folder .. '/' .. name .. (windows and '/Scripts/' or '/bin/') .. 'budgetlint' .. suffix
    if vim.fn.executable(place) == 1 then
      return place
    end
  end
end

local function is_trusted(folder, options)
  for _, one in ipairs(options.trusted or {}) do
    if is_absolute(expand(one)) and really_in(folder, expand(one)) then
      return true
    end
  end
  return false
end

local told = {}

local function tell(text)
  if not told[text] then
    told[text] = true
    vim.notify('budgetlint: ' .. text, vim.log.levels.WARN)
  end
end

local function named(words, folder)
  local program = expand(words[1] or '')
  if program == '' or (program:find('[/\\]') and not is_absolute(program)) then
    return tell(('vim.g.budgetlint.command begins with "%s": what is started is an absolute path or a name on PATH'):format(program))
  end
  local found = is_absolute(program) and program or on_path(program, folder)
  if not found or vim.fn.executable(found) ~= 1 then
    return tell(('no program "%s", as vim.g.budgetlint.command says, is there outside %s'):format(program, folder))
  end
  return vim.list_extend({ found }, words, 2)
end

local function command(folder)
  local options = vim.g.budgetlint or {}
  if options.command then
    return named(options.command, folder)
  end
  local inside = in_environment(folder)
  local program, passed = on_path('budgetlint', folder)
  if inside and is_trusted(folder, options) then
    program = inside
  end
  if program then
    return { program, 'lsp' }
  elseif inside then
    tell(('%s came with the folder: it is started after vim.g.budgetlint = { trusted = { "%s" } }'):format(inside, folder))
  elseif passed then
    tell(('%s came with the folder: it is started after vim.g.budgetlint = { command = { "%s", "lsp" } }'):format(passed, passed))
  else
    tell('not on PATH: pipx install budgetlint, or uv tool install budgetlint')
  end
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

local function program_of(buffer) -- the project's folder, or none; what is started, and where: in no folder of a project
  local name = vim.api.nvim_buf_get_name(buffer)
  local folder = vim.fn.fnamemodify(name, ':p:h')
  local root = above(folder, roots)
  local words = command(root or folder)
  return root, words, words and vim.fn.fnamemodify(words[1], ':h')
end

if vim.lsp.config then -- 0.11 and newer
  local chosen = {}
  vim.lsp.config('budgetlint', {
    cmd = function(dispatchers, config)
      local one = chosen[config.root_dir or '']
      return vim.lsp.rpc.start(one.words, dispatchers, { cwd = one.folder })
    end,
    filetypes = filetypes,
    root_dir = function(buffer, start)
      local root, words, folder = program_of(buffer)
      if words then
        chosen[root or ''] = { words = words, folder = folder }
        start(root)
      end
    end,
  })
  vim.lsp.enable('budgetlint')
  return
end

local clients = {}

local function attach(buffer)
  local root, words, folder = program_of(buffer)
  local key = root or ''
  if words and not clients[key] then
    clients[key] = vim.lsp.start_client({
      name = 'budgetlint',
      cmd = words,
      cmd_cwd = folder,
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
