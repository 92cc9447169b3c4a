-- swap_hold.lua gives back the units of the sku that an order was swapped from, once per change id, and lets the order
-- hold, or have paid, units of the other sku, which swap_units.lua has taken and counted. It also runs on a Redis that
-- is full.
--
-- KEYS[1] meta     hash: state, epoch
-- KEYS[2] stock    hash: <sku> and <sku>~<point> → units left
-- KEYS[3] held     hash: <order_number> → <sku>~<point>~<quantity>~<user>
-- KEYS[4] paid     hash: <sku>~<point> → units paid
-- KEYS[5] bought   hash: s:<sku>~<user> → units
-- KEYS[6] changes  hash: <change id> → delta, or refused
--
-- ARGV[1] epoch      load epoch at which the change was found pending
-- ARGV[2] change id
-- ARGV[3] order number
-- ARGV[4] from       <sku>~<point>~<quantity>~<user>
-- ARGV[5] to         the same with the other sku
-- ARGV[6] paid       1 if SQL has the order as paid or refunded, else 0
--
-- Returns a code:
--    1 SWAPPED     by this call or an earlier one, or counted by a load
--    0 NOT_HELD    the order has no hold and is not paid; nothing was done
--   -7 NOT_LOADED  the activity is not loaded under this epoch; nothing was done

local SWAPPED = 1
local NOT_HELD = 0
local NOT_LOADED = -7

local id, number, from, to = ARGV[2], ARGV[3], parse_hold(ARGV[4]), parse_hold(ARGV[5])
local known = redis.call('HMGET', KEYS[1], 'state', 'epoch')
if (known[1] ~= 'open' and known[1] ~= 'closed') or known[2] ~= ARGV[1] then
  return NOT_LOADED
end
if redis.call('HEXISTS', KEYS[6], id) == 1 then
  return SWAPPED
end
local held = redis.call('HEXISTS', KEYS[3], number) == 1
if not held and ARGV[6] ~= '1' then
  return NOT_HELD
end
local field, units = bought_field(from.user, from.sku), from.quantity
local bought = tonumber(redis.call('HGET', KEYS[5], field) or 0)

spare(KEYS[6])
redis.call('HSET', KEYS[6], id, units)
redis.call('HINCRBY', KEYS[2], from.sku, units)
redis.call('HINCRBY', KEYS[2], stock_field(from.sku, from.point), units)
if held then
  redis.call('HSET', KEYS[3], number, ARGV[5])
else
  redis.call('HINCRBY', KEYS[4], stock_field(from.sku, from.point), -units)
  redis.call('HINCRBY', KEYS[4], stock_field(to.sku, to.point), units)
end
if bought > units then
  redis.call('HSET', KEYS[5], field, bought - units)
elseif bought > 0 then
  redis.call('HDEL', KEYS[5], field)
end
return SWAPPED
