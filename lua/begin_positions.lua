-- begin_positions.lua changes the least position of a lane, which counts for users without one of their own. It also
-- runs on a full Redis.
--
-- KEYS[1] written  hash: <bucket of the user> and since → position; run → the run of the master that has all of them
--
-- ARGV[1] what since was; '' if there was none
-- ARGV[2] what it becomes
-- ARGV[3] the run of the master, as the caller read it before: the positions of all users are forgotten; '' keeps them
--
-- Returns a code:
--    1 CHANGED
--    0 OTHER  since has another value; nothing was done

local CHANGED = 1
local OTHER = 0

if (redis.call('HGET', KEYS[1], 'since') or '') ~= ARGV[1] then
  return OTHER
end
if ARGV[3] ~= '' then
  redis.call('DEL', KEYS[1])
end
spare(KEYS[1])
redis.call('HSET', KEYS[1], 'since', ARGV[2])
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[1], 'run', ARGV[3])
end
return CHANGED
