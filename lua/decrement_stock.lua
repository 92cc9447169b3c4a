-- decrement_stock.lua places a batch of orders of one activity. Every key is read once and written at most once for
-- the whole batch, except the permits of a sku, which are written twice at most, and the records, which are kept in one
-- key per user. If the activity issues permits, an order uses up an unexpired permit of its buyer; an order that is
-- refused for a purchase limit or for lack of units gives the permit back. A buyer who reaches the limit of the
-- activity loses their permits of all skus. scripts.go puts batch.lua, values.lua and rate_window.lua before it.
--
-- KEYS[1] lock_log  list: the queue
-- KEYS[2] meta      hash: state, epoch, version, starts_ms, ends_ms, paused (1 if an operator has paused the sale),
--                   limit, limit:<sku>; and empty:<sku>, when the last unit was taken
-- KEYS[3] stock     hash: <sku> and <sku>~<point> → units left
-- KEYS[4] bought    hash: a:<user> and s:<sku>~<user> → units
-- KEYS[5] held      hash: <order_number> → <sku>~<point>~<quantity>~<user>
-- KEYS[6] tasks     hash: <task> → <order_number>:<state>:<digest>[:<reason>]
-- KEYS[7] numbers   set: the order numbers of the lane's queue and dead entries, of all its activities
-- KEYS[8..], in this order:
--   orders:<user>   of each order, hash: info:<order_number> → record
--   permits:<sku>   of each sku, if the activity has permits, sorted set: user → expiry in ms
--   window:<sku>    of each sku, if it has an item limit; rate_window.lua says what it holds
--   permits:<sku>   of the activity's other skus
--
-- ARGV[1] deadline_ms  Redis time after which nothing is placed; 0: none
-- ARGV[2] queue_limit  maximum number of entries in the queue; 0: no limit
-- ARGV[3] version      of the activity by which the orders were priced, an integer
-- ARGV[4] epoch        of the last load that the caller knows of, an integer of any size
-- ARGV[5] permits      1 if the activity has permits, else 0
-- ARGV[6] item_limit   maximum number of orders of a sku that are placed in item_ms; 0: no limit
-- ARGV[7] item_ms      in ms
-- ARGV[8] n            how many orders
-- ARGV[9] m            how many different skus
-- ARGV[10..] the m skus; then per order nine: task, digest, number, user, sku (its index among the
--           m, from 1), point, quantity, queue entry, record. An order with an empty record is
--           only looked up, by its task and digest; its other arguments are ignored. Then
--           nothing, or per order 1 if SQL was asked for its task and doesn't have it, else 0.
--
-- Returns {now_ms, code, value, code, value, ...}, two per order; the first code that applies:
--    2 REPLAYED             the task is known; value: its value in the tasks hash
--   -8 KEY_REUSED           the task is known with another digest; value: the same
--  -11 TASK_UNKNOWN         the record is empty and the task is not known
--   -9 TOO_LATE             the deadline has passed
--   -7 NOT_LOADED           the activity is not in Redis, still loading, or of an older load than epoch:
--                           Redis was restored from an older copy
--  -16 BEHIND               Redis has an older version than the caller, which should write its own
--   -6 CLOSED
--   -4 NOT_STARTED
--   -5 ENDED
--  -18 PAUSED
--  -15 OUTDATED             value: the version that Redis has, which is newer than the caller's
--  -20 TASKS_LOADING        Redis doesn't have the tasks of all orders yet: the caller must ask SQL
--   -2 OVER_ACTIVITY_LIMIT  value: units the user has bought; gives the permit back
--   -3 OVER_SKU_LIMIT       value: units the user has bought of the sku; gives the permit back
--   -1 SOLD_OUT             in total, or at the point; gives the permit back
--  -13 NO_PERMIT            the user has no unexpired permit of the sku
--  -17 OVER_ITEM_LIMIT      value: in how many ms the next order of the sku may be placed
--  -10 NUMBER_TAKEN         another order of the lane, or one that holds units of the activity, has the number
--  -14 TOO_MANY_CACHED      the user's hash of orders has 2,000 that are not in SQL yet
--  -12 QUEUE_FULL           the queue has reached queue_limit
--    1 PLACED               value: its new value in the tasks hash
-- The value is 0 where none is named. Each order sees the changes of the orders before it.

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
local version, permits = tonumber(ARGV[3]), ARGV[5] == '1'
local item_limit, item_ms = tonumber(ARGV[6]), tonumber(ARGV[7])
local n, m = tonumber(ARGV[8]), tonumber(ARGV[9])
local start = 10 + m - FIELDS -- the arguments of order i begin at start + i * FIELDS

-- Most orders of a batch have the same quantity, which is read once.
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
if #wanted == 0 then
  return reply
end

-- State, window and deadline of the activity refuse all orders alike.
local ask = { 'state', 'starts_ms', 'ends_ms', 'limit', 'version', 'epoch', 'paused' }
for sku = 1, m do
  ask[7 + sku] = 'limit:' .. ARGV[9 + sku]
end
ask[#ask + 1] = 'tasks'
local meta = read(KEYS[2], ask)
local tasks_loading, asked = meta[#ask] == 'loading', start + (n + 1) * FIELDS - 1
local state, starts, ends = meta[1], tonumber(meta[2]), tonumber(meta[3])
local known = tonumber(meta[5]) or 0
local refusal, why = nil, 0
if deadline > 0 and now > deadline then
  refusal = TOO_LATE
elseif state ~= 'open' and state ~= 'closed' then
  refusal = NOT_LOADED
elseif higher(ARGV[4], meta[6] or '') then
  refusal = NOT_LOADED
elseif version > known then
  refusal = BEHIND
elseif state == 'closed' then
  refusal = CLOSED
elseif not starts or not ends then
  refusal = NOT_LOADED
elseif now < starts then
  refusal = NOT_STARTED
elseif now >= ends then
  refusal = ENDED
elseif meta[7] == '1' then
  refusal = PAUSED
elseif version < known then
  refusal, why = OUTDATED, known
end
if refusal then
  for _, i in ipairs(wanted) do
    reply[2 * i], reply[2 * i + 1] = refusal, why
  end
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
for sku = 1, m do
  sku_limits[sku] = limit_at(7 + sku)
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
  local user, index = ARGV[at + USER], indexes[i]
  local sku = ARGV[9 + index]
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
    by_activity[i] = bought_field(user)
    bought_fields[#bought_fields + 1] = by_activity[i]
  end
  if sku_limits[index] then
    by_sku[i] = bought_field(user, sku)
    bought_fields[#bought_fields + 1] = by_sku[i]
  end
end
load(KEYS[3], stock_fields, left)
load(KEYS[4], bought_fields, bought)
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
  local code, value = TASK_UNKNOWN, 0
  if fresh[task] then
    code, value = recall(fresh[task], digest), fresh[task]
  elseif ARGV[at + RECORD] ~= '' then
    local index, quantity = indexes[i], quantities[i]
    local sku, region, number = ARGV[9 + index], regions[i], ARGV[at + NUMBER]
    local a, s, user = by_activity[i], by_sku[i], ARGV[at + USER]
    if tasks_loading and ARGV[asked + i] ~= '1' then
      code = TASKS_LOADING
    elseif a and bought[a] + quantity > activity_limit then
      code, value = OVER_ACTIVITY_LIMIT, bought[a]
    elseif s and bought[s] + quantity > sku_limits[index] then
      code, value = OVER_SKU_LIMIT, bought[s]
    elseif left[sku] < quantity or left[region] < quantity then
      code = SOLD_OUT
    elseif permits and not live[index][user] then
      code = NO_PERMIT
    elseif item_limit > 0 and window_of(index).used + window_of(index).add >= item_limit then
      code, value = OVER_ITEM_LIMIT, window_of(index).wait
    elseif taken[number] then
      code = NUMBER_TAKEN
    elseif too_many(i, user) then
      code = TOO_MANY_CACHED
    elseif #placed >= room then
      code = QUEUE_FULL
    else
      code, value = PLACED, number .. ':P:' .. digest
      left[sku], left[region] = left[sku] - quantity, left[region] - quantity
      if a then
        bought[a] = bought[a] + quantity
        if permits and bought[a] >= activity_limit then
          done[#done + 1] = user
        end
      end
      if s then
        bought[s] = bought[s] + quantity
      end
      if crowded then
        cached[user] = cached[user] + 1
      end
      if item_limit > 0 then
        window_of(index).add = window_of(index).add + 1
      end
      local k = #placed + 1
      fresh[task], taken[number], placed[k] = value, true, i
      held[2 * k - 1], added[k] = number, number
      held[2 * k] = format_hold(region, ARGV[at + QUANTITY], user)
      values[2 * k - 1], values[2 * k] = task, value
      entries[k] = ARGV[at + ENTRY]
    end
    if permits and (code == PLACED or code == SOLD_OUT or code == OVER_ACTIVITY_LIMIT or code == OVER_SKU_LIMIT) then
      drop(index, user)
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
for _, i in ipairs(placed) do
  local at = start + i * FIELDS
  local index = indexes[i]
  if left[ARGV[9 + index]] == 0 then
    emptied[#emptied + 1] = 'empty:' .. ARGV[9 + index]
    emptied[#emptied + 1] = now
  end
  pair(stock_pairs, left, ARGV[9 + index])
  pair(stock_pairs, left, regions[i])
  pair(bought_pairs, bought, by_activity[i])
  pair(bought_pairs, bought, by_sku[i])
  call('HSET', KEYS[7 + i], 'info:' .. ARGV[at + NUMBER], ARGV[at + RECORD])
end
write('HSET', KEYS[3], stock_pairs)
write('HSET', KEYS[4], bought_pairs)
write('HSET', KEYS[5], held)
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
for key = 8 + n, permits and #KEYS or 0 do
  if key <= 7 + n + m or key > window_keys + (item_limit > 0 and m or 0) then
    write('ZREM', KEYS[key], done)
  end
end
return reply
