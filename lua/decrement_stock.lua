-- decrement_stock.lua places a batch of orders of one activity. Every key is read once for the whole batch, and written
-- at most once, but for the permits of a sku, which may be written twice. Records are kept in one key per user. If the
-- activity issues permits, an order uses up an unexpired permit of its buyer; an order that is refused for a purchase
-- limit or for lack of units gives the permit back. A buyer who reaches the limit of the activity loses their permits
-- of all skus. If the activity has a waiting list and units are offered to the buyer of an order, the order takes these
-- units, needs no permit, and ends the offer; orders without an offer get no units for which buyers wait. If units are
-- reserved for some buyers until a time, an order of another buyer leaves as many as these buyers don't have yet.
-- scripts.go puts value_chunks.lua, values.lua, waves.lua, waitlist.lua and rate_window.lua before it.
--
-- KEYS[1] lock_log  list: the queue
-- KEYS[2] meta      hash: state, epoch, version, starts_ms, ends_ms, paused (1 if an operator has paused the sale),
--                   limit, limit:<sku>, waves:<sku>, reserved:<sku> (as waves: until then, how many); and
--                   empty:<sku>, when the last open unit was taken
-- KEYS[3] stock     hash: <sku> and <sku>~<point> → units left
-- KEYS[4] bought    hash: a:<buyer> and s:<sku>~<buyer> → units; a buyer is a user, or a limit key; r:<sku>~<point> →
--                   units of the orders of those for whom units are reserved
-- KEYS[5] held      hash: <order_number> → <sku>~<point>~<quantity>[:<limit key>]~<user>; an order of several skus, a
--                   basket, has <sku>*<units>,<sku>*<units> as its sku, and b with all its units as its quantity,
--                   which versions without baskets can't read; so has r before it a buyer for whom units are reserved;
--                   of a bundle <sku>=<how many>, stands before its parts
-- KEYS[6] tasks     hash: <task> → <order_number>:<state>:<digest>[:<reason>]
-- KEYS[7] numbers   set: the order numbers of the lane's queue and dead entries, of all its activities
-- KEYS[8..], in this order:
--   orders:<user>   of each order, hash: info:<order_number> → record
--   permits:<sku>   of each sku, if the activity has permits, sorted set: user → expiry in ms
--   window:<sku>    of each sku, if it has an item limit; rate_window.lua says what it holds
--   permits:<sku>   of the activity's other skus
--   waitlist        if it has a waiting list, hash: waitlist.lua says what it holds
--
-- ARGV[1] deadline_ms  Redis time after which nothing is placed; 0: none
-- ARGV[2] queue_limit  maximum number of entries in the queue; 0: no limit
-- ARGV[3] version      of the activity by which the orders were priced, an integer
-- ARGV[4] epoch        of the last load that the caller knows of, an integer of any size
-- ARGV[5] with         1 if the activity has permits, 2 if it has a waiting list, 3 with both, else 0; with a waiting
--                      list 4 more if the orders may take nothing but what their buyers were offered; 8 more if
--                      units may be reserved
-- ARGV[6] item_limit   maximum number of orders of a sku that are placed in item_ms; 0: no limit
-- ARGV[7] item_ms      in ms
-- ARGV[8] early_ms     how many ms before the start the orders may be placed
-- ARGV[9] n            how many orders
-- ARGV[10] m           how many different skus
-- ARGV[11..] the m skus; then per order nine: task, digest, number, user, sku (its index among the
--           m, from 1; of a basket <index>*<units>,<index>*<units>, each sku once; of a bundle
--           <index>=<how many>, before its parts: it has a limit and no stock), point, quantity (of a basket all
--           its units), queue entry, record. An order with an empty record is
--           only looked up, by its task and digest; its other arguments are ignored. Then
--           nothing, or per order 1 if SQL was asked for its task and doesn't have it, else 0. Then
--           nothing, or per order the limit key under which its units are counted, or its user. Then
--           nothing, or per order 1 if units are reserved for its buyer, else 0.
--
-- Returns {now_ms, code, value, code, value, ...}, two per order; the first code that applies:
--    2 REPLAYED             the task is known; value: its value in the tasks hash
--   -8 KEY_REUSED           the task is known with another digest; value: the same
--  -11 TASK_UNKNOWN         the record is empty, and Redis has all tasks of the activity but this one
--   -9 TOO_LATE             the deadline has passed
--   -7 NOT_LOADED           the activity is not in Redis, still loading, or of an older load than epoch:
--                           Redis was restored from an older copy; or the record is empty and Redis doesn't have all
--                           tasks yet
--  -16 BEHIND               Redis has an older version than the caller, which should write its own
--   -6 CLOSED
--   -4 NOT_STARTED
--   -5 ENDED
--  -18 PAUSED
--  -15 OUTDATED             value: the version that Redis has, which is newer than the caller's
--  -20 TASKS_LOADING        Redis doesn't have the tasks of all orders yet: the caller must ask SQL
--   -2 OVER_ACTIVITY_LIMIT  value: units the user has bought; gives the permit back
--   -3 OVER_SKU_LIMIT       value: units the user has bought of the sku; gives the permit back
--  -22 NEXT_WAVE            the units left at the point are of waves that open later; value: when the next opens, in ms
--   -1 SOLD_OUT             in total, or at the point, or others wait for the units, or the buyer must have an offer of
--                           them and has none; gives the permit back
--  -23 RESERVED             the units left at the point are reserved for others; value: until when, in ms
--  -13 NO_PERMIT            the user has no unexpired permit of the sku
--  -17 OVER_ITEM_LIMIT      value: in how many ms the next order of the sku may be placed
--  -10 NUMBER_TAKEN         another order of the lane, or one that holds units of the activity, has the number
--  -14 TOO_MANY_CACHED      the user's hash of orders has 2,000 that are not in SQL yet
--  -12 QUEUE_FULL           the queue has reached queue_limit
--    1 PLACED               value: its new value in the tasks hash
-- The value is 0 where none is named. Each order sees the changes of the orders before it. A basket is placed with all
-- its units or not at all. The codes from OVER_SKU_LIMIT to OVER_ITEM_LIMIT are decided for one of its skus after the
-- other: the answer is the first code of the first sku that has one, and the value is <sku>~<value>. A refusal that
-- gives a permit back gives back those of all skus of a basket; after NO_PERMIT for one sku, those of the others stay.

local REPLAYED = 2
local KEY_REUSED = -8
local TASK_UNKNOWN = -11
local TOO_LATE = -9
local NOT_LOADED = -7
local CLOSED = -6
local NOT_STARTED = -4
local ENDED = -5
local PAUSED = -18
local OVER_ACTIVITY_LIMIT = -2
local OVER_SKU_LIMIT = -3
local SOLD_OUT = -1
local NEXT_WAVE = -22
local RESERVED = -23
local NO_PERMIT = -13
local TASKS_LOADING = -20
local NUMBER_TAKEN = -10
local TOO_MANY_CACHED = -14
local QUEUE_FULL = -12
local OUTDATED = -15
local BEHIND = -16
local OVER_ITEM_LIMIT = -17
local PLACED = 1

-- Bounds a user's hash of orders in a lane, which is read for a list of them.
local max_cached = 2000

-- Offsets of an order's arguments from its task.
local FIELDS = 9
local DIGEST, NUMBER, USER, SKU, POINT, QUANTITY, ENTRY, RECORD = 1, 2, 3, 4, 5, 6, 7, 8

local KEYS, ARGV = KEYS, ARGV
local call, match = redis.call, string.match

local deadline, queue_limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local version, with = tonumber(ARGV[3]), tonumber(ARGV[5])
local permits, listed, offers_only, reserving = with % 2 == 1, with % 4 >= 2, with % 8 >= 4, with >= 8
local item_limit, item_ms = tonumber(ARGV[6]), tonumber(ARGV[7])
local early, n, m = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
local start = 11 + m - FIELDS -- the arguments of order i begin at start + i * FIELDS

-- lines_of reads the skus of a basket: its lines, and the bundle whose parts they are.
local function lines_of(text, units)
  local lines, seen, sum, length = {}, {}, 0, 0
  local of, many = match(text, '^(%d+)=([1-9]%d*),')
  if of then
    length = #of + #many + 2
    of = tonumber(of)
    lines.bundle, seen[of] = { index = of, sku = ARGV[10 + of], quantity = tonumber(many) }, true
    if of < 1 or of > m then
      return
    end
  end
  for index, quantity in string.gmatch(text, '(%d+)%*([1-9]%d*)') do
    length = length + #index + #quantity + 2
    index = tonumber(index)
    if index < 1 or index > m or seen[index] then
      return
    end
    seen[index], sum = true, sum + quantity
    lines[#lines + 1] = { index = index, sku = ARGV[10 + index], quantity = tonumber(quantity) }
  end
  if #lines > 1 and length == #text + 1 and sum == units then
    return lines
  end
end

-- Most orders of a batch have the same quantity, which is read once. baskets has the lines of orders of several skus.
local baskets = {}
local tasks, indexes, quantities, known_quantities = {}, {}, {}, {}
for i = 1, n do
  local at = start + i * FIELDS
  tasks[i], indexes[i], quantities[i] = ARGV[at], 0, 0
  if ARGV[at + RECORD] ~= '' then
    local text, index = ARGV[at + QUANTITY], tonumber(ARGV[at + SKU])
    local quantity = known_quantities[text]
    if not quantity then
      if not match(text, '^[1-9]%d*$') or #text > 15 then
        return redis.error_reply('ERR the quantity of an order is not a whole number of at least 1')
      end
      quantity = tonumber(text)
      known_quantities[text] = quantity
    end
    if not index then
      baskets[i] = lines_of(ARGV[at + SKU], quantity)
      index = baskets[i] and baskets[i][1].index
    end
    if not index or index % 1 ~= 0 or index < 1 or index > m then
      return redis.error_reply('ERR the sku of an order is not among the skus')
    end
    indexes[i], quantities[i] = index, quantity
  end
end

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function recall(value, digest)
  if match(value, '^[^:]*:[^:]*:([^:]*)') == digest then
    return REPLAYED
  end
  return KEY_REUSED
end

-- Known tasks are answered; the others are `new`, and those with a record `wanted`.
local reply, new, wanted = { now }, {}, {}
local stored = read(KEYS[6], tasks)
for i = 1, n do
  local at, value = start + i * FIELDS, stored[i]
  if value then
    reply[2 * i] = recall(value, ARGV[at + DIGEST])
    reply[2 * i + 1] = value
  else
    reply[2 * i], reply[2 * i + 1] = TASK_UNKNOWN, 0
    new[#new + 1] = i
    if ARGV[at + RECORD] ~= '' then
      wanted[#wanted + 1] = i
    end
  end
end
if #new == 0 then
  return reply
end

-- State, window and deadline of the activity refuse all orders alike.
local ask = { 'state', 'starts_ms', 'ends_ms', 'limit', 'version', 'epoch', 'paused' }
for sku = 1, m do
  ask[7 + sku], ask[7 + m + sku] = 'limit:' .. ARGV[10 + sku], 'waves:' .. ARGV[10 + sku]
  if reserving then
    ask[7 + 2 * m + sku] = 'reserved:' .. ARGV[10 + sku]
  end
end
ask[#ask + 1] = 'tasks'
local meta = read(KEYS[2], ask)
local tasks_loading, asked = meta[#ask] == 'loading', start + (n + 1) * FIELDS - 1
local keyed = ARGV[asked + n + 1] and asked + n -- the limit key of order i is at keyed + i
local state, starts, ends = meta[1], tonumber(meta[2]), tonumber(meta[3])
local known = tonumber(meta[5]) or 0
local loaded = (state == 'open' or state == 'closed') and not higher(ARGV[4], meta[6] or '')
local unknown = TASK_UNKNOWN -- the code of an order that is only looked up
if tasks_loading or not loaded then
  unknown = NOT_LOADED
end
local refusal, why = nil, 0
if deadline > 0 and now > deadline then
  refusal = TOO_LATE
elseif not loaded then
  refusal = NOT_LOADED
elseif version > known then
  refusal = BEHIND
elseif state == 'closed' then
  refusal = CLOSED
elseif not starts or not ends then
  refusal = NOT_LOADED
elseif now < starts - early then
  refusal = NOT_STARTED
elseif now >= ends then
  refusal = ENDED
elseif meta[7] == '1' then
  refusal = PAUSED
elseif version < known then
  refusal, why = OUTDATED, known
end
if unknown ~= TASK_UNKNOWN then
  for _, i in ipairs(new) do
    reply[2 * i] = unknown
  end
end
if refusal then
  for _, i in ipairs(wanted) do
    reply[2 * i], reply[2 * i + 1] = refusal, why
  end
  return reply
elseif #wanted == 0 then
  return reply
end

-- limit_at returns the limit at an index of the values of meta, or nil if there is none.
local function limit_at(at)
  local limit = tonumber(meta[at])
  if limit and limit >= 0 then
    return limit
  end
end
local activity_limit, sku_limits = limit_at(4), {}
-- The units of waves that open later, and when the next of them opens, by stock field; and these fields by the index of
-- the sku. closed is nil where no sku has any.
local closed, opens, wave_fields
for sku = 1, m do
  sku_limits[sku] = limit_at(7 + sku)
  if meta[7 + m + sku] then
    closed, opens, wave_fields = closed or {}, opens or {}, wave_fields or {}
    wave_fields[sku] = close_waves(meta[7 + m + sku], ARGV[10 + sku], now, closed, opens)
  end
end

-- Current values of the fields that the batch needs; `left` and `bought` start with the values in Redis.
local function load(key, fields, values)
  local found = read(key, fields)
  for k = 1, #fields do
    values[fields[k]] = tonumber(found[k]) or 0
  end
end
local left, stock_fields, regions = {}, {}, {}
local bought, bought_fields = {}, {}
local by_activity, by_sku, numbers = {}, {}, {}
for k, i in ipairs(wanted) do
  local at = start + i * FIELDS
  local buyer, index = ARGV[keyed and keyed + i or at + USER], indexes[i]
  local sku = ARGV[10 + index]
  local region = stock_field(sku, ARGV[at + POINT])
  regions[i], numbers[k] = region, ARGV[at + NUMBER]
  if not left[sku] then
    left[sku] = 0
    stock_fields[#stock_fields + 1] = sku
  end
  if not left[region] then
    left[region] = 0
    stock_fields[#stock_fields + 1] = region
  end
  if activity_limit then
    by_activity[i] = bought_field(buyer)
    bought_fields[#bought_fields + 1] = by_activity[i]
  end
  if sku_limits[index] then
    by_sku[i] = bought_field(buyer, sku)
    bought_fields[#bought_fields + 1] = by_sku[i]
  end
  if reserving then
    bought_fields[#bought_fields + 1] = reserved_field(region)
  end
end
for i, lines in pairs(baskets) do
  local at = start + i * FIELDS
  local buyer, bundle = ARGV[keyed and keyed + i or at + USER], lines.bundle
  if bundle and sku_limits[bundle.index] then
    bundle.counted = bought_field(buyer, bundle.sku)
    bought_fields[#bought_fields + 1] = bundle.counted
  end
  for _, line in ipairs(lines) do
    line.region = stock_field(line.sku, ARGV[at + POINT])
    for _, field in ipairs({ line.sku, line.region }) do
      if not left[field] then
        left[field], stock_fields[#stock_fields + 1] = 0, field
      end
    end
    if sku_limits[line.index] then
      line.counted = bought_field(buyer, line.sku)
      bought_fields[#bought_fields + 1] = line.counted
    end
    if reserving then
      bought_fields[#bought_fields + 1] = reserved_field(line.region)
    end
  end
end
if closed then
  for _, fields in pairs(wave_fields) do
    for _, field in ipairs(fields) do
      if not left[field] then
        left[field], stock_fields[#stock_fields + 1] = 0, field
      end
    end
  end
end
load(KEYS[3], stock_fields, left)
local closed_of = {} -- the closed units of each sku, by its index
if closed then
  for index, fields in pairs(wave_fields) do
    closed_of[index] = 0
    for _, field in ipairs(fields) do
      closed[field] = math.min(closed[field], math.max(left[field], 0)) -- a repair may have left fewer
      closed_of[index] = closed_of[index] + closed[field]
    end
  end
end
load(KEYS[4], bought_fields, bought)

-- Of units that are reserved: until when, by stock field; kept returns how many their buyers don't have yet, belongs
-- whether the buyer of order i is one of these, and count_reserved counts what such a buyer takes.
local until_ms, kept, belongs, count_reserved
if reserving then
  local promised = {}
  until_ms = {}
  for sku = 1, m do
    close_waves(meta[7 + 2 * m + sku], ARGV[10 + sku], now, promised, until_ms)
  end
  function kept(region)
    return promised[region] and math.max(promised[region] - bought[reserved_field(region)], 0) or 0
  end
  function belongs(i)
    return ARGV[keyed + n + i] == '1'
  end
  function count_reserved(region, units)
    bought[reserved_field(region)] = bought[reserved_field(region)] + units
  end
end

-- What the orders need of the waiting list. offered returns how many units their buyer was offered; `used` are the
-- offers that are taken.
local waitlist, used = {}, {}
if listed then
  local fields = {}
  for _, i in ipairs(wanted) do
    fields[#fields + 1] = wait_field(regions[i])
    fields[#fields + 1] = offer_field(ARGV[10 + indexes[i]], ARGV[start + i * FIELDS + USER])
  end
  for _, lines in pairs(baskets) do
    for _, line in ipairs(lines) do
      fields[#fields + 1] = wait_field(line.region)
    end
  end
  waitlist = read_waitlist(KEYS[#KEYS], meta[6], fields)
end
local function offered(field, point, quantity)
  local offer = waitlist[field] and parse_offer(waitlist[field])
  if offer and offer.point == point and offer.quantity >= quantity and now < offer.until_ms then
    return offer.quantity
  end
end

local taken, found = {}, read(KEYS[5], numbers)
local numbers_known, queued_too = pcall(call, 'SMISMEMBER', KEYS[7], unpack(numbers))
for k = 1, #numbers do
  taken[numbers[k]] = found[k] or numbers_known and queued_too[k] == 1
end

-- The users with an unexpired permit of each sku, by its index, if the activity issues permits; and those who lose it.
local live, drops = {}, {}
if permits then
  local users = {}
  for _, i in ipairs(wanted) do
    local names = users[indexes[i]] or {}
    users[indexes[i]], names[#names + 1] = names, ARGV[start + i * FIELDS + USER]
  end
  for i, lines in pairs(baskets) do
    for _, line in ipairs(lines) do
      local names = users[line.index] or {}
      users[line.index], names[#names + 1] = names, ARGV[start + i * FIELDS + USER]
    end
  end
  for index, names in pairs(users) do
    local expiries, of_sku = call('ZMSCORE', KEYS[7 + n + index], unpack(names)), {}
    for k = 1, #names do
      of_sku[names[k]] = expiries[k] and expiries[k] + 0 > now
    end
    live[index], drops[index] = of_sku, {}
  end
end

-- The windows in which the orders of each sku are counted, if the activity has an item limit.
local windows, window_keys = {}, 7 + n + (permits and m or 0)
local function window_of(index)
  windows[index] = windows[index] or open_window(KEYS[window_keys + index], now, item_ms, item_limit)
  return windows[index]
end

-- drop removes a user's permit of the sku at an index: it is used up or given back.
local function drop(index, user)
  if live[index][user] then
    live[index][user] = false
    local users = drops[index]
    users[#users + 1] = user
  end
end

-- refuse returns why a basket of a user, order i, can't be placed: for the limit of its bundle, or for the first of its
-- skus for which it can't; nil if it can. Orders of one sku are refused by the same conditions below, where they may
-- also have an offer.
local function refuse(lines, user, i)
  local bundle = lines.bundle
  if bundle and bundle.counted and bought[bundle.counted] + bundle.quantity > sku_limits[bundle.index] then
    return OVER_SKU_LIMIT, bundle.sku .. SEPARATOR .. string.format('%.0f', bought[bundle.counted])
  end
  for _, line in ipairs(lines) do
    local index, region, quantity = line.index, line.region, line.quantity
    local code, value = nil, 0
    if line.counted and bought[line.counted] + quantity > sku_limits[index] then
      code, value = OVER_SKU_LIMIT, bought[line.counted]
    elseif closed and (closed[region] or 0) > 0 and left[region] - closed[region] < quantity then
      code, value = NEXT_WAVE, opens[region]
    elseif left[line.sku] < quantity or left[region] < quantity or waitlist[wait_field(region)] then
      code = SOLD_OUT
    elseif reserving and left[region] - kept(region) < quantity and not belongs(i) then
      code, value = RESERVED, until_ms[region]
    elseif permits and not live[index][user] then
      code = NO_PERMIT
    elseif item_limit > 0 and window_of(index).used + window_of(index).add >= item_limit then
      code, value = OVER_ITEM_LIMIT, window_of(index).wait
    end
    if code then
      return code, line.sku .. SEPARATOR .. string.format('%.0f', value)
    end
  end
end

-- take takes the units of a basket, order i, and returns the field of its hold.
local function take(lines, point, i)
  local skus, bundle = {}, lines.bundle
  if bundle then
    skus[1] = bundle.sku .. '=' .. string.format('%.0f', bundle.quantity)
    if bundle.counted then
      bought[bundle.counted] = bought[bundle.counted] + bundle.quantity
    end
  end
  for _, line in ipairs(lines) do
    left[line.sku], left[line.region] = left[line.sku] - line.quantity, left[line.region] - line.quantity
    if line.counted then
      bought[line.counted] = bought[line.counted] + line.quantity
    end
    if reserving and belongs(i) then
      count_reserved(line.region, line.quantity)
    end
    if item_limit > 0 then
      window_of(line.index).add = window_of(line.index).add + 1
    end
    skus[#skus + 1] = line.sku .. '*' .. string.format('%.0f', line.quantity)
  end
  return stock_field(table.concat(skus, ','), point)
end

-- Decide every order before the first write.
local queued = call('LLEN', KEYS[1])
local room = math.huge -- in the queue
if queue_limit > 0 then
  room = queue_limit - queued
end

-- Cached orders by user. While the queue is short, nobody has many, and they are not counted.
local crowded, cached = queued + #wanted > max_cached, {}
local function too_many(i, user)
  if crowded and not cached[user] then
    cached[user] = call('HLEN', KEYS[7 + i])
  end
  return crowded and cached[user] >= max_cached
end

local fresh, placed = {}, {}
local done = {} -- the users who have reached the limit of the activity
local held, entries, values, added = {}, {}, {}, {}
for _, i in ipairs(new) do
  local at = start + i * FIELDS
  local task, digest = ARGV[at], ARGV[at + DIGEST]
  local code, value = unknown, 0
  if fresh[task] then
    code, value = recall(fresh[task], digest), fresh[task]
  elseif ARGV[at + RECORD] ~= '' then
    local index, quantity = indexes[i], quantities[i]
    local sku, region, number = ARGV[10 + index], regions[i], ARGV[at + NUMBER]
    local a, s, user, lines = by_activity[i], by_sku[i], ARGV[at + USER], baskets[i]
    code = nil
    local units = listed and not lines and offered(offer_field(sku, user), ARGV[at + POINT], quantity)
    if tasks_loading and ARGV[asked + i] ~= '1' then
      code = TASKS_LOADING
    elseif a and bought[a] + quantity > activity_limit then
      code, value = OVER_ACTIVITY_LIMIT, bought[a]
    elseif lines then
      code, value = refuse(lines, user, i) -- by the conditions that follow
    elseif s and bought[s] + quantity > sku_limits[index] then
      code, value = OVER_SKU_LIMIT, bought[s]
    elseif not units and closed and (closed[region] or 0) > 0 and left[region] - closed[region] < quantity then
      code, value = NEXT_WAVE, opens[region]
    elseif left[sku] + (units or 0) < quantity or left[region] + (units or 0) < quantity then
      code = SOLD_OUT
    elseif listed and not units and (offers_only or waitlist[wait_field(region)]) then
      code = SOLD_OUT
    elseif reserving and left[region] - kept(region) < quantity and not units and not belongs(i) then
      code, value = RESERVED, until_ms[region]
    elseif permits and not units and not live[index][user] then
      code = NO_PERMIT
    elseif item_limit > 0 and window_of(index).used + window_of(index).add >= item_limit then
      code, value = OVER_ITEM_LIMIT, window_of(index).wait
    end
    if not code and taken[number] then
      code, value = NUMBER_TAKEN, 0
    elseif not code and too_many(i, user) then
      code, value = TOO_MANY_CACHED, 0
    elseif not code and #placed >= room then
      code, value = QUEUE_FULL, 0
    elseif not code then
      code, value = PLACED, number .. ':P:' .. digest
      if units then
        left[sku], left[region] = left[sku] + units, left[region] + units
        used[#used + 1] = offer_field(sku, user)
        waitlist[used[#used]] = nil
      end
      if lines then
        region = take(lines, ARGV[at + POINT], i)
      else
        left[sku], left[region] = left[sku] - quantity, left[region] - quantity
      end
      if a then
        bought[a] = bought[a] + quantity
        if permits and bought[a] >= activity_limit then
          done[#done + 1] = user
        end
      end
      if s and not lines then
        bought[s] = bought[s] + quantity
      end
      if crowded then
        cached[user] = cached[user] + 1
      end
      if item_limit > 0 and not lines then
        window_of(index).add = window_of(index).add + 1
      end
      local k = #placed + 1
      fresh[task], taken[number], placed[k] = value, true, i
      held[2 * k - 1], added[k] = number, number
      local all = lines and 'b' .. ARGV[at + QUANTITY] or ARGV[at + QUANTITY]
      if reserving and belongs(i) then
        all = 'r' .. all
        if not lines then
          count_reserved(region, quantity)
        end
      end
      held[2 * k] = format_hold(region, all, user, ARGV[keyed and keyed + i or at + USER])
      values[2 * k - 1], values[2 * k] = task, value
      entries[k] = ARGV[at + ENTRY]
    end
    if permits and (code == PLACED or code == SOLD_OUT or code == OVER_ACTIVITY_LIMIT or code == OVER_SKU_LIMIT) then
      drop(index, user)
      if lines then
        for _, line in ipairs(lines) do
          drop(line.index, user)
        end
      end
    end
  end
  reply[2 * i], reply[2 * i + 1] = code, value
end

local stock_pairs, bought_pairs, emptied = {}, {}, {}
local function pair(pairs_, values_, field)
  if field and values_[field] then
    pairs_[#pairs_ + 1] = field
    pairs_[#pairs_ + 1] = values_[field]
    values_[field] = nil -- once
  end
end
local function note_empty(index) -- that the last open unit of a sku was taken
  if left[ARGV[10 + index]] == (closed_of[index] or 0) then
    emptied[#emptied + 1] = 'empty:' .. ARGV[10 + index]
    emptied[#emptied + 1] = now
  end
end
for _, i in ipairs(placed) do
  local at = start + i * FIELDS
  local index = indexes[i]
  if baskets[i] then
    if baskets[i].bundle then
      pair(bought_pairs, bought, baskets[i].bundle.counted)
    end
    for _, line in ipairs(baskets[i]) do
      note_empty(line.index)
      pair(stock_pairs, left, line.sku)
      pair(stock_pairs, left, line.region)
      pair(bought_pairs, bought, line.counted)
      pair(bought_pairs, bought, reserving and belongs(i) and reserved_field(line.region))
    end
  end
  note_empty(index)
  pair(stock_pairs, left, ARGV[10 + index])
  pair(stock_pairs, left, regions[i])
  pair(bought_pairs, bought, by_activity[i])
  pair(bought_pairs, bought, by_sku[i])
  pair(bought_pairs, bought, reserving and belongs(i) and reserved_field(regions[i]))
  call('HSET', KEYS[7 + i], 'info:' .. ARGV[at + NUMBER], ARGV[at + RECORD])
end
write('HSET', KEYS[3], stock_pairs)
write('HSET', KEYS[4], bought_pairs)
write('HSET', KEYS[5], held)
write('HDEL', KEYS[#KEYS], used)
write('HSET', KEYS[6], values)
if numbers_known then -- else it is of another type, and the lane sells without it
  write('SADD', KEYS[7], added)
end
write('HSET', KEYS[2], emptied)
write('RPUSH', KEYS[1], entries)
for _, window in pairs(windows) do
  close_window(window)
end
-- Last, since a first write that frees memory would let the other writes run on a Redis that is full.
for index, users in pairs(drops) do
  write('ZREM', KEYS[7 + n + index], users)
end
for key = 8 + n, permits and #KEYS - (listed and 1 or 0) or 0 do
  if key <= 7 + n + m or key > window_keys + (item_limit > 0 and m or 0) then
    write('ZREM', KEYS[key], done)
  end
end
return reply
