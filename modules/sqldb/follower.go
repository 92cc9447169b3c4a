package sqldb

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"onrush/modules/loop"
)

const (
	// followEvery is how often a Follower reads.
	followEvery = 500 * time.Millisecond
	// followWithin bounds one read.
	followWithin = 5 * time.Second
)

// Follower keeps an instance's copy of a table up to date: it reads it twice a second, so that the instance follows a
// change within a second, and requests need no SQL. While SQL is unavailable, the last copy is used.
type Follower struct {
	what string
	now  func() time.Time
	read func(ctx context.Context, now time.Time) error

	mu   sync.Mutex   // held by Refresh
	asOf atomic.Int64 // when the last successful read began, in ms; 0: never

	failures *loop.Failures
}

// NewFollower returns a Follower of what, such as "the settings". read brings the copy up to date; now is when it
// begins, by the clock of the instance.
func NewFollower(
	what string, now func() time.Time, log *slog.Logger, read func(ctx context.Context, now time.Time) error,
) *Follower {
	const message = "a copy can't be brought up to date; the last one is used"
	return &Follower{
		what: what, now: now, read: read,
		failures: loop.NewFailures(log.With("copy", what), message, IsUnavailable),
	}
}

// Refresh brings the copy up to date. After an error the last copy is used.
func (f *Follower) Refresh(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, followWithin)
	defer cancel()
	now := f.now()
	if err := f.read(ctx, now); err != nil {
		return fmt.Errorf("read %s: %w", f.what, err)
	}
	f.asOf.Store(now.UnixMilli())
	return nil
}

// Age returns how old the copy is; 0 until it was read for the first time.
func (f *Follower) Age() time.Duration {
	asOf := f.asOf.Load()
	if asOf == 0 {
		return 0
	}
	return max(f.now().Sub(time.UnixMilli(asOf)), 0)
}

// IsWithin reports whether the copy is at most that old.
func (f *Follower) IsWithin(age time.Duration) bool {
	asOf := f.asOf.Load()
	return asOf != 0 && f.now().Sub(time.UnixMilli(asOf)).Abs() <= age
}

// Load is the first Refresh, before a request is served. If it fails, Run tries again.
func (f *Follower) Load(ctx context.Context) { f.failures.Report(ctx, f.Refresh(ctx)) }

// Run calls Refresh twice a second until ctx ends.
func (f *Follower) Run(ctx context.Context) { loop.Run(ctx, followEvery, f.failures, f.Refresh) }
