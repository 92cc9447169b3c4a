-- discard_dead.lua removes a dead entry permanently, when an operator asks for it.
--
-- KEYS[1] dead           hash: <dead_id> → entry in JSON
-- KEYS[2] stock          hash: <sku> and <sku>~<point> → units left
-- KEYS[3] held           hash: <order_number> → <sku>~<point>~<quantity>~<user>
-- KEYS[4] bought         hash: a:<user> and s:<sku>~<user> → units
-- KEYS[5] tasks          hash: <task> → <order_number>:<state>:<digest>[:<reason>]
-- KEYS[6] orders:<user>  hash: info:<order_number> → record
-- KEYS[7] meta           hash: state
-- KEYS[8] written        hash: as written.lua says
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
--                 user, its hold was removed and its units and counts were given back
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
if redis.call('HGET', KEYS[7], 'state') == 'loading' then
  return LOADING
end
local note = noted(KEYS[8], 6)
if not note then
  return NOTED
end
local held = redis.call('HGET', KEYS[3], number)
local hold = held and parse_hold(held)
if hold and hold.user ~= user then
  hold = nil
end
local counts, gone = {}, {}
if hold then
  counts, gone = lower(KEYS[4], { hold })
end
local value = redis.call('HGET', KEYS[5], task)
local owner, digest = string.match(value or '', '^([^:]*):[^:]*:([^:]*)')

redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[6], 'info:' .. number)
write('HSET', KEYS[8], note)
if hold then
  redis.call('HDEL', KEYS[3], number)
  redis.call('HINCRBY', KEYS[2], hold.sku, hold.quantity)
  redis.call('HINCRBY', KEYS[2], stock_field(hold.sku, hold.point), hold.quantity)
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
