-- join_line.lua gives a user a place in the waiting room of an activity. Until the start of the sale the
-- place is early: its position, the rank of a score that the caller chose, is known after the start, when
-- no early place is added any more. After the start users get the next position, behind all early ones. A
-- user who has a place gets the same again, unless it has expired.
--
-- KEYS[1] line_early  sorted set: user → score
-- KEYS[2] line_late   sorted set: user → position; without some of the expired ones
-- KEYS[3] meta        hash: starts_ms; line_ms, which takes precedence: when the first positions were given
--
-- ARGV[1] user
-- ARGV[2] score      of an early place: a whole number of at most 52 bits
-- ARGV[3] starts_ms  start of the sale, used if meta has none: instances learn of a moved start at different times,
--                    but no place may be early after another one has got a position
-- ARGV[4] first      lowest position for a new user: free positions below it are skipped
-- ARGV[5] expired    places with a lower position have expired
-- ARGV[6] most       maximum number of users in each of both sets
-- ARGV[7] keep_ms    Redis time at which both keys expire, unless they expire later already
--
-- Returns {code, position, now_ms}; position is 0 unless POSITION:
--    1 POSITION  the user's position in the line, counted from 0
--    0 EARLY     the sale has not started
--   -1 FULL      most users are in the line; nothing was done

local POSITION = 1
local EARLY = 0
local FULL = -1
local CHUNK = 100 -- expired places that one call removes: more than it adds

local early, late, user = KEYS[1], KEYS[2], ARGV[1]
local score = tonumber(ARGV[2])
local known = redis.call('HMGET', KEYS[3], 'line_ms', 'starts_ms')
local starts = tonumber(known[1] or known[2] or ARGV[3])
local first, expired, most, keep = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
if not score or not starts or not first or not expired or not most or not keep then
  return redis.error_reply('ERR score, starts_ms, first, expired, most and keep_ms are not all numbers')
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- join adds the user to a set, which expires with the line.
local function join(key, value)
  redis.call('ZADD', key, value, user)
  if redis.call('PTTL', key) < keep - now then
    redis.call('PEXPIREAT', key, ARGV[7])
  end
end

if now < starts then
  if not redis.call('ZSCORE', early, user) then
    if redis.call('ZCARD', early) >= most then
      return { FULL, 0, now }
    end
    join(early, ARGV[2])
  end
  return { EARLY, 0, now }
end

local position = redis.call('ZRANK', early, user)
if position and position >= expired then
  return { POSITION, position, now }
end
position = redis.call('ZSCORE', late, user)
if position and position + 0 >= expired then
  return { POSITION, position + 0, now }
end

local gone = redis.call('ZRANGE', late, '-inf', '(' .. ARGV[5], 'BYSCORE', 'LIMIT', 0, CHUNK)
if #gone == 0 and redis.call('ZCARD', late) >= most then
  return { FULL, 0, now }
end
if #gone > 0 then
  redis.call('ZREM', late, unpack(gone))
end
position = math.max(redis.call('ZCARD', early), first)
local last = redis.call('ZRANGE', late, -1, -1, 'WITHSCORES')
if last[2] then
  position = math.max(position, last[2] + 1)
end
join(late, position)
return { POSITION, position, now }
