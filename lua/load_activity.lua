-- load_activity.lua fills an activity from SQL, in steps: begin, then fill and add any number of
-- times, then open. Only the load with the highest epoch may continue. The tasks of stored orders may be
-- filled after open, while meta has the field tasks: fill_tasks any number of times, then tasks_done.
-- give_up abandons a load that can't continue, and removes what it has filled.
--
-- KEYS[1] meta       hash: state, epoch, starts_ms, ends_ms, limit, limit:<sku>, tasks, … A load without
--                    a step for LOADING_MS expires
-- KEYS[2..] the hashes that are filled: stock, paid, bought, held, tasks, changes, waitlist
--
-- ARGV[1] step   begin, fill, add, open, give_up, fill_tasks or tasks_done
-- ARGV[2] epoch  an integer of any size
-- ARGV[3..] begin: the epoch that SQL had before; fill: which hash (1 stock to 7 waitlist), then field, value, …;
--           add: the same, the values are added to the existing ones; open: the fields of meta, among them state, and
--           their values; fill_tasks: field, value, … (existing tasks are not changed)
--
-- Returns a code:
--    1 DONE     begin: also if a key is of another type than ours, since it can't be read
--    0 REFUSED  begin: the activity is loaded under the epoch that SQL had before, or a load with a higher
--               epoch is running. If it is loaded under another epoch, an older copy of one of the
--               stores was restored, and it is loaded again;
--               fill, add, open, give_up: the activity is not loading under this
--               epoch; fill_tasks, tasks_done: it is not open or closed under it. Nothing was done

local DONE = 1
local REFUSED = 0
local HASHES = 7
local LOADING_MS = 60000

local step, epoch = ARGV[1], ARGV[2]
if not string.match(epoch, '^%d+$') then
  return redis.error_reply('ERR the epoch is not a whole number')
end

-- readable reports whether all keys are hashes or missing. A key of another type was written by somebody else.
local function readable()
  for i = 1, #KEYS do
    local kind = redis.call('TYPE', KEYS[i])['ok']
    if kind ~= 'hash' and kind ~= 'none' then
      return false
    end
  end
  return true
end
if step == 'begin' and not readable() then
  redis.call('UNLINK', unpack(KEYS))
end
local known = redis.call('HMGET', KEYS[1], 'state', 'epoch')
local state, current = known[1], known[2] or ''

if step == 'begin' then
  local loaded = state == 'open' or state == 'closed'
  if (loaded and current == ARGV[3]) or (state == 'loading' and higher(current, epoch)) then
    return REFUSED
  end
  redis.call('UNLINK', unpack(KEYS))
  redis.call('HSET', KEYS[1], 'state', 'loading', 'epoch', epoch)
  redis.call('PEXPIRE', KEYS[1], LOADING_MS)
  return DONE
end

if step == 'fill_tasks' or step == 'tasks_done' then
  if (state ~= 'open' and state ~= 'closed') or current ~= epoch then
    return REFUSED
  end
  local tasks = KEYS[6]
  for i = 3, #ARGV, 2 do
    redis.call('HSETNX', tasks, ARGV[i], ARGV[i + 1])
  end
  if step == 'tasks_done' then
    redis.call('HDEL', KEYS[1], 'tasks')
  end
  return DONE
end

if state ~= 'loading' or current ~= epoch then
  return REFUSED
end
if step == 'give_up' then
  redis.call('UNLINK', unpack(KEYS))
  return DONE
end
local key, from = KEYS[1], 3
if step == 'fill' or step == 'add' then
  local hash = tonumber(ARGV[3])
  if not hash or hash < 1 or hash > HASHES then
    return redis.error_reply('ERR there is no such hash to fill')
  end
  key, from = KEYS[1 + hash], 4
elseif step ~= 'open' then
  return redis.error_reply('ERR the step is none of begin, fill, add, open, give_up, fill_tasks, tasks_done')
end
local values = {}
for i = from, #ARGV do
  values[#values + 1] = ARGV[i]
end
if #values % 2 ~= 0 then
  return redis.error_reply('ERR the fields and values are not pairs')
end
if step == 'add' then
  for i = 1, #values, 2 do
    redis.call('HINCRBY', key, values[i], values[i + 1])
  end
else
  write('HSET', key, values)
end
if step == 'open' then
  redis.call('PERSIST', KEYS[1])
else
  redis.call('PEXPIRE', KEYS[1], LOADING_MS)
end
return DONE
