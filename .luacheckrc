-- Settings of luacheck, which reads each script by itself.

-- What Redis gives a script: https://redis.io/docs/latest/develop/programmability/lua-api/
stds.redis = {
  read_globals = {
    'redis', 'KEYS', 'ARGV', 'cjson', 'string', 'table', 'math',
    'error', 'ipairs', 'next', 'pairs', 'pcall', 'select', 'tonumber', 'tostring', 'type', 'unpack',
  },
}
std = 'redis'
max_line_length = 120

-- The functions and constants of preludes, which scripts.go puts before the scripts that use them.
local preludes = {
  'lua/value_chunks.lua', 'lua/held.lua', 'lua/rate_window.lua', 'lua/values.lua', 'lua/waitlist.lua', 'lua/waves.lua',
  'lua/written.lua',
}
local defined = {}
for _, name in ipairs(preludes) do
  for line in io.lines(name) do
    defined[#defined + 1] = line:match('^local function ([%w_]+)') or line:match('^local ([%u_, ]+) =')
  end
  files[name] = { ignore = { '211' } } -- a function that is not used in its own file
end
read_globals = defined
