package clock

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"onrush/modules/loop"
)

// Source returns a store's time, in UTC milliseconds.
type Source func(ctx context.Context) (int64, error)

const (
	// clockEvery is the interval at which Run synchronizes the clock.
	clockEvery = time.Second
	// sourceWithin bounds one call of a source.
	sourceWithin = 500 * time.Millisecond
	// largeOffset is the smallest offset of the instance's clock that is logged.
	largeOffset = 5 * time.Second
)

// Clock is the clock of the sales. Every decision about orders and money that depends on the time uses
// it, so that an instance whose own clock is wrong doesn't open, cancel or close anything too early or
// too late.
//
// It takes its time from the first source that answers: Redis TIME, or else SQL's. Between two answers,
// and while no source answers, the instance's clock measures the time since the last answer. The Clock
// is never ahead of the source that answered last; it is behind by at most the duration of the call.
// If the times of Redis and SQL differ, the clock jumps by the difference when Redis becomes
// unavailable or available again, so a decision may be early by that difference, but not more.
//
// A nil *Clock needs no synchronizing. A Clock is safe for concurrent use.
type Clock struct {
	local   func() time.Time
	sources []Source
	fixed   bool
	log     *slog.Logger

	read   atomic.Pointer[reading] // nil until a source has answered
	logged atomic.Int64            // offset that was logged last, in milliseconds; 0: none
	flight singleflight.Group
}

// reading is an answer of a source, and the time of the answer by the instance's clock.
type reading struct {
	ms int64
	at time.Time
}

// New returns a clock over sources, the preferred one first. Until a source has answered, it shows the
// time of local, the instance's own clock. Without sources, only Observe sets its time.
func New(local func() time.Time, sources ...Source) *Clock {
	return &Clock{local: local, sources: sources, log: slog.New(slog.DiscardHandler)}
}

// Fixed returns a clock for tests, which always shows the time of now and never the stores'.
func Fixed(now func() time.Time) *Clock {
	c := New(now)
	c.fixed = true
	return c
}

// LogTo sets the logger for large offsets of the instance's clock, and returns c.
func (c *Clock) LogTo(log *slog.Logger) *Clock {
	c.log = log
	return c
}

// NowMS returns the time of the sales in UTC milliseconds.
func (c *Clock) NowMS() int64 {
	now := c.local()
	if r := c.read.Load(); r != nil {
		return r.ms + now.Sub(r.at).Milliseconds()
	}
	return now.UnixMilli()
}

// Now returns the time of the sales, in UTC.
func (c *Clock) Now() time.Time { return time.UnixMilli(c.NowMS()).UTC() }

// Local returns the time of the instance's own clock, to measure durations.
func (c *Clock) Local() time.Time { return c.local() }

// Offset returns how far the instance's clock is ahead of the time of the sales; negative if behind.
func (c *Clock) Offset() time.Duration {
	return time.Duration(c.local().UnixMilli()-c.NowMS()) * time.Millisecond
}

// Observe sets the clock to a time, in UTC milliseconds, that a source has just returned.
func (c *Clock) Observe(ms int64) {
	if c.fixed {
		return
	}
	c.read.Store(&reading{ms: ms, at: c.local()})
	c.logOffset()
}

// logOffset logs a large offset of the instance's clock once, and again when it has changed.
func (c *Clock) logOffset() {
	offset, had := c.Offset(), time.Duration(c.logged.Load())*time.Millisecond
	large := offset.Abs() > largeOffset
	if large && (offset-had).Abs() <= largeOffset || !large && had == 0 {
		return
	}
	next := offset.Milliseconds()
	if !large {
		next = 0
	}
	if !c.logged.CompareAndSwap(had.Milliseconds(), next) {
		return // another goroutine has just logged it
	}
	if large {
		onWrong.Mark()
		c.log.Warn("the clock of this instance is wrong; sales follow the stores' time",
			"ahead_ms", offset.Milliseconds())
	} else {
		c.log.Info("the clock of this instance is correct again")
	}
}

// Sync reads the time from the first source that answers. An error means that no source answered; the clock then keeps
// its last reading. Concurrent callers share one call.
func (c *Clock) Sync(ctx context.Context) error {
	if c == nil || c.fixed || len(c.sources) == 0 {
		return nil
	}
	done := c.flight.DoChan("", func() (any, error) { return nil, c.ask(context.WithoutCancel(ctx)) })
	select {
	case <-ctx.Done():
		return ctx.Err()
	case answer := <-done:
		return answer.Err
	}
}

func (c *Clock) ask(ctx context.Context) error {
	failed := []error{errors.New("no store returned its time")}
	for _, source := range c.sources {
		ms, err := askSource(ctx, source)
		if err == nil {
			c.Observe(ms)
			return nil
		}
		onSource.Mark()
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func askSource(ctx context.Context, source Source) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, sourceWithin)
	defer cancel()
	return source(ctx)
}

// Known calls Sync if no source has answered since the start: a deadline must not be computed from the
// instance's own clock.
func (c *Clock) Known(ctx context.Context) error {
	if c == nil || c.fixed || c.read.Load() != nil {
		return nil
	}
	return c.Sync(ctx)
}

// Run synchronizes the clock every second until ctx ends.
func (c *Clock) Run(ctx context.Context) {
	for ctx.Err() == nil {
		_ = c.Sync(ctx) // callers whose decision needs the time call Sync themselves and handle its error
		_ = loop.Wait(ctx, clockEvery)
	}
}
