-- confirm_stock.lua confirms that orders were paid, each once: the order's token goes, and its units
-- count as paid, so that nobody waits for them to come back.
--
-- KEYS[1] meta  hash: state
-- KEYS[2] held  hash: <order_number> → <sku>:<point>:<quantity>:<user>
-- KEYS[3] paid  hash: <sku>:<point> → units paid
--
-- ARGV[1..] order numbers
--
-- Returns {code, ...}, one per order:
--    1 CONFIRMED
--    0 NO_TOKEN    confirmed before, or counted by a load
--   -7 NOT_LOADED  Redis doesn't have the activity, or not all of it yet; then of every order

local CONFIRMED = 1
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

local numbers, seen, fields, units = {}, {}, {}, {}
local found = read(KEYS[2], ARGV)
for i, number in ipairs(ARGV) do
  codes[i] = NO_TOKEN
  if found[i] and not seen[number] then
    codes[i], seen[number] = CONFIRMED, true
    numbers[#numbers + 1] = number
    local token = parse(found[i])
    local field = token.sku .. ':' .. token.point
    if not units[field] then
      fields[#fields + 1] = field
    end
    units[field] = (units[field] or 0) + token.quantity
  end
end
local before, paid = read(KEYS[3], fields), {}
for i, field in ipairs(fields) do
  paid[2 * i - 1], paid[2 * i] = field, (tonumber(before[i]) or 0) + units[field]
end

write('HDEL', KEYS[2], numbers)
write('HSET', KEYS[3], paid)
return codes
