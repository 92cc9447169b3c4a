-- swap_units.lua takes units of a sku for a buyer who swaps an order, or gives them back, once per change id. It also
-- runs on a Redis that is full.
--
-- KEYS[1] meta     hash: state, epoch, limit:<sku>
-- KEYS[2] stock    hash: <sku> and <sku>~<point> → units left
-- KEYS[3] bought   hash: s:<sku>~<user> → units
-- KEYS[4] changes  hash: <change id> → delta, or refused
--
-- ARGV[1] epoch      load epoch at which the change was found pending
-- ARGV[2] change id
-- ARGV[3] delta      an integer; below 0 units are taken
-- ARGV[4] sku
-- ARGV[5] point
-- ARGV[6] user
--
-- Returns a code:
--    1 DONE        by this call or an earlier one, or counted by a load
--   -1 SOLD_OUT    fewer units are left, in total or at the point; the id is stored as refused
--   -3 OVER_LIMIT  the user would have more units of the sku than its limit allows; the id is stored as refused
--   -7 NOT_LOADED  the activity is not loaded under this epoch; nothing was done

local DONE = 1
local SOLD_OUT = -1
local OVER_LIMIT = -3
local NOT_LOADED = -7

local id, delta, sku, region = ARGV[2], tonumber(ARGV[3]), ARGV[4], stock_field(ARGV[4], ARGV[5])
local known = redis.call('HMGET', KEYS[1], 'state', 'epoch', 'limit:' .. sku)
if (known[1] ~= 'open' and known[1] ~= 'closed') or known[2] ~= ARGV[1] then
  return NOT_LOADED
end
local before = redis.call('HGET', KEYS[4], id)
if before == 'refused' then
  return SOLD_OUT
elseif before then
  return DONE
end
local field, limit = bought_field(ARGV[6], sku), tonumber(known[3]) or -1
local bought = (tonumber(redis.call('HGET', KEYS[3], field)) or 0) - delta
local left = redis.call('HMGET', KEYS[2], sku, region)
local refused
if delta < 0 and ((tonumber(left[1]) or 0) < -delta or (tonumber(left[2]) or 0) < -delta) then
  refused = SOLD_OUT
elseif delta < 0 and limit >= 0 and bought > limit then
  refused = OVER_LIMIT
end

spare(KEYS[4])
if refused then
  redis.call('HSET', KEYS[4], id, 'refused')
  return refused
end
redis.call('HSET', KEYS[4], id, delta)
redis.call('HINCRBY', KEYS[2], sku, delta)
redis.call('HINCRBY', KEYS[2], region, delta)
if bought <= 0 then
  redis.call('HDEL', KEYS[3], field)
elseif limit >= 0 then
  redis.call('HSET', KEYS[3], field, bought)
end
return DONE
