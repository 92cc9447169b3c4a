-- confirm_stock.lua confirms that orders were paid, each once: it removes the order's hold and
-- counts its units as paid, so that nobody waits for them to be given back.
--
-- KEYS[1] meta  hash: state
-- KEYS[2] held  hash: <order_number> → <sku>~<point>~<quantity>[:<limit key>]~<user>
-- KEYS[3] paid  hash: <sku>~<point> → units paid
--
-- ARGV[1..] order numbers
--
-- Returns {code, ...}, one per order:
--    1 CONFIRMED
--    0 NOT_HELD    confirmed before, or counted by a load
--   -8 UNREADABLE  its hold can't be read; nothing was done for it
--   -7 NOT_LOADED  the activity is not in Redis, or still loading; returned for every order

local CONFIRMED = 1
local NOT_HELD = 0
local NOT_LOADED = -7
local UNREADABLE = -8

if not loaded(KEYS[1]) then
  return each(ARGV, NOT_LOADED)
end
local numbers, holds, named, spoiled = found(KEYS[2], ARGV)
local paid = raise(KEYS[3], holds)

write('HDEL', KEYS[2], numbers)
write('HSET', KEYS[3], paid)
return each(named, CONFIRMED, NOT_HELD, spoiled, UNREADABLE)
