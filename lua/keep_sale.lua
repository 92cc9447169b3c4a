-- keep_sale.lua writes the copy of an activity, unless the existing copy has a newer version: instances that have
-- changed or loaded the activity write copies in any order. It also runs on a full Redis.
--
-- KEYS[1] sale  string: JSON that begins with {"version":<of the format>,"revision":<version of the activity>,
--
-- ARGV[1] version  of the activity, an integer
-- ARGV[2] the copy
--
-- Returns a code:
--    1 KEPT
--    0 NEWER  the existing copy has a newer version; nothing was done

local KEPT = 1
local NEWER = 0

local version = tonumber(ARGV[1])
if not version then
  return redis.error_reply('ERR the version is not a number')
end
local known = string.match(redis.call('GETRANGE', KEYS[1], 0, 63), '^{"version":%d+,"revision":(%d+),')
if known and tonumber(known) > version then
  return NEWER
end
redis.call('DEL', KEYS[1]) -- a first write that needs no memory lets the second one run on a Redis that is full
redis.call('SET', KEYS[1], ARGV[2])
return KEPT
