-- change_waitlist.lua changes the waiting list of a sale, which waitlist.lua describes: it ends offers, whose units go
-- back to the stock, then makes offers, whose units leave it, and then marks for which units buyers wait. No units of
-- waves that open later are offered. Units that an operator sets aside are offers with an end of their own, which are
-- also made while the sale is paused. An offer with the entry of one that is to end moves its units to another buyer:
-- it is made only if that one was there to end. It also runs on a Redis that is full.
--
-- KEYS[1] meta      hash: state, epoch, ends_ms, paused, waves:<sku>
-- KEYS[2] stock     hash: <sku> and <sku>~<point> → units left
-- KEYS[3] waitlist  hash, as waitlist.lua says
--
-- ARGV[1] epoch   of the load that the caller knows of
-- ARGV[2] within  how long the offers without an end of their own last, in ms; none is longer than the sale
-- ARGV[3] e       how many offers to end
-- ARGV[4] o       how many offers to make
-- ARGV[5] m       how many marks to set
-- ARGV[6..] e times: sku, user, entry, 1 to end it before its time or 0; o times: sku, point, user, quantity, entry,
--           its own end in ms or 0; m times: sku, point, entry, seen. An empty entry removes the mark if it is still
--           the one that was seen.
--
-- Returns {code} if the activity is not loaded under the epoch, and nothing was done; else {now_ms, value, ...}: for
-- each offer to end a code, for each offer to make until_ms, also of the same offer that was made before, or NONE.
--   -7 NOT_LOADED
--    1 ENDED   the units are back, or the offer can't be read
--    0 NONE    there is no such offer: it was taken or ended; or none can be made: fewer units are left, the buyer has
--              another offer of the sku, the sale doesn't run, the end has passed, or an offer with the entry was to
--              end and did not
--   -1 STANDS  its time is not over

local NOT_LOADED = -7
local ENDED = 1
local NONE = 0
local STANDS = -1

local epoch, within = ARGV[1], tonumber(ARGV[2])
local e, o, m = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local meta = redis.call('HMGET', KEYS[1], 'state', 'epoch', 'ends_ms', 'paused')
if (meta[1] ~= 'open' and meta[1] ~= 'closed') or meta[2] ~= epoch then
  return { NOT_LOADED }
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = tonumber(meta[3]) or 0
local open, paused = meta[1] == 'open' and now < ends, meta[4] == '1'
local until_ms = math.min(now + within, ends)

-- What the list and the stock have, and will have.
local ended, made, marked = 6, 6 + 4 * e, 6 + 4 * e + 6 * o -- where the arguments of each kind begin
local fields, stocked = {}, {}
local function ask(sku, user)
  fields[#fields + 1] = offer_field(sku, user)
end
for i = 0, e - 1 do
  ask(ARGV[ended + 4 * i], ARGV[ended + 4 * i + 1])
end
for i = 0, o - 1 do
  local at = made + 6 * i
  if not string.match(ARGV[at + 3], '^[1-9]%d*$') or #ARGV[at + 3] > 15 then
    return redis.error_reply('ERR the quantity of an offer is not a whole number of at least 1')
  end
  ask(ARGV[at], ARGV[at + 2])
  stocked[#stocked + 1] = ARGV[at]
  stocked[#stocked + 1] = stock_field(ARGV[at], ARGV[at + 1])
end
local marks = {}
for i = 0, m - 1 do
  local at = marked + 4 * i
  marks[i + 1] = wait_field(stock_field(ARGV[at], ARGV[at + 1]))
  fields[#fields + 1] = marks[i + 1]
end
local list, offers = read_waitlist(KEYS[3], epoch, fields), {}
for i = 1, e + o do
  local value = list[fields[i]]
  offers[fields[i]] = value and parse_offer(value) or nil
end
local closed, waves = {}, {} -- units of waves that open later, by stock field; the skus whose waves are in it
for i = 1, #stocked, 2 do
  local sku = stocked[i]
  if not waves[sku] then
    waves[sku] = true
    close_waves(redis.call('HGET', KEYS[1], 'waves:' .. sku), sku, now, closed, {})
  end
end
local left, add = {}, {}
for i, units in ipairs(read(KEYS[2], stocked)) do
  left[stocked[i]] = tonumber(units) or 0
end
local function open_at(region)
  return left[region] - (closed[region] or 0)
end
local function give(sku, point, quantity)
  local region = stock_field(sku, point)
  for _, field in ipairs({ sku, region }) do
    add[field] = (add[field] or 0) + quantity
    left[field] = left[field] and left[field] + quantity
  end
end

local reply, gone, set = { now }, {}, {}
local moves = {} -- by entry: whether its offer has ended, if it was to end
for i = 0, e - 1 do
  local at, field = ended + 4 * i, fields[i + 1]
  local offer, code = offers[field], NONE
  if offer and offer.entry == ARGV[at + 2] then
    code = STANDS
    if ARGV[at + 3] == '1' or offer.until_ms <= now then
      code, offers[field] = ENDED, nil
      gone[#gone + 1] = field
      give(ARGV[at], offer.point, offer.quantity)
    end
  elseif list[field] and not parse_offer(list[field]) then
    code = ENDED
    gone[#gone + 1] = field
  end
  moves[ARGV[at + 2]] = code == ENDED
  reply[#reply + 1] = code
end
for i = 0, o - 1 do
  local at, field = made + 6 * i, fields[e + i + 1]
  local sku, point, quantity, entry = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 3]), ARGV[at + 4]
  local own = tonumber(ARGV[at + 5])
  local sells = open and (own > now or own == 0 and not paused)
  local offer, value = offers[field], NONE
  if offer and offer.entry == entry then
    value = offer.until_ms
  elseif not offer and sells and moves[entry] ~= false and left[sku] >= quantity
    and open_at(stock_field(sku, point)) >= quantity then
    value = own > 0 and own or until_ms
    offers[field] = { entry = entry, until_ms = value }
    set[#set + 1] = field
    set[#set + 1] = format_offer(point, ARGV[at + 3], value, entry)
    give(sku, point, -quantity)
  end
  reply[#reply + 1] = value
end
for i = 0, m - 1 do
  local at, field = marked + 4 * i, marks[i + 1]
  if ARGV[at + 2] ~= '' then
    set[#set + 1] = field
    set[#set + 1] = ARGV[at + 2]
  elseif list[field] == ARGV[at + 3] then
    gone[#gone + 1] = field
  end
end

spare(KEYS[3])
if #set > 0 and redis.call('HGET', KEYS[3], 'epoch') ~= epoch then
  redis.call('UNLINK', KEYS[3])
  redis.call('HSET', KEYS[3], 'epoch', epoch)
end
write('HDEL', KEYS[3], gone)
write('HSET', KEYS[3], set)
for field, units in pairs(add) do
  if units ~= 0 then
    redis.call('HINCRBY', KEYS[2], field, units)
  end
end
return reply
