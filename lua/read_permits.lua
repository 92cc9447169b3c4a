-- read_permits.lua returns whether all order permits of a sku are issued, and which users got one lately.
-- It changes nothing.
--
-- KEYS[1] permits:<sku>  sorted set: user → expiry in ms, also if the sale ends before
-- KEYS[2] stock          hash: <sku> and <sku>~<point> → units left
-- KEYS[3] meta           hash: waves:<sku>
--
-- ARGV[1] sku
-- ARGV[2] ratio     permits per unit left
-- ARGV[3] since_ms  users whose permits expire at this time or later are returned
-- ARGV[4] limit     the maximum number of users
--
-- Returns {code, now_ms, user...}:
--    1 ALL_ISSUED  take_permit.lua would return NONE to a user without a permit
--    0 NOT_ALL     it wouldn't, and no user is returned

local ALL_ISSUED = 1
local NOT_ALL = 0

local sku, ratio, since, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if not ratio or not since or not limit then
  return redis.error_reply('ERR ratio, since_ms and limit are not all numbers')
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local left = tonumber(redis.call('HGET', KEYS[2], sku)) or 0
left = open_units(KEYS[2], redis.call('HGET', KEYS[3], 'waves:' .. sku), sku, left, now)
-- As in take_permit.lua: 30 × 0.1 is slightly above 3 in floating point.
local most = math.ceil(left * ratio - 1e-9)
if left <= 0 or redis.call('ZCOUNT', KEYS[1], '(' .. string.format('%.0f', now), '+inf') < most then
  return { NOT_ALL, now }
end
local reply = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[3], '+inf', 'LIMIT', 0, limit)
table.insert(reply, 1, now)
table.insert(reply, 1, ALL_ISSUED)
return reply
