-- set_state.lua opens or closes a loaded activity. It also runs on a Redis that is full.
--
-- KEYS[1] meta  hash: state
--
-- ARGV[1] state  open or closed
--
-- Returns a code:
--    1 SET
--    0 NOT_LOADED  nothing was done

local SET = 1
local NOT_LOADED = 0

if ARGV[1] ~= 'open' and ARGV[1] ~= 'closed' then
  return redis.error_reply('ERR the state is neither open nor closed')
end
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'open' and state ~= 'closed' then
  return NOT_LOADED
end
spare(KEYS[1])
redis.call('HSET', KEYS[1], 'state', ARGV[1])
return SET
