package aged

import (
	"context"
	"fmt"
	"log/slog"
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
	cfg      Config
	last     Copy[struct{}] // as old as the values that read has kept
	read     func(ctx context.Context) (struct{}, error)
	failures *loop.Failures
}

// NewFollower returns a Follower of what, such as "settings". read brings the copy up to date; now is when it begins,
// by the clock of the instance. Errors for which except is true are logged elsewhere.
func NewFollower(
	what string, now func() time.Time, log *slog.Logger, except func(error) bool,
	read func(ctx context.Context, now time.Time) error,
) *Follower {
	const message = "a copy can't be brought up to date; the last one is used"
	return &Follower{
		cfg:      Config{What: what, Now: now, Within: followWithin},
		failures: loop.NewFailures(log.With("copy", what), message, except),
		read: func(ctx context.Context) (none struct{}, err error) {
			if err := read(ctx, now()); err != nil {
				return none, fmt.Errorf("read the %s: %w", what, err)
			}
			return none, nil
		},
	}
}

// Refresh brings the copy up to date, by a read that begins after the call. After an error the last copy is used.
func (f *Follower) Refresh(ctx context.Context) error {
	_, err := f.last.Get(ctx, &f.cfg, 0, f.read)
	return err
}

// Age returns how old the copy is; 0 until it was read for the first time.
func (f *Follower) Age() time.Duration {
	age, _ := f.last.Age(&f.cfg)
	return age
}

// IsWithin reports whether the copy is less than age old.
func (f *Follower) IsWithin(age time.Duration) bool {
	_, ok := f.last.Known(&f.cfg, age)
	return ok
}

// Load is the first Refresh, before a request is served. If it fails, Run tries again.
func (f *Follower) Load(ctx context.Context) { f.failures.Report(ctx, f.Refresh(ctx)) }

// Run calls Refresh twice a second until ctx ends.
func (f *Follower) Run(ctx context.Context) { loop.Run(ctx, followEvery, f.failures, f.Refresh) }
