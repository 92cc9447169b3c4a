-- return_stock.lua gives back units and counts of cancelled orders, each once: it removes the
-- order's hold, which says how many.
--
-- KEYS[1] meta    hash: state
-- KEYS[2] stock   hash: <sku> and <sku>~<point> → units left
-- KEYS[3] held    hash: <order_number> → <sku>~<point>~<quantity>[:<limit key>]~<user>
-- KEYS[4] bought  hash: a:<buyer> and s:<sku>~<buyer> → units
--
-- ARGV[1..] order numbers
--
-- Returns {code, ...}, one per order:
--    1 RETURNED
--    0 NOT_HELD    nothing to give back
--   -8 UNREADABLE  its hold can't be read; nothing was done for it
--   -7 NOT_LOADED  the activity is not in Redis, or still loading; returned for every order

local RETURNED = 1
local NOT_HELD = 0
local NOT_LOADED = -7
local UNREADABLE = -8

if not loaded(KEYS[1]) then
  return each(ARGV, NOT_LOADED)
end
local numbers, holds, named, spoiled = found(KEYS[3], ARGV)
local stock = raise(KEYS[2], holds, true)
local counts, gone = lower(KEYS[4], holds)

write('HDEL', KEYS[3], numbers)
write('HSET', KEYS[2], stock)
write('HSET', KEYS[4], counts)
write('HDEL', KEYS[4], gone)
return each(named, RETURNED, NOT_HELD, spoiled, UNREADABLE)
