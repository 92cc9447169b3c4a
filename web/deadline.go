package web

import (
	"context"
	"sync"
	"time"
)

// deadline is the context of a request. It starts a timer only when somebody waits for its end: most requests of
// a crowd are refused without calling a store, and the timer would cost them more than the refusal.
type deadline struct {
	at time.Time

	mu     sync.Mutex
	ctx    context.Context // nil until somebody waits
	cancel context.CancelFunc
	ended  bool // the request was answered
}

var _ context.Context = (*deadline)(nil)

// Deadline returns when the context ends.
func (d *deadline) Deadline() (time.Time, bool) { return d.at, true }

// Done returns a channel that is closed when the deadline passes or the request is answered.
func (d *deadline) Done() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx == nil {
		d.ctx, d.cancel = context.WithDeadline(context.Background(), d.at)
		if d.ended {
			d.cancel()
		}
	}
	return d.ctx.Done()
}

// Err returns why the context has ended, or nil if it hasn't.
func (d *deadline) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.ctx != nil:
		return d.ctx.Err()
	case d.ended:
		return context.Canceled
	case !time.Now().Before(d.at):
		return context.DeadlineExceeded
	}
	return nil
}

// Value returns nil for every key of a caller. Package context finds the context with the timer by a key of its
// own, so that a context derived from this one needs no goroutine.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx == nil {
		return nil
	}
	return d.ctx.Value(key)
}

// end ends the context when the request is answered.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.cancel != nil {
		d.cancel()
	}
}
