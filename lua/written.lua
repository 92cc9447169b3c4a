-- written.lua is prepended to the scripts that remove orders from Redis because SQL has them. They note how far a
-- replica of SQL must have come to be read for the orders' buyers, in the same step, so that Redis keeps both or none.
-- They note it whatever the run of the master is: readers forget what is noted in another run than the master's.
--
-- KEYS none
-- ARGV[1..] those of the script; a note is at its end
-- Returns nothing: it only defines functions

-- noted returns the fields and values that a note sets in the hash written, or nil if something was noted since the
-- caller read the position. ARGV has the note from an index on: the position, what the field since was before the
-- caller read the position, and per bucket two: its field, and what that was. An empty position is no note: nobody
-- reads a replica as long as there is no since.
local function noted(key, at)
  local fields, was, set = { 'since' }, { ARGV[at + 1] }, {}
  for i = at + 2, #ARGV, 2 do
    fields[#fields + 1], was[#was + 1] = ARGV[i], ARGV[i + 1]
    set[#set + 1], set[#set + 2] = ARGV[i], ARGV[at]
  end
  local ok, now = pcall(read, key, fields)
  if not ok then
    return {} -- a key that can't be read has no since
  end
  for i = 1, #fields do
    if (now[i] or '') ~= was[i] then
      return nil
    end
  end
  return set
end
