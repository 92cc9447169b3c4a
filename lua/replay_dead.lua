-- replay_dead.lua puts a dead entry back at the end of the queue.
--
-- KEYS[1] dead      hash: <dead_id> → entry in JSON
-- KEYS[2] lock_log  list: the queue
--
-- ARGV[1] dead_id
-- ARGV[2] queue entry
--
-- Returns a code:
--    1 REPLAYED
--    0 NOT_FOUND  no such dead entry; nothing was done

local REPLAYED = 1
local NOT_FOUND = 0

redis.call('LLEN', KEYS[2]) -- an error, before anything is removed, if it is no list
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then
  return NOT_FOUND
end
redis.call('RPUSH', KEYS[2], ARGV[2])
return REPLAYED
