package redisdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/modules/problem"
)

// noWrite is the beginning of an answer of Redis to a write that tells why no write succeeds.
type noWrite struct{ answer, reason string }

var noWrites = []noWrite{
	{"READONLY", "read-only"},
	{"MISCONF", "can't persist"}, // such as when its disk is full
	{"OOM", "memory full"},
	{"NOREPLICAS", "too few replicas"},
	{"NOPERM", "no privilege"},
}

// IsNoWrites reports whether Redis refused a command since it takes no writes at the moment, such as when it is full.
func IsNoWrites(err error) bool {
	if redis.IsOOMError(err) { // also of a script
		return true
	}
	answer, ok := errors.AsType[redis.Error](err)
	return ok && slices.ContainsFunc(noWrites, func(no noWrite) bool { return strings.HasPrefix(answer.Error(), no.answer) })
}

// checkedFor is how long a key of CheckWrite stays.
const checkedFor = time.Minute

// CheckWrite writes keys, to see whether their nodes take writes. If a node answers and refuses the write, the error is
// a *problem.NoWritesError.
func CheckWrite(ctx context.Context, rdb redis.Cmdable, keys ...string) error {
	_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, key := range keys {
			p.Set(ctx, key, 1, checkedFor)
		}
		return nil
	})
	if answer, ok := errors.AsType[redis.Error](err); ok {
		for _, no := range noWrites {
			if strings.HasPrefix(answer.Error(), no.answer) {
				return &problem.NoWritesError{Reason: no.reason, Err: err}
			}
		}
	}
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
