-- waves.lua is prepended to the scripts that take units or count those that are left. The stock of a sku has the units
-- of its waves from the start; until a wave opens, its units are closed to buyers. waves.go writes the field.
--
-- KEYS none
-- ARGV none
-- Returns nothing: it only defines functions

-- close_waves reads a field waves:<sku> of meta, `<point>~<at_ms>~<quantity>` with spaces between. It adds the units
-- that are closed at a time to `closed`, and when the next of them open to `opens`, both by stock field, and returns
-- these fields; nil if there are none.
local function close_waves(text, sku, now, closed, opens)
  local fields
  for point, at, quantity in string.gmatch(text or '', '([^~ ]+)~(%d+)~(%d+)') do
    at = tonumber(at)
    if at > now then
      local field = stock_field(sku, point)
      if not closed[field] then
        fields = fields or {}
        fields[#fields + 1], closed[field], opens[field] = field, 0, at
      end
      closed[field] = closed[field] + quantity
      opens[field] = math.min(opens[field], at)
    end
  end
  return fields
end

-- open_units returns how many of the `left` units of a sku are open; key is the hash stock, and text the field of the
-- waves. Of a point that has fewer units than are closed, none is open.
local function open_units(key, text, sku, left, now)
  local closed = {}
  local fields = close_waves(text, sku, now, closed, {})
  if not fields then
    return left
  end
  local at_points = redis.call('HMGET', key, unpack(fields))
  for i = 1, #fields do
    left = left - math.min(closed[fields[i]], math.max(tonumber(at_points[i]) or 0, 0))
  end
  return left
end
