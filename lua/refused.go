package lua

import "github.com/redis/go-redis/v9"

// IsFull reports whether Redis refused a call because it has reached its maxmemory. The call did
// nothing then: Redis refuses a script before its first write or not at all.
func IsFull(err error) bool { return redis.IsOOMError(err) }
