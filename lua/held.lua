-- held.lua is prepended, after value_chunks.lua and values.lua, to the scripts that give back the units of holds.
--
-- KEYS none
-- ARGV none
-- Returns nothing: it only defines functions

-- lower subtracts the holds' units from what their buyers have bought, but not below least[field] where
-- that is given. It writes nothing: it returns the pairs to set and the fields to remove. A count that
-- is absent stays absent.
local function lower(bought_key, holds, least)
  local fields, takes = {}, {}
  local function take(field, quantity)
    if not takes[field] then
      fields[#fields + 1] = field
    end
    takes[field] = (takes[field] or 0) + quantity
  end
  for _, hold in ipairs(holds) do
    take(bought_field(hold.buyer), hold.quantity)
    each_count(hold, function(sku, units)
      take(bought_field(hold.buyer, sku), units)
      if hold.reserved then
        take(reserved_field(stock_field(sku, hold.point)), units)
      end
    end)
  end

  local set, gone = {}, {}
  local counts = read(bought_key, fields)
  for i, field in ipairs(fields) do
    if counts[i] then
      local left = math.max(tonumber(counts[i]) - takes[field], least and least[field] or 0)
      if left > 0 then
        set[#set + 1] = field
        set[#set + 1] = left
      else
        gone[#gone + 1] = field
      end
    end
  end
  return set, gone
end

-- found returns the candidates that are held, each once, and their holds; named[i] is true if candidate i is held and
-- is the first with its number. A candidate whose hold can't be read is not among them; then spoiled[i] is true.
local function found(held_key, candidates)
  local numbers, holds, named, seen, spoiled = {}, {}, {}, {}, {}
  local held = read(held_key, candidates)
  for i, number in ipairs(candidates) do
    local hold = held[i] and try_hold(held[i]) or false
    spoiled[i] = held[i] and not hold
    named[i] = hold and not seen[number]
    if named[i] then
      seen[number] = true
      numbers[#numbers + 1] = number
      holds[#holds + 1] = hold
    end
  end
  return numbers, holds, named, spoiled
end

-- raise adds the holds' units to the fields of their points and, if in_all, of their skus.
-- It writes nothing: it returns the pairs to set.
local function raise(key, holds, in_all)
  local fields, units = {}, {}
  local function give(field, quantity)
    if not units[field] then
      fields[#fields + 1] = field
    end
    units[field] = (units[field] or 0) + quantity
  end
  for _, hold in ipairs(holds) do
    each_take(hold, function(sku, quantity)
      if in_all then
        give(sku, quantity)
      end
      give(stock_field(sku, hold.point), quantity)
    end)
  end
  local before, set = read(key, fields), {}
  for i, field in ipairs(fields) do
    set[2 * i - 1], set[2 * i] = field, (tonumber(before[i]) or 0) + units[field]
  end
  return set
end

-- each returns a code for every order: yes where named[i] is true, torn where spoiled[i] is, else no.
local function each(named, yes, no, spoiled, torn)
  local codes = {}
  for i, is in ipairs(named) do
    codes[i] = is and yes or spoiled and spoiled[i] and torn or no
  end
  return codes
end

-- loaded reports whether the activity is completely in Redis.
local function loaded(meta_key)
  local state = redis.call('HGET', meta_key, 'state')
  return state == 'open' or state == 'closed'
end
