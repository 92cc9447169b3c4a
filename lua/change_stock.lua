-- change_stock.lua adds units to a sku at a point, or removes units, once per change id. It also runs
-- on a Redis that is full. It takes no units of waves that open later.
--
-- KEYS[1] meta     hash: state, epoch, waves:<sku>
-- KEYS[2] stock    hash: <sku> and <sku>~<point> → units left
-- KEYS[3] changes  hash: <change id> → delta, or refused
--
-- ARGV[1] change id
-- ARGV[2] sku
-- ARGV[3] point
-- ARGV[4] delta  an integer; below 0 units are removed
-- ARGV[5] epoch  load epoch at which the change was found pending: a later load drops the ids of
--                changes that were finished before it
--
-- Returns a code:
--    1 APPLIED
--    2 KNOWN       applied before; nothing was done
--   -1 TOO_MUCH    fewer units are open, in total or at the point; the id is stored as refused, so
--                  that every later try of it returns the same
--   -7 NOT_LOADED  the activity is not loaded under this epoch; nothing was done

local APPLIED = 1
local KNOWN = 2
local TOO_MUCH = -1
local NOT_LOADED = -7

local id, sku, region, delta = ARGV[1], ARGV[2], stock_field(ARGV[2], ARGV[3]), ARGV[4]
if not string.match(delta, '^-?%d+$') or #delta > 16 then
  return redis.error_reply('ERR the delta is not a whole number')
end
local known = redis.call('HMGET', KEYS[1], 'state', 'epoch', 'waves:' .. sku)
if (known[1] ~= 'open' and known[1] ~= 'closed') or known[2] ~= ARGV[5] then
  return NOT_LOADED
end
local before = redis.call('HGET', KEYS[3], id)
if before == 'refused' then
  return TOO_MUCH
elseif before then
  return KNOWN
end
local take = -tonumber(delta)
if take > 0 then
  local time, closed = redis.call('TIME'), {}
  close_waves(known[3], sku, time[1] * 1000 + math.floor(time[2] / 1000), closed, {})
  local left = redis.call('HMGET', KEYS[2], sku, region)
  if (tonumber(left[1]) or 0) < take or (tonumber(left[2]) or 0) - (closed[region] or 0) < take then
    spare(KEYS[3])
    redis.call('HSET', KEYS[3], id, 'refused')
    return TOO_MUCH
  end
end
spare(KEYS[3])
redis.call('HINCRBY', KEYS[2], sku, delta)
redis.call('HINCRBY', KEYS[2], region, delta)
redis.call('HSET', KEYS[3], id, delta)
return APPLIED
