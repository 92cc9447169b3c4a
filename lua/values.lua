-- values.lua is prepended to the scripts that read or write values of several parts, or fields made of several ids.
-- values.go and order/purchase_limit.go write the same.
--
-- KEYS none
-- ARGV none
-- Returns nothing: it only defines functions

-- No id of a sku, stock point or activity has the separator. A user id may have it, and is always the last part.
local SEPARATOR = '~'
local PART = '([^' .. SEPARATOR .. ']*)' .. SEPARATOR
local HOLD = '^' .. PART .. PART .. '(r?)b?(%d+):?([^' .. SEPARATOR .. ']*)' .. SEPARATOR .. '(.*)$'

-- stock_field is the field of a sku at a stock point in the hashes stock and paid.
local function stock_field(sku, point)
  return sku .. SEPARATOR .. point
end

-- bought_field is the field of the bought hash for a buyer: of the units of a sku, or of all units in the activity
-- if sku is nil.
local function bought_field(buyer, sku)
  if sku then
    return 's:' .. sku .. SEPARATOR .. buyer
  end
  return 'a:' .. buyer
end

-- reserved_field is the field of the bought hash for the units of a stock_field that buyers have for whom units are
-- reserved.
local function reserved_field(region)
  return 'r:' .. region
end

-- format_hold writes a hold; field is the stock_field of its sku and point. buyer is the user, or the limit key under
-- which the activity counts what the user buys.
local function format_hold(field, quantity, user, buyer)
  if buyer ~= user then
    quantity = quantity .. ':' .. buyer
  end
  return field .. SEPARATOR .. quantity .. SEPARATOR .. user
end

-- each_take calls fn with each sku of a hold and how many units of it the hold has. The sku of a hold of several is
-- `<sku>*<units>,<sku>*<units>`.
local function each_take(hold, fn)
  if not string.find(hold.sku, '*', 1, true) then
    return fn(hold.sku, hold.quantity)
  end
  for sku, units in string.gmatch(hold.sku, '([^*,]+)%*(%d+)') do
    fn(sku, tonumber(units))
  end
end

-- each_count calls fn with each sku under whose limit a hold counts, and how many units: as each_take, but first with
-- the bundle whose parts the hold has, which is `<sku>=<how many>,` before them.
local function each_count(hold, fn)
  local bundle, count = string.match(hold.sku, '^([^=,]+)=(%d+),')
  if bundle then
    fn(bundle, tonumber(count))
  end
  each_take(hold, fn)
end

-- try_hold splits a hold `<sku>~<point>~<quantity>[:<limit key>]~<user>`, with `b<quantity>` of several skus, and an r
-- before that of a buyer for whom units are reserved; it returns nil if it can't be read.
local function try_hold(hold)
  local sku, point, reserved, quantity, key, user = string.match(hold, HOLD)
  if sku then
    return {
      sku = sku, point = point, quantity = tonumber(quantity), user = user, buyer = key ~= '' and key or user,
      reserved = reserved == 'r',
    }
  end
end

-- parse_hold is try_hold for a hold that must be readable.
local function parse_hold(hold)
  return try_hold(hold) or error('a held hold can not be read')
end
