-- return_stock.lua gives back units and counts of cancelled orders, each once: it removes the
-- order's token, which says how many.
--
-- KEYS[1] meta    hash: state
-- KEYS[2] stock   hash: <sku> and <sku>:<point> → units left
-- KEYS[3] held    hash: <order_number> → <sku>:<point>:<quantity>:<user>
-- KEYS[4] bought  hash: a:<user> and s:<sku>:<user> → units
--
-- ARGV[1..] order numbers
--
-- Returns {code, ...}, one per order:
--    1 RETURNED
--    0 NO_TOKEN    nothing to give back
--   -7 NOT_LOADED  the activity is not in Redis, or still loading; returned for every order

local RETURNED = 1
local NO_TOKEN = 0
local NOT_LOADED = -7

if not loaded(KEYS[1]) then
  return each(ARGV, NOT_LOADED)
end
local numbers, tokens, named = found(KEYS[3], ARGV)
local stock = raise(KEYS[2], tokens, true)
local counts, gone = lower(KEYS[4], tokens)

write('HDEL', KEYS[3], numbers)
write('HSET', KEYS[2], stock)
write('HSET', KEYS[4], counts)
write('HDEL', KEYS[4], gone)
return each(named, RETURNED, NO_TOKEN)
