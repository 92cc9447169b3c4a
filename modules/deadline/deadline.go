// Package deadline has contexts that start a timer only when somebody waits for their end. Most requests of a
// crowd are answered without a wait, and a timer would cost more than the answer.
package deadline

import (
	"context"
	"sync"
	"time"
)

// Context is the context of a request. It ends when its deadline passes or its request is answered, not before.
type Context struct {
	at     time.Time
	values context.Context // has the values; nil: none

	mu     sync.Mutex
	ctx    context.Context // nil until somebody waits
	cancel context.CancelFunc
	ended  bool // the request was answered
}

var _ context.Context = (*Context)(nil)

// New returns a context with a deadline and the values of another context, which may be nil. The caller must call End.
func New(at time.Time, values context.Context) *Context { //nolint:revive // values is no deadline
	return &Context{at: at, values: values}
}

// Init makes a zero Context what New returns. It is for one that is a part of a larger value.
func (c *Context) Init(at time.Time, values context.Context) { //nolint:revive // as above
	c.at, c.values = at, values
}

// Within returns a context that ends when d has passed, or at the deadline of ctx if that is earlier. It also ends
// when ctx is cancelled, unless ctx is a Context: then the caller must call the CancelFunc before that Context ends.
func Within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	outer, ok := ctx.(*Context)
	if !ok {
		return context.WithTimeout(ctx, d)
	}
	inner := New(time.Now().Add(d), outer.values)
	if outer.at.Before(inner.at) {
		inner.at = outer.at
	}
	return inner, inner.End
}

// Deadline returns when the context ends.
func (c *Context) Deadline() (time.Time, bool) { return c.at, true }

// Done returns a channel that is closed when the deadline passes or the request is answered.
func (c *Context) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil {
		c.ctx, c.cancel = context.WithDeadline(context.Background(), c.at)
		if c.ended {
			c.cancel()
		}
	}
	return c.ctx.Done()
}

// Err returns why the context has ended, or nil if it hasn't.
func (c *Context) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ctx != nil:
		return c.ctx.Err()
	case c.ended:
		return context.Canceled
	case !time.Now().Before(c.at):
		return context.DeadlineExceeded
	}
	return nil
}

// Value returns a value of the context that New was given. Package context finds the context with the timer by a key
// of its own, so that a context derived from this one needs no goroutine.
func (c *Context) Value(key any) any {
	c.mu.Lock()
	timer := c.ctx
	c.mu.Unlock()
	if timer != nil {
		if value := timer.Value(key); value != nil {
			return value
		}
	}
	if c.values == nil {
		return nil
	}
	return c.values.Value(key)
}

// End ends the context when the request is answered.
func (c *Context) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.cancel != nil {
		c.cancel()
	}
}
