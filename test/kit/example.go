package kit

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// Example is what examples, which have no test, give to functions that take a testing.TB. A failure panics. It has
// only the methods below.
type Example struct {
	testing.TB

	ctx      context.Context
	cancel   context.CancelFunc
	cleanups []func()
}

// NewExample returns an Example; the caller must call End.
func NewExample() *Example {
	ctx, cancel := context.WithCancel(context.Background())
	return &Example{ctx: ctx, cancel: cancel}
}

// End cancels the context and calls the functions given to Cleanup, the last one first.
func (e *Example) End() {
	e.cancel()
	for _, f := range slices.Backward(e.cleanups) {
		f()
	}
}

// Helper does nothing.
func (*Example) Helper() {}

// Context returns a context that ends with the example.
func (e *Example) Context() context.Context { return e.ctx }

// Cleanup keeps f for End.
func (e *Example) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }

// Errorf panics.
func (*Example) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// Fatalf panics.
func (*Example) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// FailNow panics.
func (*Example) FailNow() { panic("the example failed") }
