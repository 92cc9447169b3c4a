package order

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// TimeSource returns a store's time, in UTC milliseconds.
type TimeSource func(ctx context.Context) (int64, error)

const (
	// clockEvery is how often Run asks for the time.
	clockEvery = time.Second
	// sourceWithin bounds one question to one source.
	sourceWithin = 500 * time.Millisecond
	// largeOffset is how wrong the instance's clock may be before it is logged.
	largeOffset = 5 * time.Second
)

// Clock is the clock of the sales. Whatever is decided by time about orders and money follows it,
// so that an instance whose own clock is wrong opens, cancels and closes nothing at the wrong time.
//
// Its time is that of the first source that answers: Redis TIME, or else SQL's. Between two answers
// the instance's clock measures how much time has passed, and while no source answers it goes on
// doing so. It is never ahead of the source that answered last; it is behind by at most the time
// that the answer took. If Redis and SQL differ, the clock steps by that difference when Redis goes
// away or comes back, so that a decision may be early by that difference and no more.
//
// The zero pointer is a clock that needs no synchronizing. A Clock is safe for concurrent use.
type Clock struct {
	local   func() time.Time
	sources []TimeSource
	fixed   bool
	log     *slog.Logger

	read   atomic.Pointer[reading] // nil until a source has answered
	logged atomic.Int64            // offset that was logged last, in milliseconds; 0: none
	flight singleflight.Group
}

// reading is what a source answered, and when by the instance's clock.
type reading struct {
	ms int64
	at time.Time
}

// NewClock makes a clock over sources, the best first. Until one has answered it shows the time of local,
// the instance's own clock; without sources it follows Observe alone.
func NewClock(local func() time.Time, sources ...TimeSource) *Clock {
	return &Clock{local: local, sources: sources, log: slog.New(slog.DiscardHandler)}
}

// FixedClock makes a clock that always shows the time of now, whatever the stores say: a test moves
// its sales through time with it.
func FixedClock(now func() time.Time) *Clock {
	c := NewClock(now)
	c.fixed = true
	return c
}

// LogTo makes the clock log to log that the instance's clock is wrong, and returns the clock.
func (c *Clock) LogTo(log *slog.Logger) *Clock {
	c.log = log
	return c
}

// NowMS is the time of the sales in UTC milliseconds.
func (c *Clock) NowMS() int64 {
	now := c.local()
	if r := c.read.Load(); r != nil {
		return r.ms + now.Sub(r.at).Milliseconds()
	}
	return now.UnixMilli()
}

// Now is the time of the sales.
func (c *Clock) Now() time.Time { return time.UnixMilli(c.NowMS()).UTC() }

// Local is the instance's own clock, to measure how long something takes.
func (c *Clock) Local() time.Time { return c.local() }

// Offset is how far the instance's clock is ahead of the sales'; it is negative if it is behind.
func (c *Clock) Offset() time.Duration {
	return time.Duration(c.local().UnixMilli()-c.NowMS()) * time.Millisecond
}

// Observe notes a time that a source has just answered.
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
		return // another has just logged it
	}
	if large {
		c.log.Warn("the clock of this instance is wrong; sales follow the stores' time", "ahead_ms", offset.Milliseconds())
	} else {
		c.log.Info("the clock of this instance is right again")
	}
}

// Sync asks the sources for the time; an error means that none answered, and the clock goes on as it
// was. Callers at the same time share one question.
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
	failed := []error{errors.New("no store told its time")}
	for _, source := range c.sources {
		ms, err := askSource(ctx, source)
		if err == nil {
			c.Observe(ms)
			return nil
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func askSource(ctx context.Context, source TimeSource) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, sourceWithin)
	defer cancel()
	return source(ctx)
}

// Known makes sure that a source has answered since the start, and asks if none has: a deadline must
// not be counted from the instance's own clock.
func (c *Clock) Known(ctx context.Context) error {
	if c == nil || c.fixed || c.read.Load() != nil {
		return nil
	}
	return c.Sync(ctx)
}

// Run keeps the clock right until ctx ends.
func (c *Clock) Run(ctx context.Context) {
	ticker := time.NewTicker(clockEvery)
	defer ticker.Stop()
	for {
		_ = c.Sync(ctx) // whoever decides by the clock asks for itself, and says so if it can't
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
