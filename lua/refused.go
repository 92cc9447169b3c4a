package lua

import "github.com/redis/go-redis/v9"

// IsFull reports whether Redis refused a call since it has reached its maxmemory. Nothing was done
// then: a script is refused before its first write or not at all.
func IsFull(err error) bool { return redis.IsOOMError(err) }
