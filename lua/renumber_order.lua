-- renumber_order.lua gives an order that waits in the queue another number, since SQL has another order with its
-- number. Its record, hold, task and queue entry follow at once; so of several callers, one succeeds.
--
-- KEYS[1] lock_log       list: the queue
-- KEYS[2] orders:<user>  hash: info:<order_number> → record
-- KEYS[3] held           hash: <order_number> → <sku>~<point>~<quantity>~<user>
-- KEYS[4] tasks          hash: <task> → <order_number>:<state>:<digest>[:<reason>]
-- KEYS[5] numbers        set: the order numbers of the queue and the dead entries
-- KEYS[6] meta           hash: state
--
-- ARGV[1] queue entry
-- ARGV[2] order number
-- ARGV[3] new queue entry
-- ARGV[4] new order number
-- ARGV[5] new record
-- ARGV[6] user
-- ARGV[7] task
--
-- Returns a code:
--    1 RENUMBERED
--    0 GONE          the queue doesn't have the entry: somebody else has done it; nothing was done
--   -7 LOADING       the activity is loading, and the load counts the entries; nothing was done
--  -10 NUMBER_TAKEN  another order of the lane or activity has the new number; nothing was done

local RENUMBERED = 1
local GONE = 0
local LOADING = -7
local NUMBER_TAKEN = -10

local number, new, user, task = ARGV[2], ARGV[4], ARGV[6], ARGV[7]
local at = redis.call('LPOS', KEYS[1], ARGV[1])
if not at then
  return GONE
end
if redis.call('HGET', KEYS[6], 'state') == 'loading' then
  return LOADING
end
if redis.call('SISMEMBER', KEYS[5], new) == 1 or redis.call('HEXISTS', KEYS[3], new) == 1 then
  return NUMBER_TAKEN
end
local held = redis.call('HGET', KEYS[3], number)
local hold = held and parse_hold(held)
local value = redis.call('HGET', KEYS[4], task)
local owner, rest = string.match(value or '', '^([^:]*)(:.*)$')

redis.call('HDEL', KEYS[2], 'info:' .. number) -- a first write that frees memory lets the others run on a full Redis
redis.call('HSET', KEYS[2], 'info:' .. new, ARGV[5])
redis.call('LSET', KEYS[1], at, ARGV[3])
redis.call('SREM', KEYS[5], number)
redis.call('SADD', KEYS[5], new)
if hold and hold.user == user then -- else it is the other order's
  redis.call('HDEL', KEYS[3], number)
  redis.call('HSET', KEYS[3], new, held)
end
if owner == number then
  redis.call('HSET', KEYS[4], task, new .. rest)
end
return RENUMBERED
