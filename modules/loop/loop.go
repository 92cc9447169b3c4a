// Package loop runs work that repeats in the background until its context ends.
package loop

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"onrush/modules/panics"
)

// Wait waits for d, and returns the error of ctx if ctx ends first.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Run calls work at once, and again each time a pause has passed since its last call, until ctx ends. A panic in work
// is a failure, which failures reports.
func Run(ctx context.Context, pause time.Duration, failures *Failures, work func(ctx context.Context) error) {
	for ctx.Err() == nil {
		failures.Report(ctx, panics.Recovered(func() error { return work(ctx) }))
		_ = Wait(ctx, pause)
	}
}

// Failures logs the first of consecutive failures, as a warning.
type Failures struct {
	log     *slog.Logger
	message string
	except  func(err error) bool
	failing atomic.Bool
}

// NewFailures returns Failures that log a message, except for errors that are logged elsewhere; nil: for all errors.
func NewFailures(log *slog.Logger, message string, except func(err error) bool) *Failures {
	return &Failures{log: log, message: message, except: except}
}

// Report takes the result of a call. It ignores an error after ctx has ended.
func (f *Failures) Report(ctx context.Context, err error) {
	switch {
	case err == nil:
		f.failing.Store(false)
	case ctx.Err() != nil, f.except != nil && f.except(err):
	case !f.failing.Swap(true):
		f.log.WarnContext(ctx, f.message, "error", err) //nolint:sloglint // a constant of the caller
	}
}
