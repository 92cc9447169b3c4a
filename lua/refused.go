package lua

import "github.com/redis/go-redis/v9"

// IsFull reports whether Redis refused a call because it has reached its maxmemory. The call did
// nothing then: Redis refuses a script before its first write or not at all.
func IsFull(err error) bool { return redis.IsOOMError(err) }

// IsWrongType reports whether Redis refused a call because a key has another type than ours: somebody else wrote it.
// The key itself can't be read until it is deleted; all others can.
func IsWrongType(err error) bool { return redis.HasErrorPrefix(err, "WRONGTYPE") }
