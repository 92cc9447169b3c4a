-- ack_moved.lua settles the entries that were moved: it deletes their records, sets their tasks to the
-- state that SQL has, and removes them from the head of the queue. It stops at the first entry of the queue
-- that is not the expected one.
--
-- KEYS[1] lock_log  list: the queue
-- KEYS[2] dead      hash: <dead_id> → entry in JSON
-- KEYS[3] written   hash: as written.lua says
-- KEYS[4] numbers   set: the order numbers of the queue and the dead entries
-- KEYS[5..] of each activity four: tasks, held, bought, stock (hashes); then orders:<user> of each
--           user; then of each activity its meta (hash: state)
--
-- ARGV[1] n     how many entries
-- ARGV[2] a     how many activities
-- ARGV[3] from  the index of the first of them in the queue
-- ARGV[4..] per entry ten: entry, order number, activity and user (their indexes, from 1; 0:
--           unknown), task ('': unknown), verdict, reason, dead_id, dead entry, repeat
--           `<order_number>:<state>:<unpaid>:<counts>` of R, `<units>:<units of the sku>` of L with the units of
--           each sku of the order behind a comma, or ''.
--           Verdict S: SQL has the order. F: SQL has it as failed; if it is still held, its hold
--           is removed and its counts are given back, but not its stock. L: SQL has it as failed
--           because its buyer has reached a limit; if it is still held, its hold is removed, its
--           units are given back, and its counts are lowered to what SQL has counted. D: the entry
--           is moved to dead; its record, hold and task stay. R: SQL has its task under the order
--           number of repeat, the first order, and the task is set to the first order again. Its hold is
--           given to the first order if that is unpaid (1) and has no hold; otherwise the hold is
--           removed and its units are given back. Its counts are given back unless the first order
--           counts (1).
--           W: the order can't be stored yet; its entry waits. Then the note of written.lua.
--
-- Returns {seen, removed, {waits, ...}, {broken, ...}}: how many entries were where they were expected; how many of
-- them were removed, from the head of the queue; the indexes, from 1, of the entries that wait; and the indexes of the
-- activities with unreadable keys, whose readable keys were changed. Or -1: the note is outdated, and nothing was done.
--
-- Behind an entry that waits, an entry with S is settled and stays in the queue until it is at the head; meanwhile SQL
-- has its order and Redis no record. An entry with another verdict waits behind it unchanged: SQL may have no order
-- with its number, and an audit counts the units of every entry in the queue, so the units are given back only when the
-- entry is removed. An entry of an activity that is loading waits, since the load counts the entries of the queue.
--
-- Writes that free memory come first, so that the script also runs on a full Redis.

local FIELDS = 10
local NUMBER, ACTIVITY, USER, TASK, VERDICT, REASON, DEAD_ID, DEAD, REPEAT = 1, 2, 3, 4, 5, 6, 7, 8, 9

local n, a, from = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local start = 4 - FIELDS -- the arguments of entry i begin at start + i * FIELDS

local note = noted(KEYS[3], start + (n + 1) * FIELDS)
if not note then
  return -1
end
local queued = redis.call('LRANGE', KEYS[1], from, from + n - 1)
local seen = 0
while seen < n and queued[seen + 1] == ARGV[start + (seen + 1) * FIELDS] do
  seen = seen + 1
end
if seen == 0 then
  return { 0, 0, {}, {} }
end
local loading = { [0] = false }
for activity = 1, a do
  local ok, state = pcall(redis.call, 'HGET', KEYS[#KEYS - a + activity], 'state')
  loading[activity] = ok and state == 'loading' -- while a load runs, meta can be read
end

local function list_at(lists, key)
  if not lists[key] then
    lists[key] = {}
  end
  return lists[key]
end

-- keeps_dead reports whether the dead entries can be read; it asks once.
local dead_is_hash
local function keeps_dead()
  if dead_is_hash == nil then
    dead_is_hash = pcall(redis.call, 'HLEN', KEYS[2])
  end
  return dead_is_hash
end

-- Sort the entries by the keys they touch.
local removed, waits = 0, {}
local dead, records, tasked, failed, over, repeats, gone_numbers = {}, {}, {}, {}, {}, {}, {}
for i = 1, seen do
  local at = start + i * FIELDS
  local activity, user, verdict = tonumber(ARGV[at + ACTIVITY]), tonumber(ARGV[at + USER]), ARGV[at + VERDICT]
  local behind = from > 0 or #waits > 0
  if verdict == 'W' or loading[activity] or (behind and verdict ~= 'S')
    or (verdict == 'D' and not keeps_dead()) then
    waits[#waits + 1] = i
  else
    if not behind then
      removed = i
    end
    if verdict == 'D' then
      dead[#dead + 1] = ARGV[at + DEAD_ID]
      dead[#dead + 1] = ARGV[at + DEAD]
    else
      table.insert(list_at(records, user), 'info:' .. ARGV[at + NUMBER])
      gone_numbers[#gone_numbers + 1] = ARGV[at + NUMBER]
      if ARGV[at + TASK] ~= '' then
        table.insert(list_at(tasked, activity), at)
      end
      if verdict == 'F' then
        table.insert(list_at(failed, activity), ARGV[at + NUMBER])
      elseif verdict == 'L' then
        table.insert(list_at(over, activity), at)
      elseif verdict == 'R' then
        table.insert(list_at(repeats, activity), at)
      end
    end
  end
end

-- settled returns the new values of the tasks that exist and belong to these orders.
local function settled(key, ats)
  local fields = {}
  for k, at in ipairs(ats) do
    fields[k] = ARGV[at + TASK]
  end
  local values, set = read(key, fields), {}
  for k, at in ipairs(ats) do
    local number, digest = string.match(values[k] or '', '^([^:]*):[^:]*:([^:]*)')
    if number == ARGV[at + NUMBER] then
      local state = ARGV[at + VERDICT]
      if state == 'L' then
        state = 'F'
      elseif state == 'R' then
        number, state = string.match(ARGV[at + REPEAT], '^([^:]*):([^:]*)')
      end
      local value = number .. ':' .. state .. ':' .. digest
      if state == 'F' and ARGV[at + REASON] ~= '' then
        value = value .. ':' .. ARGV[at + REASON]
      end
      set[#set + 1] = fields[k]
      set[#set + 1] = value
    end
  end
  return set
end

-- undone sorts the holds of repeats: holds to remove, holds to give to another order, holds whose units are given back,
-- and holds whose counts are given back.
local function undone(key, ats)
  local fields, of, unpaid, counted = {}, {}, {}, {}
  for k, at in ipairs(ats) do
    fields[2 * k - 1] = ARGV[at + NUMBER]
    of[k], unpaid[k], counted[k] = string.match(ARGV[at + REPEAT], '^([^:]*):[^:]*:([^:]*):([^:]*)$')
    fields[2 * k] = of[k]
  end
  local held, known = read(key, fields), {}
  local gone, given, units, counts = {}, {}, {}, {}
  for k in ipairs(ats) do
    local number, hold = fields[2 * k - 1], held[2 * k - 1]
    if hold and not known[number] then
      known[number] = true
      gone[#gone + 1] = number
      if unpaid[k] == '1' and not held[2 * k] and not known[of[k]] then
        known[of[k]] = true
        given[#given + 1] = of[k]
        given[#given + 1] = hold
      else
        units[#units + 1] = parse_hold(hold)
      end
      if counted[k] ~= '1' then
        counts[#counts + 1] = parse_hold(hold)
      end
    end
  end
  return gone, given, units, counts
end

-- exceeding returns the held holds of orders over a limit, and what SQL has counted, by field.
local function exceeding(key, ats)
  local candidates, offsets = {}, {}
  for k, at in ipairs(ats) do
    candidates[k], offsets[ARGV[at + NUMBER]] = ARGV[at + NUMBER], at
  end
  local numbers, holds = found(key, candidates)
  local least = {}
  for k, number in ipairs(numbers) do
    local all, of_skus = string.match(ARGV[offsets[number] + REPEAT], '^(%d+):([%d,]*)$')
    local hold, counted, line = holds[k], {}, 0
    for units in string.gmatch(of_skus or '', '%d+') do
      counted[#counted + 1] = tonumber(units)
    end
    least[bought_field(hold.buyer)] = tonumber(all) or 0
    each_count(hold, function(sku)
      line = line + 1
      least[bought_field(hold.buyer, sku)] = counted[line] or 0
    end)
  end
  return numbers, holds, least
end

-- No write runs before all reads are done; the writes to the queue and the records come first. A key that can't be read
-- stays as it is, and so do the keys that would change together with it.
local writes, broken = {}, {}
local function planned(activity, plan)
  local planned_writes = {}
  local ok = pcall(plan, function(command, key, values)
    planned_writes[#planned_writes + 1] = { command, key, values }
  end)
  if not ok then
    if broken[#broken] ~= activity then
      broken[#broken + 1] = activity
    end
    return
  end
  for _, w in ipairs(planned_writes) do
    writes[#writes + 1] = w
  end
end
for activity = 1, a do
  local first = 4 * activity + 1
  local tasks, held, bought, stock = KEYS[first], KEYS[first + 1], KEYS[first + 2], KEYS[first + 3]
  if tasked[activity] then
    planned(activity, function(later)
      later('HSET', tasks, settled(tasks, tasked[activity]))
    end)
  end
  if failed[activity] or over[activity] or repeats[activity] then
    planned(activity, function(later)
      local numbers, holds = found(held, failed[activity] or {})
      local gone_over, back, least = exceeding(held, over[activity] or {})
      for _, hold in ipairs(back) do
        holds[#holds + 1] = hold
      end
      if repeats[activity] then
        local out, given, units, uncounted = undone(held, repeats[activity])
        later('HDEL', held, out)
        later('HSET', held, given)
        for _, hold in ipairs(units) do
          back[#back + 1] = hold
        end
        for _, hold in ipairs(uncounted) do
          holds[#holds + 1] = hold
        end
      end
      local counts, gone = lower(bought, holds, least)
      later('HSET', stock, raise(stock, back, true))
      later('HDEL', held, numbers)
      later('HDEL', held, gone_over)
      later('HSET', bought, counts)
      later('HDEL', bought, gone)
    end)
  end
end
if removed > 0 then
  redis.call('LTRIM', KEYS[1], removed, -1)
end
for user, fields in pairs(records) do
  pcall(write, 'HDEL', KEYS[4 + 4 * a + user], fields)
end
if #dead == 0 and redis.call('LLEN', KEYS[1]) == 0 and keeps_dead() and redis.call('HLEN', KEYS[2]) == 0 then
  redis.call('UNLINK', KEYS[4]) -- also what an older version has left there
else
  pcall(write, 'SREM', KEYS[4], gone_numbers)
end
write('HSET', KEYS[2], dead)
write('HSET', KEYS[3], note)
for _, w in ipairs(writes) do
  write(w[1], w[2], w[3])
end
return { seen, removed, waits, broken }
