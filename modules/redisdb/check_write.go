package redisdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/modules/problem"
)

// noWrites are the beginnings of answers of Redis to a write that tell why no write succeeds.
var noWrites = []struct{ answer, reason string }{
	{"READONLY", "read-only"},
	{"MISCONF", "can't persist"}, // such as when its disk is full
	{"OOM", "memory full"},
	{"NOREPLICAS", "too few replicas"},
	{"NOPERM", "no privilege"},
}

// IsNoWrites reports whether Redis refused a command since it takes no writes at the moment, such as when it is full.
func IsNoWrites(err error) bool {
	return redis.IsOOMError(err) || noWritesOf(err) != nil // of a script, too
}

// Ping checks that Redis answers. A Redis that can't write its file refuses even a PING; the error is a
// *problem.NoWritesError then.
func Ping(ctx context.Context, rdb redis.Cmdable) error {
	err := rdb.Ping(ctx).Err()
	if no := noWritesOf(err); no != nil {
		return no
	}
	return err
}

// noWritesOf returns why Redis takes no writes, or nil if the error doesn't say.
func noWritesOf(err error) error {
	if answer, ok := errors.AsType[redis.Error](err); ok {
		for _, no := range noWrites {
			if strings.HasPrefix(answer.Error(), no.answer) {
				onNoWrites.Mark()
				return &problem.NoWritesError{Reason: no.reason, Err: err}
			}
		}
	}
	return nil
}

// checkedFor is how long a key of CheckWrite stays.
const checkedFor = time.Minute

// probe is a script that does nothing, as good as any other to see whether scripts run.
var probe = redis.NewScript("return 1")

// CheckWrite writes keys, and runs a script for each, to see whether their nodes take writes. If a node answers and
// refuses one of them, the error is a *problem.NoWritesError.
func CheckWrite(ctx context.Context, rdb redis.Cmdable, keys ...string) error {
	cmds, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, key := range keys {
			p.Set(ctx, key, 1, checkedFor)
		}
		for _, key := range keys {
			probe.EvalSha(ctx, p, []string{key})
		}
		return nil
	})
	var unknown []string // keys of nodes that don't know the script, such as after their start
	for i, cmd := range cmds {
		switch err := cmd.Err(); {
		case redis.HasErrorPrefix(err, "NOSCRIPT"):
			onNoScript.Mark()
			unknown = append(unknown, keys[i-len(keys)])
		case err != nil:
			return writeError(err)
		}
	}
	if len(unknown) == 0 {
		return writeError(err)
	}
	_, err = rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, key := range unknown {
			probe.Eval(ctx, p, []string{key})
		}
		return nil
	})
	return writeError(err)
}

// writeError returns the error of a write, nil if there is none.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	if no := noWritesOf(err); no != nil {
		return no
	}
	if redis.HasErrorPrefix(err, "unknown command") { // a server may have renamed EVALSHA
		return &problem.NoWritesError{Reason: "no privilege", Err: err}
	}
	return fmt.Errorf("write: %w", err)
}
