-- fill_buyers.lua fills the list of the buyers of an activity from SQL, in steps: begin, then any number of times add,
-- then done. Under one start the list only grows, so several instances may fill it at once. A list that was emptied in
-- SQL begins again under another start.
--
-- KEYS[1] buyers  set: users; `\n<start>` while it is the list with this start; and `\n<start>:<version>` for each
--                 version up to which it is complete. No user id has a line break
--
-- ARGV[1] step        begin, add or done
-- ARGV[2] start       the version with which the list began
-- ARGV[3] expires_ms  when the key expires, a time
-- ARGV[4..] begin: none; add: users; done: the version up to which the list is complete
--
-- Returns a code:
--    1 DONE
--    0 REFUSED  add, done: it is not the list with this start; nothing was done

local DONE = 1
local REFUSED = 0

local step, start = ARGV[1], '\n' .. ARGV[2]
if step ~= 'begin' and step ~= 'add' and step ~= 'done' then
  return redis.error_reply('ERR the step is none of begin, add, done')
end
local begun = redis.call('SISMEMBER', KEYS[1], start) == 1
if step == 'begin' then
  if not begun then
    redis.call('UNLINK', KEYS[1])
    redis.call('SADD', KEYS[1], start)
  end
elseif not begun then
  return REFUSED
elseif step == 'add' then
  redis.call('SADD', KEYS[1], unpack(ARGV, 4))
else
  redis.call('SADD', KEYS[1], start .. ':' .. ARGV[4])
end
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
return DONE
