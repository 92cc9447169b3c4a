package aged

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"onrush/modules/panics"
)

// Config says how copies are read and when they are used. Several copies may share a Config.
type Config struct {
	// What names the value in errors, such as "stock of the activity".
	What string
	// Now is the clock by which copies age.
	Now func() time.Time
	// Within bounds one read.
	Within time.Duration
	// Pause is how long after a failed read no other begins.
	Pause time.Duration
	// StaleFor is how old a copy may be that is returned because the read failed. Default 0: the error is returned.
	StaleFor time.Duration
}

// Copy is the copy of one value. The zero value is empty and ready to use, by any number of goroutines, which must
// not modify what it returns.
type Copy[V any] struct {
	kept atomic.Pointer[kept[V]] // what the last successful read returned

	mu      sync.Mutex
	running *read[V] // nil if no read runs
	next    *read[V] // for callers who need a read that begins after they came; nil if there are none
	failed  failure
}

// kept is a value and when its read began.
type kept[V any] struct {
	value     V
	asOf      time.Time
	forgotten bool // it is only returned if it can't be read again
}

// failure is the last read, if it failed.
type failure struct {
	at  time.Time // when it ended
	err error
}

// read is one read. Its outcome is set when done is closed.
type read[V any] struct {
	by        func(context.Context) (V, error)
	forgotten bool // the value may have changed since it began; guarded by Copy.mu
	done      chan struct{}
	value     V
	err       error
}

// Get returns the value as it was at most maxAge ago, or the result of the read that was in progress when the caller
// came. With a maxAge of 0 the read begins after Get was called, so that it shows what the caller did before.
//
// A caller who comes while no read is in progress begins one with its function by. Reads outlive their callers: if ctx
// ends, Get returns an error that wraps ctx.Err(), and the other callers get the value. After a failed read, Get
// returns the last copy if it is not older than StaleFor, or else the error of the read. Get doesn't allocate while the
// copy is new enough.
func (c *Copy[V]) Get(
	ctx context.Context, cfg *Config, maxAge time.Duration, by func(context.Context) (V, error),
) (V, error) {
	if value, ok := c.Known(cfg, maxAge); ok {
		return value, nil
	}
	r, err := c.join(ctx, cfg, maxAge, by)
	if err == nil {
		select {
		case <-r.done:
			if r.err == nil {
				return r.value, nil
			}
			err = r.err
		case <-ctx.Done():
			err = fmt.Errorf("wait for the %s: %w", cfg.What, ctx.Err())
		}
	}
	if k := c.kept.Load(); k != nil && ctx.Err() == nil && k.isNewer(cfg.StaleFor, cfg.Now()) {
		return k.value, nil
	}
	var none V
	return none, err
}

// Known returns the copy if Get would return it without waiting.
func (c *Copy[V]) Known(cfg *Config, maxAge time.Duration) (value V, ok bool) {
	if k := c.kept.Load(); k != nil && !k.forgotten && k.isNewer(maxAge, cfg.Now()) {
		return k.value, true
	}
	return value, false
}

// Age returns how old the copy is; ok is false if there is none.
func (c *Copy[V]) Age(cfg *Config) (age time.Duration, ok bool) {
	if k := c.kept.Load(); k != nil {
		return max(cfg.Now().Sub(k.asOf), 0), true
	}
	return 0, false
}

// isNewer reports whether the copy is less than age old. A copy from the future is as old as it is ahead, since the
// clock was set back.
func (k *kept[V]) isNewer(age time.Duration, now time.Time) bool { return now.Sub(k.asOf).Abs() < age }

// join returns the read that a caller has to wait for, and begins it if none runs.
func (c *Copy[V]) join(
	ctx context.Context, cfg *Config, maxAge time.Duration, by func(context.Context) (V, error),
) (*read[V], error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		if maxAge > 0 && !c.running.forgotten {
			return c.running, nil
		}
		if c.next == nil {
			c.next = newRead(by)
		}
		return c.next, nil
	}
	if value, ok := c.Known(cfg, maxAge); ok { // a read has just ended
		return &read[V]{value: value, done: ended}, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read the %s: %w", cfg.What, err)
	}
	if c.failed.err != nil && cfg.Now().Sub(c.failed.at).Abs() < cfg.Pause {
		return nil, fmt.Errorf("the %s could not be read a moment ago: %w", cfg.What, c.failed.err)
	}
	c.running = newRead(by)
	go c.run(context.WithoutCancel(ctx), cfg, c.running)
	return c.running, nil
}

func newRead[V any](by func(context.Context) (V, error)) *read[V] {
	return &read[V]{by: by, done: make(chan struct{})}
}

// ended is a closed channel, for callers who need not wait.
var ended = func() chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}()

// run reads, and reads again for callers who needed a read that begins later.
func (c *Copy[V]) run(ctx context.Context, cfg *Config, r *read[V]) {
	for r != nil {
		asOf := cfg.Now()
		reading, cancel := context.WithTimeout(ctx, cfg.Within)
		r.value, r.err = panics.RecoveredValue(func() (V, error) { return r.by(reading) })
		cancel()
		r = c.end(cfg, r, asOf)
	}
}

// end keeps the outcome of a read, wakes its callers, and returns the next read. If the read failed, callers who wait
// for the next read get its error too, rather than wait for another failure.
func (c *Copy[V]) end(cfg *Config, r *read[V], asOf time.Time) (next *read[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(r.done)
	c.running, c.next = c.next, nil
	if r.err != nil {
		c.failed = failure{at: cfg.Now(), err: r.err}
		if c.running != nil {
			c.running.err = r.err
			close(c.running.done)
		}
		c.running = nil
		return nil
	}
	c.failed = failure{}
	c.kept.Store(&kept[V]{value: r.value, asOf: asOf, forgotten: r.forgotten})
	return c.running
}

// Forget makes the next caller read the value again; call it after changing the value. A copy that was read before
// is only returned if that read fails, for as long as StaleFor says.
func (c *Copy[V]) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil {
		c.running.forgotten = true
	}
	if k := c.kept.Load(); k != nil {
		c.kept.Store(&kept[V]{value: k.value, asOf: k.asOf, forgotten: true})
	}
}
