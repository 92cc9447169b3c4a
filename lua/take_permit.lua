-- take_permit.lua issues users order permits of a sku, up to a number of unexpired permits that depends on the units
-- left, without those of waves that open later. Nothing else counts permits: expired ones are removed on each call. A
-- user who may not buy another unit gets no permit, and loses the permit that they have.
--
-- KEYS[1] permits:<sku>  sorted set: user → expiry in ms, also if the sale ends before: so it sorts by issue
-- KEYS[2] stock          hash: <sku> and <sku>~<point> → units left
-- KEYS[3] meta           hash: limit, limit:<sku>, waves:<sku>
-- KEYS[4] bought         hash: a:<buyer> and s:<sku>~<buyer> → units; a buyer is a user, or a limit key
--
-- ARGV[1] sku
-- ARGV[2] ratio    permits per unit left
-- ARGV[3] ttl_ms   lifetime of a permit
-- ARGV[4] ends_ms  when the sale ends; no permit is valid longer
-- ARGV[5] n        how many users
-- ARGV[6..] the n users, in the order in which they asked; then nothing, or per user the limit key under which their
--           units are counted
--
-- Returns {now_ms, code, value, code, value, ...}, two per user; the first code that applies:
--   -7 NOT_LOADED           Redis doesn't have the activity's stock
--   -1 SOLD_OUT             no unit is left, or none but of waves that open later
--   -2 OVER_ACTIVITY_LIMIT  value: units the user has bought
--   -3 OVER_SKU_LIMIT       value: units the user has bought of the sku
--    1 TAKEN                value: the expiry in ms of the permit that the user has, or of a new one
--    0 NONE                 the maximum number of permits is issued, or the sale has ended
-- The value is 0 where none is named.

local TAKEN = 1
local NONE = 0
local SOLD_OUT = -1
local OVER_ACTIVITY_LIMIT = -2
local OVER_SKU_LIMIT = -3
local NOT_LOADED = -7

local sku, ratio, ttl, ends = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local n = tonumber(ARGV[5])
if not ratio or not ttl or not ends or not n then
  return redis.error_reply('ERR ratio, ttl_ms, ends_ms and n are not all numbers')
end
local buyers = #ARGV > 5 + n and n or 0 -- the buyer of the user at i is at i + buyers
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function refused(code)
  local reply = { now }
  for _ = 1, n do
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
if n == 0 then
  return { now }
end
local of_meta = redis.call('HMGET', KEYS[3], 'limit', 'limit:' .. sku, 'waves:' .. sku)
if of_meta[3] then
  left = open_units(KEYS[2], of_meta[3], sku, left, now)
  if left <= 0 then
    return refused(SOLD_OUT)
  end
end

-- purchases returns what each user has bought under a limit, of a sku or, if that is nil, in all; nothing without a
-- limit.
local function purchases(limit, of)
  if not limit or limit < 0 then
    return {}
  end
  local fields = {}
  for i = 6, 5 + n do
    fields[i - 5] = bought_field(ARGV[i + buyers], of)
  end
  return redis.call('HMGET', KEYS[4], unpack(fields))
end
local activity_limit, sku_limit = tonumber(of_meta[1]), tonumber(of_meta[2])
local of_activity = purchases(activity_limit)
local of_sku = purchases(sku_limit, sku)

local over, over_at = {}, {} -- the users who may buy no more
local reply, codes = { now }, {}
for i = 6, 5 + n do
  local a, s = tonumber(of_activity[i - 5]) or 0, tonumber(of_sku[i - 5]) or 0
  if activity_limit and activity_limit >= 0 and a >= activity_limit then
    codes[i], over_at[i] = OVER_ACTIVITY_LIMIT, a
  elseif sku_limit and sku_limit >= 0 and s >= sku_limit then
    codes[i], over_at[i] = OVER_SKU_LIMIT, s
  end
  if codes[i] then
    over[#over + 1] = ARGV[i]
  end
end

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if #over > 0 then
  redis.call('ZREM', KEYS[1], unpack(over))
end
-- 30 × 0.1 is slightly above 3 in floating point, which must not become a fourth permit.
local most = math.ceil(left * ratio - 1e-9)
local issued = redis.call('ZCARD', KEYS[1])
local expiries = redis.call('ZMSCORE', KEYS[1], unpack(ARGV, 6, 5 + n))
local new, added = {}, {} -- expiries of new permits by user, and as arguments of ZADD
for i = 6, 5 + n do
  local code, value, user = codes[i] or NONE, over_at[i] or 0, ARGV[i]
  if code == NONE and now < ends then
    -- Scores may come as 1.8e+12, which tonumber doesn't read everywhere; arithmetic does.
    local expiry = new[user] or expiries[i - 5] and expiries[i - 5] + 0
    if not expiry and ttl > 0 and issued < most then
      expiry, issued = now + ttl, issued + 1
      new[user], added[#added + 1], added[#added + 2] = expiry, expiry, user
    end
    if expiry then
      code, value = TAKEN, math.min(expiry, ends)
    end
  end
  reply[#reply + 1] = code
  reply[#reply + 1] = value
end
if #added > 0 then
  redis.call('ZADD', KEYS[1], unpack(added))
end
return reply
