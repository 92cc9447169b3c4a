-- note_position.lua notes how far a replica of SQL must have come to be read for some users, unless something was noted
-- since the caller read the position. So a caller that was slow sets nothing back. It also runs on a full Redis.
--
-- KEYS[1] written  hash: <bucket of the user> and since → position
--
-- ARGV[1]   the position
-- ARGV[2]   what since was before the caller read the position; empty if there was none
-- ARGV[3..] per bucket two: its field, and what that was before; empty if there was none
--
-- Returns a code:
--    1 NOTED
--    0 CHANGED  a field has another value; nothing was done

local NOTED = 1
local CHANGED = 0

local fields, pairs_, was = { 'since' }, {}, { ARGV[2] }
for i = 3, #ARGV, 2 do
  fields[#fields + 1], was[#was + 1] = ARGV[i], ARGV[i + 1]
  pairs_[i - 2], pairs_[i - 1] = ARGV[i], ARGV[1]
end
local now = read(KEYS[1], fields)
for i = 1, #fields do
  if (now[i] or '') ~= was[i] then
    return CHANGED
  end
end
spare(KEYS[1])
redis.call('HSETNX', KEYS[1], 'since', ARGV[1])
write('HSET', KEYS[1], pairs_)
return NOTED
