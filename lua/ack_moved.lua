-- ack_moved.lua removes the entries that were moved from the head of the queue, deletes their
-- records and sets their tasks to the state that SQL has. It stops at the first entry of the queue
-- that is not the expected one.
--
-- KEYS[1] lock_log  list: the queue
-- KEYS[2] dead      hash: <dead_id> → entry in JSON
-- KEYS[3] written   hash: as written.lua says
-- KEYS[4..] of each activity four: tasks, held, bought, stock (hashes); then orders:<user> of each
--           user; then of each activity its meta (hash: state)
--
-- ARGV[1] n  how many entries
-- ARGV[2] a  how many activities
-- ARGV[3..] per entry ten: entry, order number, activity and user (their indexes, from 1; 0:
--           unknown), task ('': unknown), verdict, reason, dead_id, dead entry, repeat
--           `<order_number>:<state>:<unpaid>:<counts>` of R, `<units>:<units of the sku>` of L, or ''.
--           Verdict S: SQL has the order. F: SQL has it as failed; if it is still held, its hold
--           is removed and its counts are given back, but not its stock. L: SQL has it as failed
--           because its buyer has reached a limit; if it is still held, its hold is removed, its
--           units are given back, and its counts are lowered to what SQL has counted. D: the entry
--           is moved to dead; its record, hold and task stay. R: SQL has its task under the order
--           number of repeat, and the task is set to that order again. Its hold is given to that
--           order if that order is unpaid (1) and has no hold; otherwise the hold is removed and
--           its units are given back. Its counts are given back unless that order counts (1).
--           Then the note of written.lua.
--
-- Returns how many entries were removed, 0 to n, or -1 if the note is outdated and nothing was
-- done. An entry of an activity that is loading stays, and so do all entries after it, since the
-- load counts the entries of the queue
--
-- Writes that free memory come first, so that the script also runs on a full Redis.

local FIELDS = 10
local NUMBER, ACTIVITY, USER, TASK, VERDICT, REASON, DEAD_ID, DEAD, REPEAT = 1, 2, 3, 4, 5, 6, 7, 8, 9

local n, a = tonumber(ARGV[1]), tonumber(ARGV[2])
local start = 3 - FIELDS -- the arguments of entry i begin at start + i * FIELDS

local note = noted(KEYS[3], start + (n + 1) * FIELDS)
if not note then
  return -1
end
local acked = 0
local head = redis.call('LRANGE', KEYS[1], 0, n - 1)
local loading = { [0] = false }
for activity = 1, a do
  loading[activity] = redis.call('HGET', KEYS[#KEYS - a + activity], 'state') == 'loading'
end
while acked < n do
  local at = start + (acked + 1) * FIELDS
  if head[acked + 1] ~= ARGV[at] or loading[tonumber(ARGV[at + ACTIVITY])] then
    break
  end
  acked = acked + 1
end
if acked == 0 then
  return 0
end

local function list_at(lists, key)
  if not lists[key] then
    lists[key] = {}
  end
  return lists[key]
end

-- Sort the entries by the keys they touch.
local dead, records, tasked, failed, over, repeats = {}, {}, {}, {}, {}, {}
for i = 1, acked do
  local at = start + i * FIELDS
  local activity, user = tonumber(ARGV[at + ACTIVITY]), tonumber(ARGV[at + USER])
  if ARGV[at + VERDICT] == 'D' then
    dead[#dead + 1] = ARGV[at + DEAD_ID]
    dead[#dead + 1] = ARGV[at + DEAD]
  else
    table.insert(list_at(records, user), 'info:' .. ARGV[at + NUMBER])
    if ARGV[at + TASK] ~= '' then
      table.insert(list_at(tasked, activity), at)
    end
    if ARGV[at + VERDICT] == 'F' then
      table.insert(list_at(failed, activity), ARGV[at + NUMBER])
    elseif ARGV[at + VERDICT] == 'L' then
      table.insert(list_at(over, activity), at)
    elseif ARGV[at + VERDICT] == 'R' then
      table.insert(list_at(repeats, activity), at)
    end
  end
end

-- settled returns the new values of those tasks that exist and belong to these orders.
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

-- undone returns what to do with the holds of repeats: the ones to remove, the ones to give to
-- another order, and the ones whose units and whose counts are given back.
local function undone(key, ats)
  local fields, of, unpaid, counted = {}, {}, {}, {}
  for k, at in ipairs(ats) do
    fields[2 * k - 1] = ARGV[at + NUMBER]
    of[k], unpaid[k], counted[k] = string.match(ARGV[at + REPEAT], '^([^:]*):[^:]*:([^:]*):([^:]*)$')
    fields[2 * k] = of[k]
  end
  local held, seen = read(key, fields), {}
  local gone, given, units, counts = {}, {}, {}, {}
  for k in ipairs(ats) do
    local number, hold = fields[2 * k - 1], held[2 * k - 1]
    if hold and not seen[number] then
      seen[number] = true
      gone[#gone + 1] = number
      if unpaid[k] == '1' and not held[2 * k] and not seen[of[k]] then
        seen[of[k]] = true
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
    local all, of_sku = string.match(ARGV[offsets[number] + REPEAT], '^(%d+):(%d+)$')
    local hold = holds[k]
    least[bought_field(hold.user)] = tonumber(all) or 0
    least[bought_field(hold.user, hold.sku)] = tonumber(of_sku) or 0
  end
  return numbers, holds, least
end

-- No write runs before all reads are done; the writes to the queue and the records come first.
local writes = {}
local function later(command, key, values)
  writes[#writes + 1] = { command, key, values }
end
later('HSET', KEYS[2], dead)
for activity = 1, a do
  local first = 4 * activity
  local tasks, held, bought, stock = KEYS[first], KEYS[first + 1], KEYS[first + 2], KEYS[first + 3]
  later('HSET', tasks, settled(tasks, tasked[activity] or {}))
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
end
redis.call('LTRIM', KEYS[1], acked, -1)
for user, fields in pairs(records) do
  write('HDEL', KEYS[3 + 4 * a + user], fields)
end
write('HSET', KEYS[3], note)
for _, w in ipairs(writes) do
  write(w[1], w[2], w[3])
end
return acked
