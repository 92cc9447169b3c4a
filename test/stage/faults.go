package stage

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"onrush/modules/order"
	"onrush/test/kit"
)

// ErrCrash is the error of a step that the test stopped.
var ErrCrash = errors.New("stopped by the test")

// At calls a function after the first execution of a step; its error ends the work.
func At(step string, do func() error) order.Faults {
	var done atomic.Bool
	return func(name string) error {
		if name != step || !done.CompareAndSwap(false, true) {
			return nil
		}
		return do()
	}
}

// CrashAt ends the work after the first execution of a step.
func CrashAt(step string) order.Faults {
	return At(step, func() error { return ErrCrash })
}

// Watch makes one more Redis client and calls saw after each command that it ran.
func Watch(t testing.TB, stores *kit.Stores, saw func(cmd redis.Cmder)) redis.UniversalClient {
	t.Helper()
	rdb := stores.ConnectRedis(t)
	rdb.AddHook(watcher{sees: func(redis.Cmder) {}, saw: saw})
	return rdb
}

// BeforeScript makes one more Redis client and does something before the first script that it runs.
func BeforeScript(t testing.TB, stores *kit.Stores, do func()) redis.UniversalClient {
	t.Helper()
	var done atomic.Bool
	return BeforeEach(t, stores, func(cmd redis.Cmder) {
		if cmd.Name() == "evalsha" && done.CompareAndSwap(false, true) {
			do()
		}
	})
}

// BeforeEach makes one more Redis client and calls sees before each command that it runs.
func BeforeEach(t testing.TB, stores *kit.Stores, sees func(cmd redis.Cmder)) redis.UniversalClient {
	t.Helper()
	rdb := stores.ConnectRedis(t)
	rdb.AddHook(watcher{saw: func(redis.Cmder) {}, sees: sees})
	return rdb
}

type watcher struct{ sees, saw func(redis.Cmder) }

func (w watcher) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (w watcher) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		w.sees(cmd)
		err := next(ctx, cmd)
		w.saw(cmd)
		return err
	}
}

func (w watcher) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		for _, cmd := range cmds {
			w.sees(cmd)
		}
		err := next(ctx, cmds)
		for _, cmd := range cmds {
			w.saw(cmd)
		}
		return err
	}
}
