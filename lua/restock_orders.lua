-- restock_orders.lua gives back units and counts of refunded orders, each once: their units are no longer paid. It
-- also runs on a Redis that is full.
--
-- KEYS[1] meta     hash: state, epoch
-- KEYS[2] stock    hash: <sku> and <sku>~<point> → units left
-- KEYS[3] paid     hash: <sku>~<point> → units paid
-- KEYS[4] bought   hash: a:<buyer> and s:<sku>~<buyer> → units
-- KEYS[5] changes  hash: <change id> → delta, or refused
--
-- ARGV[1] epoch  load epoch under which the units were given back in SQL
-- ARGV[2..] per order two: change id, <sku>~<point>~<quantity>[:<limit key>]~<user>
--
-- Returns a code:
--    1 RESTOCKED   by this call or an earlier one
--   -7 NOT_LOADED  the activity is not loaded under this epoch; nothing was done

local RESTOCKED = 1
local NOT_LOADED = -7

local known = redis.call('HMGET', KEYS[1], 'state', 'epoch')
if (known[1] ~= 'open' and known[1] ~= 'closed') or known[2] ~= ARGV[1] then
  return NOT_LOADED
end
local ids = {}
for i = 2, #ARGV, 2 do
  ids[#ids + 1] = ARGV[i]
end
local before, holds, changes = read(KEYS[5], ids), {}, {}
for i, id in ipairs(ids) do
  if not before[i] then
    local hold = parse_hold(ARGV[2 * i + 1])
    holds[#holds + 1] = hold
    changes[#changes + 1] = id
    changes[#changes + 1] = hold.quantity
  end
end
local stock = raise(KEYS[2], holds, true)
local counts, gone = lower(KEYS[4], holds)

spare(KEYS[5])
write('HSET', KEYS[5], changes)
write('HSET', KEYS[2], stock)
for _, hold in ipairs(holds) do
  each_take(hold, function(sku, units)
    redis.call('HINCRBY', KEYS[3], stock_field(sku, hold.point), -units)
  end)
end
write('HSET', KEYS[4], counts)
write('HDEL', KEYS[4], gone)
return RESTOCKED
