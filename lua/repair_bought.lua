-- repair_bought.lua corrects counts of what buyers bought under a limit, each only if it hasn't changed
-- since it was compared with SQL: orders are placed at the same time.
--
-- KEYS[1] meta    hash: state, epoch
-- KEYS[2] bought  hash: a:<buyer> and s:<sku>~<buyer> → units
--
-- ARGV[1] epoch  of the load that is repaired
-- ARGV[2..] per count three: field, its value when it was compared ('' if absent), the value to set; 0
--           removes the field
--
-- Returns a code:
--    1 REPAIRED
--   -7 NOT_LOADED  the activity is not loaded under this epoch; nothing was done

local REPAIRED = 1
local NOT_LOADED = -7

local known = redis.call('HMGET', KEYS[1], 'state', 'epoch')
if (known[1] ~= 'open' and known[1] ~= 'closed') or known[2] ~= ARGV[1] then
  return NOT_LOADED
end
local fields = {}
for i = 2, #ARGV, 3 do
  fields[#fields + 1] = ARGV[i]
end
local counts, set, gone = read(KEYS[2], fields), {}, {}
for k, field in ipairs(fields) do
  local before, after = ARGV[3 * k], ARGV[3 * k + 1]
  if (counts[k] or '') == before then
    if tonumber(after) > 0 then
      set[#set + 1] = field
      set[#set + 1] = after
    else
      gone[#gone + 1] = field
    end
  end
end
write('HDEL', KEYS[2], gone)
write('HSET', KEYS[2], set)
return REPAIRED
