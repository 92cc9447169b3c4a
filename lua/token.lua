-- token.lua stands before the scripts that give back what held tokens stand for. It comes after
-- batch.lua.
--
-- KEYS none
-- ARGV none
-- Returns nothing by itself

-- parse takes a token `<sku>:<point>:<quantity>:<user>` apart; the user may contain a colon.
local function parse(token)
  local sku, point, quantity, user = string.match(token, '^([^:]*):([^:]*):(%d+):(.*)$')
  if not sku then
    error('a held token can not be read')
  end
  return { sku = sku, point = point, quantity = tonumber(quantity), user = user }
end

-- lower takes the tokens' units off what their users have bought. It writes nothing: it returns
-- the pairs to set and the fields to remove. A count that isn't there stays away.
local function lower(bought_key, tokens)
  local fields, takes = {}, {}
  local function take(field, quantity)
    if not takes[field] then
      fields[#fields + 1] = field
    end
    takes[field] = (takes[field] or 0) + quantity
  end
  for _, token in ipairs(tokens) do
    take('a:' .. token.user, token.quantity)
    take('s:' .. token.sku .. ':' .. token.user, token.quantity)
  end

  local set, gone = {}, {}
  local counts = read(bought_key, fields)
  for i, field in ipairs(fields) do
    if counts[i] then
      local left = tonumber(counts[i]) - takes[field]
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

-- raise adds the tokens' units to the stock, in all and of their points. It writes nothing: it
-- returns the pairs to set.
local function raise(stock_key, tokens)
  local fields, units = {}, {}
  local function give(field, quantity)
    if not units[field] then
      fields[#fields + 1] = field
    end
    units[field] = (units[field] or 0) + quantity
  end
  for _, token in ipairs(tokens) do
    give(token.sku, token.quantity)
    give(token.sku .. ':' .. token.point, token.quantity)
  end
  local left, set = read(stock_key, fields), {}
  for i, field in ipairs(fields) do
    set[2 * i - 1], set[2 * i] = field, (tonumber(left[i]) or 0) + units[field]
  end
  return set
end
