-- rate_window.lua is prepended to the scripts that limit a rate in sliding windows, such as the orders that all buyers
-- together place for a sku: any span of time has at most a limit of counted things. A window is a list of entries
-- `<at>:<before>:<after>`, in the order of time: at is a time in ms, rounded down to the grain of the window,
-- before and after are the total counts before and after the entry. A window has at most about ENTRIES entries,
-- and it expires.
--
-- KEYS none
-- ARGV none
-- Returns nothing: it only defines functions

-- With limits of up to ENTRIES, or spans of up to ENTRIES ms, windows are exact. Larger windows last longer than their
-- span, by one part in ENTRIES.
local ENTRIES = 1000
local PAGE = 32 -- entries that are read at once

-- open_window reads the window of a key at a time in ms. It returns used, how many were counted in the span that ends
-- now, and wait, in how many ms fewer are; the caller adds what it counts to `add`, and
-- close_window writes it.
local function open_window(key, now, span, limit)
  local grain = 1
  if limit > ENTRIES then
    grain = math.ceil(span / ENTRIES)
  end
  local w = { key = key, at = now - now % grain, span = span, used = 0, wait = span, over = 0, after = 0, add = 0 }
  local function parse(entry)
    local at, before, after = string.match(entry, '^(%d+):(%d+):(%d+)$')
    return tonumber(at), tonumber(before), tonumber(after)
  end
  local last = redis.call('LINDEX', key, -1)
  if not last then
    return w
  end
  local at, before, after = parse(last)
  if at > now + span then -- the clock was set back: it would be full for as long
    w.restart = true
    return w
  end
  w.at, w.last, w.before, w.after = math.max(w.at, at), at, before, after
  while true do
    local page = redis.call('LRANGE', key, w.over, w.over + PAGE - 1)
    for i = 1, #page do
      at, before = parse(page[i])
      if at + grain - 1 + span > now then
        w.used, w.wait = w.after - before, at + grain - 1 + span - now
        return w
      end
      w.over = w.over + 1 -- entries before the span
    end
    if #page < PAGE then
      return w
    end
  end
end

-- close_window writes what was added to a window.
local function close_window(w)
  if w.add == 0 then
    return
  end
  if w.restart then
    redis.call('DEL', w.key)
  end
  local to = string.format('%.0f', w.after + w.add)
  if w.last == w.at then
    redis.call('LSET', w.key, -1, string.format('%.0f:%.0f:', w.at, w.before) .. to)
  else
    redis.call('RPUSH', w.key, string.format('%.0f:%.0f:', w.at, w.after) .. to)
  end
  -- The last of the entries before the span may be the one that was just written to.
  redis.call('LTRIM', w.key, w.over, -1)
  redis.call('PEXPIRE', w.key, 2 * w.span)
end
