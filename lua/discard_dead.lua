-- discard_dead.lua gives up a dead entry for good, at an operator's word.
--
-- KEYS[1] dead           hash: <dead_id> → entry in JSON
-- KEYS[2] meta           hash: state
-- KEYS[3] stock          hash: <sku> and <sku>:<point> → units left
-- KEYS[4] held           hash: <order_number> → <sku>:<point>:<quantity>:<user>
-- KEYS[5] bought         hash: a:<user> and s:<sku>:<user> → units
-- KEYS[6] tasks          hash: <task> → <order_number>:<state>:<digest>[:<reason>]
-- KEYS[7] orders:<user>  hash: info:<order_number> → record
--
-- ARGV[1] dead_id
-- ARGV[2] order number
-- ARGV[3] user
-- ARGV[4] task; '' if not known
-- ARGV[5] reason, for the task
--
-- Returns a code:
--    1 DISCARDED  the record is gone, the task has failed; if the order was held by this very
--                 user, its token is gone, its counts are back, and its units where the activity
--                 is loaded (else the load counts them)
--    0 NOT_FOUND  no such dead entry; nothing was done

local DISCARDED = 1
local NOT_FOUND = 0

local number, user, task, reason = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return NOT_FOUND
end
local state = redis.call('HGET', KEYS[2], 'state')
local held = redis.call('HGET', KEYS[4], number)
local token = held and parse(held)
if token and token.user ~= user then
  token = nil
end
local counts, gone = {}, {}
if token then
  counts, gone = lower(KEYS[5], { token })
end
local value = redis.call('HGET', KEYS[6], task)
local owner, digest = string.match(value or '', '^([^:]*):[^:]*:([^:]*)')

redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[7], 'info:' .. number)
if token then
  redis.call('HDEL', KEYS[4], number)
  if state == 'open' or state == 'closed' then
    redis.call('HINCRBY', KEYS[3], token.sku, token.quantity)
    redis.call('HINCRBY', KEYS[3], token.sku .. ':' .. token.point, token.quantity)
  end
  write('HSET', KEYS[5], counts)
  write('HDEL', KEYS[5], gone)
end
if owner and owner == number then
  value = number .. ':F:' .. digest
  if reason ~= '' then
    value = value .. ':' .. reason
  end
  redis.call('HSET', KEYS[6], task, value)
end
return DISCARDED
