-- check_rights.lua runs each command that the scripts have, on a key that is nobody else's, and removes the key. A
-- login may lack the right to a command, or the server may have renamed it: then other scripts would fail in the middle
-- of their work.
--
-- KEYS[1] the key, in the lane of the check
--
-- ARGV[1] ms after which the key expires if it can't be removed
--
-- Returns for each refused command its name and the error

local expire = { 'PEXPIRE', ARGV[1] }
local steps = {
  { 'TIME' },
  { 'SET', '1', 'PX', ARGV[1] }, { 'GET' }, { 'GETRANGE', '0', '0' }, { 'EXISTS' }, { 'TYPE' }, { 'PTTL' },
  { 'PERSIST' }, expire, { 'UNLINK' },
  { 'HSET', 'f', '1' }, expire, { 'HSETNX', 'f', '1' }, { 'HINCRBY', 'f', '1' }, { 'HGET', 'f' }, { 'HMGET', 'f' },
  { 'HEXISTS', 'f' }, { 'HLEN' }, { 'HDEL', 'f' }, { 'DEL' },
  { 'RPUSH', 'v' }, expire, { 'LLEN' }, { 'LINDEX', '0' }, { 'LRANGE', '0', '0' }, { 'LPOS', 'v' },
  { 'LSET', '0', 'v' }, { 'LTRIM', '0', '0' }, { 'DEL' },
  { 'SADD', 'v' }, expire, { 'SISMEMBER', 'v' }, { 'SMISMEMBER', 'v' }, { 'SREM', 'v' }, { 'DEL' },
  { 'ZADD', '1', 'v' }, expire, { 'ZCARD' }, { 'ZCOUNT', '0', '2' }, { 'ZMSCORE', 'v' },
  { 'ZRANK', 'v' }, { 'ZRANGE', '0', '0' }, { 'ZRANGEBYSCORE', '0', '2' }, { 'ZREMRANGEBYSCORE', '3', '4' },
  { 'ZREM', 'v' }, { 'DEL' },
  { 'SET', '1', 'PX', ARGV[1] }, { 'PEXPIREAT', '1' }, { 'DEL' }, -- 1 is long ago
}

-- If a step was refused, a later step that needs its result finds another type, or no key; this later step was not
-- refused itself.
local function allowed(problem)
  return string.find(problem, 'WRONGTYPE', 1, true) or string.find(problem, 'no such key', 1, true)
end

local refused, seen = {}, {}
for i = 1, #steps do
  local name, ok, reply = steps[i][1]
  if name == 'TIME' then
    ok, reply = pcall(redis.call, name)
  else
    ok, reply = pcall(redis.call, name, KEYS[1], unpack(steps[i], 2))
  end
  if not ok and not seen[name] then
    local problem = type(reply) == 'table' and reply.err or tostring(reply)
    if not allowed(problem) then
      seen[name] = true
      refused[#refused + 1], refused[#refused + 2] = name, problem
    end
  end
end
return refused
