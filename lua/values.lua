-- values.lua is prepended to the scripts that read or write values of several parts, or fields made of several ids.
-- values.go and bought.go write the same.
--
-- KEYS none
-- ARGV none
-- Returns nothing: it only defines functions

-- No id of a sku, stock point or activity has the separator. A user id may have it, and is always the last part.
local SEPARATOR = '~'
local PART = '([^' .. SEPARATOR .. ']*)' .. SEPARATOR
local HOLD = '^' .. PART .. PART .. '(%d+)' .. SEPARATOR .. '(.*)$'

-- stock_field is the field of a sku at a stock point in the hashes stock and paid.
local function stock_field(sku, point)
  return sku .. SEPARATOR .. point
end

-- bought_field is the field of the bought hash for a user: of the units of a sku, or of all units in the activity
-- if sku is nil.
local function bought_field(user, sku)
  if sku then
    return 's:' .. sku .. SEPARATOR .. user
  end
  return 'a:' .. user
end

-- format_hold writes a hold; field is the stock_field of its sku and point.
local function format_hold(field, quantity, user)
  return field .. SEPARATOR .. quantity .. SEPARATOR .. user
end

-- try_hold splits a hold `<sku>~<point>~<quantity>~<user>`; it returns nil if it can't be read.
local function try_hold(hold)
  local sku, point, quantity, user = string.match(hold, HOLD)
  if sku then
    return { sku = sku, point = point, quantity = tonumber(quantity), user = user }
  end
end

-- parse_hold is try_hold for a hold that must be readable.
local function parse_hold(hold)
  return try_hold(hold) or error('a held hold can not be read')
end
