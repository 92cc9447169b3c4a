-- waitlist.lua is prepended, after value_chunks.lua and values.lua, to the scripts that read the waiting list of a
-- sale: a hash of
--   epoch               of the load that the list belongs to; with another one, the list counts as empty
--   wait:<sku>~<point>  → the entry of a buyer who waits for these units; others can't buy them
--   offer:<sku>~<user>  → <point>~<quantity>~<until_ms>~<entry>: units that are not in the stock, kept for a buyer
-- waitlist.go writes and reads the same.
--
-- KEYS none
-- ARGV none
-- Returns nothing: it only defines functions

local OFFER = '^' .. PART .. '(%d+)' .. SEPARATOR .. '(%d+)' .. SEPARATOR .. '(.*)$'

-- wait_field is the field of the buyers who wait for units of a stock_field.
local function wait_field(region)
  return 'wait:' .. region
end

-- offer_field is the field of what a buyer was offered of a sku.
local function offer_field(sku, user)
  return 'offer:' .. sku .. SEPARATOR .. user
end

-- format_offer writes an offer.
local function format_offer(point, quantity, until_ms, entry)
  return table.concat({ point, quantity, string.format('%.0f', until_ms), entry }, SEPARATOR)
end

-- parse_offer reads an offer; it returns nil if it can't be read.
local function parse_offer(value)
  local point, quantity, until_ms, entry = string.match(value, OFFER)
  if point then
    return { point = point, quantity = tonumber(quantity), until_ms = tonumber(until_ms), entry = entry }
  end
end

-- read_waitlist returns the values of the fields that are there, by field, if the list is of the load with the epoch.
local function read_waitlist(key, epoch, fields)
  local list, n = {}, #fields
  fields[n + 1] = 'epoch'
  local values = read(key, fields)
  if values[n + 1] == epoch then
    for i = 1, n do
      list[fields[i]] = values[i] or nil
    end
  end
  return list
end
