-- value_chunks.lua is prepended to the scripts that read or write many values of one key. It sends them in
-- chunks: few commands, each with at most 1000 values, since unpack has a limit.
--
-- KEYS none
-- ARGV none
-- Returns nothing: it only defines functions

local CHUNK = 1000 -- even, so that no field is separated from its value

-- read returns the values of the fields, in the same order; false for a field that is missing.
local function read(key, fields)
  local n = #fields
  if n == 0 then
    return {}
  end
  if n <= CHUNK then
    return redis.call('HMGET', key, unpack(fields))
  end
  local values = {}
  for from = 1, n, CHUNK do
    local part = redis.call('HMGET', key, unpack(fields, from, math.min(from + CHUNK - 1, n)))
    for i = 1, #part do
      values[from + i - 1] = part[i]
    end
  end
  return values
end

-- spare lets the writes that follow run on a Redis that is full: Redis refuses a script only at its
-- first write, and only if that write may need memory. Use it for small writes that must not fail.
local function spare(key)
  redis.call('HDEL', key, '')
end

-- write runs a command that takes a key and any number of values, if there are any.
local function write(command, key, values)
  for from = 1, #values, CHUNK do
    redis.call(command, key, unpack(values, from, math.min(from + CHUNK - 1, #values)))
  end
end

-- higher reports whether a whole number is above another, by their digits: epochs may be too large for a Lua number.
local function higher(x, y)
  return #x > #y or (#x == #y and x > y)
end
