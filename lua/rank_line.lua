-- rank_line.lua returns the positions of places that were taken before the start of the sale. It changes nothing.
--
-- KEYS[1] line_early  sorted set: user → score
-- KEYS[2] meta        hash: starts_ms; line_ms, which takes precedence: when the first positions were given
--
-- ARGV[1] starts_ms  start of the sale, used if meta has none: the caller may know an older one
-- ARGV[2..] users
--
-- Returns {code, position, ...}, two per user; position is 0 unless POSITION:
--    1 POSITION  the user's position in the line, counted from 0
--    0 EARLY     the sale has not started, so that places may still come before the user's
--   -1 NONE      the user has no such place

local POSITION = 1
local EARLY = 0
local NONE = -1

local known = redis.call('HMGET', KEYS[2], 'line_ms', 'starts_ms')
local starts = tonumber(known[1] or known[2] or ARGV[1])
if not starts then
  return redis.error_reply('ERR starts_ms is not a number')
end
local time = redis.call('TIME')
local started = time[1] * 1000 + math.floor(time[2] / 1000) >= starts
local reply = {}
for i = 2, #ARGV do
  local code, position = EARLY, 0
  if started then
    local rank = redis.call('ZRANK', KEYS[1], ARGV[i])
    code, position = rank and POSITION or NONE, rank or 0
  end
  reply[#reply + 1], reply[#reply + 2] = code, position
end
return reply
