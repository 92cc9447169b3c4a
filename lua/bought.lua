-- bought.lua is prepended to the scripts that count the units that users bought.
--
-- KEYS none
-- ARGV none
-- Returns nothing: it only defines functions

-- bought_field is the field of the bought hash for a user: of the units of a sku, or of all units in the activity
-- if sku is nil. BoughtField in bought.go writes the same.
local function bought_field(user, sku)
  if sku then
    return 's:' .. sku .. ':' .. user
  end
  return 'a:' .. user
end

