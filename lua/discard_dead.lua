-- discard_dead.lua removes a dead entry permanently, when an operator asks for it.
--
-- KEYS[1] dead           hash: <dead_id> → entry in JSON
-- KEYS[2] stock          hash: <sku> and <sku>~<point> → units left
-- KEYS[3] held           hash: <order_number> → <sku>~<point>~<quantity>[:<limit key>]~<user>
-- KEYS[4] bought         hash: a:<buyer> and s:<sku>~<buyer> → units
-- KEYS[5] tasks          hash: <task> → <order_number>:<state>:<digest>[:<reason>]
-- KEYS[6] orders:<user>  hash: info:<order_number> → record
-- KEYS[7] meta           hash: state
-- KEYS[8] written        hash: as written.lua says
-- KEYS[9] numbers        set: the order numbers of the queue and the dead entries
--
-- ARGV[1] dead_id
-- ARGV[2] order number
-- ARGV[3] user
-- ARGV[4] task; '' if unknown
-- ARGV[5] reason, for the task
-- Then the note of written.lua
--
-- Returns a code:
--    1 DISCARDED  the record was removed and the task set to failed; if the order was held by this
--                 user, its hold was removed and its units and counts were given back. What can't be
--                 read stays as it is,
--                 except orders, which are removed
--    0 NOT_FOUND  no such dead entry; nothing was done
--   -1 NOTED      the note is outdated; nothing was done
--   -7 LOADING    the activity is loading, and the load counts the dead entries; nothing was done

local DISCARDED = 1
local NOT_FOUND = 0
local NOTED = -1
local LOADING = -7

local number, user, task, reason = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return NOT_FOUND
end

-- get returns a value of a hash; false if there is none, or if the key can't be read.
local function get(key, field)
  local ok, value = pcall(redis.call, 'HGET', key, field)
  return ok and value
end
if get(KEYS[7], 'state') == 'loading' then
  return LOADING
end
local note = noted(KEYS[8], 6)
if not note then
  return NOTED
end

-- given_back returns the hold, and what changes in the stock and the counts when it is given back.
local function given_back()
  local held = redis.call('HGET', KEYS[3], number)
  local hold = held and parse_hold(held)
  if not hold or hold.user ~= user then
    return
  end
  return hold, raise(KEYS[2], { hold }, true), lower(KEYS[4], { hold })
end
local readable, hold, stock, counts, gone = pcall(given_back)
local value = get(KEYS[5], task)
local owner, digest = string.match(value or '', '^([^:]*):[^:]*:([^:]*)')

redis.call('HDEL', KEYS[1], ARGV[1])
if not pcall(redis.call, 'HDEL', KEYS[6], 'info:' .. number) then
  redis.call('UNLINK', KEYS[6]) -- no orders can be read from it, and its user's lists lack them
end
write('HSET', KEYS[8], note)
pcall(redis.call, 'SREM', KEYS[9], number)
if readable and hold then
  redis.call('HDEL', KEYS[3], number)
  write('HSET', KEYS[2], stock)
  write('HSET', KEYS[4], counts)
  write('HDEL', KEYS[4], gone)
end
if owner and owner == number then
  value = number .. ':F:' .. digest
  if reason ~= '' then
    value = value .. ':' .. reason
  end
  redis.call('HSET', KEYS[5], task, value)
end
return DISCARDED
