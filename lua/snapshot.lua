-- snapshot.lua runs several reads atomically.
--
-- KEYS[1..] the key of each read
--
-- ARGV[1..] per read: its command, the number of arguments after the key, and those arguments
--
-- Returns the reply of each read

local replies, at = {}, 1
for i = 1, #KEYS do
  local n = tonumber(ARGV[at + 1])
  replies[i] = redis.call(ARGV[at], KEYS[i], unpack(ARGV, at + 2, at + 1 + n))
  at = at + 2 + n
end
return replies
