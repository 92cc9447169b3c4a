-- retire_activity.lua lets go of an activity that has ended and has nothing here that SQL lacks. It
-- must be closed, so that nothing was placed after the caller looked.
--
-- KEYS[1] meta  hash: state
-- KEYS[2..] every other key of the activity
--
-- ARGV none
--
-- Returns a code:
--    1 RETIRED     the keys are gone, or were
--    0 NOT_CLOSED  nothing was done

local RETIRED = 1
local NOT_CLOSED = 0

local state = redis.call('HGET', KEYS[1], 'state')
if state and state ~= 'closed' then
  return NOT_CLOSED
end
redis.call('UNLINK', unpack(KEYS))
return RETIRED
