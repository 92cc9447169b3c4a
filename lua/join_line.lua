-- join_line.lua gives users places in the waiting room of an activity. Until the start of the sale a place is early:
-- its position, the rank of a score that the caller chose, is known after the start, when no early place is added any
-- more. After the start users get the next positions, behind all early ones. A user who has a place gets the same
-- again, unless it has expired. Each user sees the places of the users before.
--
-- KEYS[1] line_early  sorted set: user → score
-- KEYS[2] line_late   sorted set: user → position; without some of the expired ones
-- KEYS[3] meta        hash: starts_ms; line_ms, which takes precedence: when the first positions were given
--
-- ARGV[1] starts_ms  start of the sale, used if meta has none: instances learn of a moved start at different times,
--                    but no place may be early after another one has got a position
-- ARGV[2] first      lowest position for a new user: free positions below it are skipped
-- ARGV[3] expired    places with a lower position have expired
-- ARGV[4] most       maximum number of users in each of both sets
-- ARGV[5] keep_ms    Redis time at which both keys expire, unless they expire later already
-- ARGV[6..] 1 to 256 users
-- ARGV[..]  a score for each user, of an early place: a whole number of at most 52 bits
--
-- Returns {now_ms, code, position, code, position, ...}, two per user; position is 0 unless POSITION:
--    1 POSITION  the user's position in the line, counted from 0
--    0 EARLY     the sale has not started
--   -1 FULL      most users are in the line, or Redis is full; the user was not added

local POSITION = 1
local EARLY = 0
local FULL = -1
local CHUNK = 100 -- expired places that one call removes beside one for each user: more than it adds

local early, late = KEYS[1], KEYS[2]
local known = redis.call('HMGET', KEYS[3], 'line_ms', 'starts_ms')
local starts = tonumber(known[1] or known[2] or ARGV[1])
local first, expired, most, keep = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
if not starts or not first or not expired or not most or not keep then
  return redis.error_reply('ERR starts_ms, first, expired, most and keep_ms are not all numbers')
end
local n = (#ARGV - 5) / 2
for i = 1, n do
  if not tonumber(ARGV[5 + n + i]) then
    return redis.error_reply('ERR the score of a user is not a number')
  end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local reply = { now }
local function answer(i, code, position)
  reply[2 * i], reply[2 * i + 1] = code, position
end

-- join adds users to a set, which expires with the line; added has values and users in turn. It returns false if Redis
-- is full.
local function join(key, added)
  if #added == 0 then
    return true
  end
  local done, why = pcall(redis.call, 'ZADD', key, unpack(added))
  if not done then
    return not string.find(type(why) == 'table' and why.err or why, 'OOM', 1, true) and error(why)
  end
  if redis.call('PTTL', key) < keep - now then
    redis.call('PEXPIREAT', key, ARGV[5])
  end
  return true
end

local scores = redis.call('ZMSCORE', early, unpack(ARGV, 6, 5 + n))
local added, joined = {}, {} -- joined: user → position

if now < starts then
  local room
  for i = 1, n do
    local user = ARGV[5 + i]
    answer(i, EARLY, 0)
    if not scores[i] and not joined[user] then
      room = room or most - redis.call('ZCARD', early)
      if room > 0 then
        room, joined[user] = room - 1, true
        added[#added + 1], added[#added + 2] = ARGV[5 + n + i], user
      else
        answer(i, FULL, 0)
      end
    end
  end
  if not join(early, added) then
    for i = 1, n do
      answer(i, scores[i] and EARLY or FULL, 0)
    end
  end
  return reply
end

local positions = redis.call('ZMSCORE', late, unpack(ARGV, 6, 5 + n))
local new = {}
for i = 1, n do
  local at = scores[i] and redis.call('ZRANK', early, ARGV[5 + i])
  if not at or at < expired then
    at = tonumber(positions[i])
  end
  if at and at >= expired then
    answer(i, POSITION, at)
  else
    answer(i, FULL, 0)
    new[#new + 1] = i
  end
end
if #new == 0 then
  return reply
end

local gone = redis.call('ZRANGE', late, '-inf', '(' .. ARGV[3], 'BYSCORE', 'LIMIT', 0, CHUNK + #new)
if #gone > 0 then
  redis.call('ZREM', late, unpack(gone))
end
local room = most - redis.call('ZCARD', late)
local position = math.max(redis.call('ZCARD', early), first)
local last = redis.call('ZRANGE', late, -1, -1, 'WITHSCORES')
if last[2] then
  position = math.max(position, last[2] + 1)
end
for _, i in ipairs(new) do
  local user = ARGV[5 + i]
  if not joined[user] and room > 0 then
    added[#added + 1], added[#added + 2] = position, user
    joined[user] = position
    position, room = position + 1, room - 1
  end
end
if join(late, added) then
  for _, i in ipairs(new) do
    local at = joined[ARGV[5 + i]]
    if at then
      answer(i, POSITION, at)
    end
  end
end
return reply
