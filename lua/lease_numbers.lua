-- lease_numbers.lua leases numbers of a lane's sequence, from which order numbers are made.
--
-- A master skips some numbers when it begins to give leases: if it was a replica that was behind, or runs on an older
-- copy, it lacks the last leases of the previous master. It recognizes a new beginning by the id of its replication,
-- which changes with each promotion and each restart. So neither the master nor anybody else needs to know which leases
-- are missing. A Redis that doesn't tell the id, for example because the login may not run INFO, gives no leases.
--
-- KEYS[1] leases  hash: next → the first number that is not leased, run → the id of the master that gave the last lease
--
-- ARGV[1] size   how many numbers
-- ARGV[2] start  where a lane begins if neither Redis nor the caller knows of a lease, 1 or more
-- ARGV[3] known  the end of the caller's last lease of the lane; 0 if it had none
-- ARGV[4] skip   how many numbers a master skips when it begins
--
-- Returns the first of the numbers, or an error if Redis doesn't tell the id

local info = redis.pcall('INFO', 'replication')
local run = type(info) == 'string' and string.match(info, 'master_replid:(%w+)')
if not run then
  local answer = type(info) == 'table' and info.err or 'it has no master_replid'
  if answer ~= 'section (replication) is not supported' then -- as an embedded Redis answers, which has no replica
    return redis.error_reply('NOINFO the login must have the right to run INFO: ' .. answer)
  end
  run = ''
end

local had = redis.call('HMGET', KEYS[1], 'next', 'run')
local first = math.max(tonumber(had[1] or 0), tonumber(ARGV[3]))
if first == 0 then
  first = tonumber(ARGV[2])
elseif not had[1] or had[2] ~= run then
  first = first + tonumber(ARGV[4])
end
redis.call('HSET', KEYS[1], 'next', string.format('%.0f', first + tonumber(ARGV[1])), 'run', run)
return first
