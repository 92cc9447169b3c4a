-- return_stock.lua gives back units and counts of cancelled orders, each once: the order's token
-- is what is given back.
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
--   -7 NOT_LOADED  Redis doesn't have the activity, or not all of it yet; then of every order

local RETURNED = 1
local NO_TOKEN = 0
local NOT_LOADED = -7

local codes = {}
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'open' and state ~= 'closed' then
  for i = 1, #ARGV do
    codes[i] = NOT_LOADED
  end
  return codes
end

local numbers, tokens, seen = {}, {}, {}
local found = read(KEYS[3], ARGV)
for i, number in ipairs(ARGV) do
  codes[i] = NO_TOKEN
  if found[i] and not seen[number] then
    codes[i], seen[number] = RETURNED, true
    numbers[#numbers + 1] = number
    tokens[#tokens + 1] = parse(found[i])
  end
end

local stock = raise(KEYS[2], tokens)
local counts, gone = lower(KEYS[4], tokens)

write('HDEL', KEYS[3], numbers)
write('HSET', KEYS[2], stock)
write('HSET', KEYS[4], counts)
write('HDEL', KEYS[4], gone)
return codes
