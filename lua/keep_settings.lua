-- keep_settings.lua replaces the operators' settings, unless they have changed since the caller read them. It also runs
-- on a full Redis.
--
-- KEYS[1] settings  string
--
-- ARGV[1] the value that the caller read; empty if there was none
-- ARGV[2] the new value
--
-- Returns a code:
--    1 KEPT
--    0 CHANGED  there is another value; nothing was done

local KEPT = 1
local CHANGED = 0

if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return CHANGED
end
redis.call('DEL', KEYS[1]) -- a first write that needs no memory lets the second one run on a Redis that is full
redis.call('SET', KEYS[1], ARGV[2])
return KEPT
