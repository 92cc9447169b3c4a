-- take_permit.lua issues a user an order permit of a sku, up to a number of unexpired permits that
-- depends on the units left. Nothing else counts permits: expired ones are removed on each call.
--
-- KEYS[1] permits:<sku>  sorted set: user → expiry in ms
-- KEYS[2] stock          hash: <sku> → units left
--
-- ARGV[1] user
-- ARGV[2] sku
-- ARGV[3] ratio    permits per unit left
-- ARGV[4] ttl_ms   lifetime of a permit
-- ARGV[5] ends_ms  when the sale ends; no permit is valid longer
--
-- Returns {code, expires_ms, now_ms}; expires_ms is 0 unless TAKEN:
--    1 TAKEN       the permit that the user has, with its old expiry, or a new one
--    0 NONE        the maximum number of permits is issued, or the sale has ended
--   -1 SOLD_OUT    no unit is left
--   -7 NOT_LOADED  Redis doesn't have the activity's stock

local TAKEN = 1
local NONE = 0
local SOLD_OUT = -1
local NOT_LOADED = -7

local user, sku = ARGV[1], ARGV[2]
local ratio, ttl, ends = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
if not ratio or not ttl or not ends then
  return redis.error_reply('ERR ratio, ttl_ms and ends_ms are not all numbers')
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local left = redis.call('HGET', KEYS[2], sku)
if not left and redis.call('EXISTS', KEYS[2]) == 0 then
  return { NOT_LOADED, 0, now }
end
left = tonumber(left) or 0
if left <= 0 then
  return { SOLD_OUT, 0, now }
end

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local own = redis.call('ZSCORE', KEYS[1], user)
if own then
  -- Scores may come as 1.8e+12, which tonumber doesn't read everywhere; arithmetic does.
  return { TAKEN, own + 0, now }
end
local expires = math.min(now + ttl, ends)
-- 30 × 0.1 is slightly above 3 in floating point, which must not become a fourth permit.
local most = math.ceil(left * ratio - 1e-9)
if expires <= now or redis.call('ZCARD', KEYS[1]) >= most then
  return { NONE, 0, now }
end
redis.call('ZADD', KEYS[1], expires, user)
return { TAKEN, expires, now }
