-- repair_stock.lua corrects an activity in Redis: it restores missing holds, removes holds that should not exist, and
-- adds to the stock, or to the units paid. It never sets the stock, since orders are placed at the same time. It also
-- runs on a Redis that is full, since a wrong stock may be overselling there too.
--
-- KEYS[1] meta   hash: state, epoch, repairs (how often stock was added)
-- KEYS[2] stock or paid  hash: <sku> and <sku>~<point> → units left, or <sku>~<point> → units paid
-- KEYS[3] held   hash: <order_number> → <sku>~<point>~<quantity>~<user>
--
-- ARGV[1] epoch    of the load that is repaired
-- ARGV[2] repairs  its value when the drift was found, so that the same drift is corrected once
-- ARGV[3] r        how many holds to restore
-- ARGV[4] d        how many holds to drop
-- ARGV[5] f        how many fields of the stock to add to
-- ARGV[6..] r times order number, hold (an existing one is not changed); d order numbers;
--           f times field, amount
--
-- Returns a code:
--    1 REPAIRED
--    0 REPAIRED_BEFORE  stock was added since the drift was found; nothing was done
--   -7 NOT_LOADED  the activity is not loaded under this epoch; nothing was done

local REPAIRED = 1
local REPAIRED_BEFORE = 0
local NOT_LOADED = -7

local epoch, r, d, f = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local known = redis.call('HMGET', KEYS[1], 'state', 'epoch', 'repairs')
if (known[1] ~= 'open' and known[1] ~= 'closed') or known[2] ~= epoch then
  return NOT_LOADED
end
if f > 0 and (known[3] or '0') ~= ARGV[2] then
  return REPAIRED_BEFORE
end

local numbers, restored, dropped = {}, {}, {}
for i = 1, r do
  numbers[i] = ARGV[4 + 2 * i]
end
local found = read(KEYS[3], numbers)
for i = 1, r do
  if not found[i] then
    restored[#restored + 1] = numbers[i]
    restored[#restored + 1] = ARGV[5 + 2 * i]
  end
end
for i = 1, d do
  dropped[i] = ARGV[5 + 2 * r + i]
end
local adds = 5 + 2 * r + d
for i = 1, f do
  if not string.match(ARGV[adds + 2 * i], '^-?%d+$') then
    return redis.error_reply('ERR an amount is not a whole number')
  end
end

spare(KEYS[3])
write('HDEL', KEYS[3], dropped)
write('HSET', KEYS[3], restored)
for i = 1, f do
  redis.call('HINCRBY', KEYS[2], ARGV[adds + 2 * i - 1], ARGV[adds + 2 * i])
end
if f > 0 then
  redis.call('HINCRBY', KEYS[1], 'repairs', 1)
end
return REPAIRED
