-- take_permit.lua issues users order permits of a sku, up to a number of unexpired permits that depends on the
-- units left. Nothing else counts permits: expired ones are removed on each call.
--
-- KEYS[1] permits:<sku>  sorted set: user → expiry in ms
-- KEYS[2] stock          hash: <sku> → units left
--
-- ARGV[1] sku
-- ARGV[2] ratio    permits per unit left
-- ARGV[3] ttl_ms   lifetime of a permit
-- ARGV[4] ends_ms  when the sale ends; no permit is valid longer
-- ARGV[5..] users, in the order in which they asked
--
-- Returns {now_ms, code, expires_ms, code, expires_ms...}, a pair per user; expires_ms is 0 unless TAKEN:
--    1 TAKEN       the permit that the user has, with its old expiry, or a new one
--    0 NONE        the maximum number of permits is issued, or the sale has ended
--   -1 SOLD_OUT    no unit is left
--   -7 NOT_LOADED  Redis doesn't have the activity's stock

local TAKEN = 1
local NONE = 0
local SOLD_OUT = -1
local NOT_LOADED = -7

local sku, ratio, ttl, ends = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if not ratio or not ttl or not ends then
  return redis.error_reply('ERR ratio, ttl_ms and ends_ms are not all numbers')
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function refused(code)
  local reply = { now }
  for _ = 5, #ARGV do
    reply[#reply + 1] = code
    reply[#reply + 1] = 0
  end
  return reply
end

local left = redis.call('HGET', KEYS[2], sku)
if not left and redis.call('EXISTS', KEYS[2]) == 0 then
  return refused(NOT_LOADED)
end
left = tonumber(left) or 0
if left <= 0 then
  return refused(SOLD_OUT)
end

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local expires = math.min(now + ttl, ends)
-- 30 × 0.1 is slightly above 3 in floating point, which must not become a fourth permit.
local most = math.ceil(left * ratio - 1e-9)
local issued = redis.call('ZCARD', KEYS[1])
local reply = { now }
for i = 5, #ARGV do
  local code, at = NONE, 0
  local own = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if own then
    -- Scores may come as 1.8e+12, which tonumber doesn't read everywhere; arithmetic does.
    code, at = TAKEN, own + 0
  elseif expires > now and issued < most then
    redis.call('ZADD', KEYS[1], expires, ARGV[i])
    issued = issued + 1
    code, at = TAKEN, expires
  end
  reply[#reply + 1] = code
  reply[#reply + 1] = at
end
return reply
