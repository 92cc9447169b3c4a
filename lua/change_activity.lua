-- change_activity.lua changes the window and the limits of a loaded activity, or closes it. Changes may arrive in
-- any order: a version that is not newer than the known one changes nothing. It also runs on a Redis that is full.
--
-- KEYS[1] meta        hash: state, version, starts_ms, ends_ms, limit, limit:<sku>; and line_ms, the old start, if it
--                     has passed when the sale is moved to later, and somebody is in the line: positions may have
--                     been given since the old start, so no early place may be added any more
-- KEYS[2] line_early  expires later, if the sale ends later
-- KEYS[3] line_late   as line_early
--
-- ARGV[1] version  an integer
-- ARGV[2..] field, value, …: the new values
--
-- Returns a code:
--    1 CHANGED     Redis has this version or a newer one
--    0 NOT_LOADED  the activity is not loaded, or still loading; nothing was done

local CHANGED = 1
local NOT_LOADED = 0

local version = tonumber(ARGV[1])
if not version then
  return redis.error_reply('ERR the version is not a number')
end
local known = redis.call('HMGET', KEYS[1], 'state', 'version')
if known[1] ~= 'open' and known[1] ~= 'closed' then
  return NOT_LOADED
end
if version <= (tonumber(known[2]) or 0) then
  return CHANGED
end
spare(KEYS[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local before = redis.call('HMGET', KEYS[1], 'starts_ms', 'ends_ms')
redis.call('HSET', KEYS[1], 'version', ARGV[1], unpack(ARGV, 2))
local after = redis.call('HMGET', KEYS[1], 'starts_ms', 'ends_ms')
local started, starts = tonumber(before[1]), tonumber(after[1])
if started and starts and started <= now and now < starts and redis.call('EXISTS', KEYS[2], KEYS[3]) > 0 then
  redis.call('HSETNX', KEYS[1], 'line_ms', before[1])
end
local ended, ends = tonumber(before[2]) or 0, tonumber(after[2]) or 0
-- keep makes a line expire later, by as much as the sale ends later.
local function keep(key)
  local left = redis.call('PTTL', key)
  if left > 0 and ends > ended then
    redis.call('PEXPIRE', key, left + ends - ended)
  end
end
keep(KEYS[2])
keep(KEYS[3])
return CHANGED
