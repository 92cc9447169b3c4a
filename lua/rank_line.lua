-- rank_line.lua returns the position of a place that was taken before the start of the sale. It changes nothing.
--
-- KEYS[1] line_early  sorted set: user → score
-- KEYS[2] meta        hash: starts_ms; line_ms, which takes precedence: when the first positions were given
--
-- ARGV[1] user
-- ARGV[2] starts_ms  start of the sale, used if meta has none: the caller may know an older one
--
-- Returns {code, position}; position is 0 unless POSITION:
--    1 POSITION  the user's position in the line, counted from 0
--    0 EARLY     the sale has not started, so that places may still come before the user's
--   -1 NONE      the user has no such place

local POSITION = 1
local EARLY = 0
local NONE = -1

local known = redis.call('HMGET', KEYS[2], 'line_ms', 'starts_ms')
local starts = tonumber(known[1] or known[2] or ARGV[2])
if not starts then
  return redis.error_reply('ERR starts_ms is not a number')
end
local time = redis.call('TIME')
if time[1] * 1000 + math.floor(time[2] / 1000) < starts then
  return { EARLY, 0 }
end
local position = redis.call('ZRANK', KEYS[1], ARGV[1])
if not position then
  return { NONE, 0 }
end
return { POSITION, position }
