-- retire_activity.lua removes an activity that has ended and whose data SQL has in full. The activity
-- must be closed, so that no order was placed after the caller checked that.
--
-- KEYS[1] meta  hash: state
-- KEYS[2..] every other key of the activity
--
-- ARGV none
--
-- Returns a code:
--    1 RETIRED     the keys were removed, or didn't exist
--    0 NOT_CLOSED  nothing was done

local RETIRED = 1
local NOT_CLOSED = 0

local state = redis.call('HGET', KEYS[1], 'state')
if state and state ~= 'closed' then
  return NOT_CLOSED
end
redis.call('UNLINK', unpack(KEYS))
return RETIRED
