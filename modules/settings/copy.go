package settings

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"onrush/modules/sqldb"
)

const (
	// refreshEvery is how often the copy is brought up to date.
	refreshEvery = 500 * time.Millisecond
	// refreshWithin bounds one read.
	refreshWithin = 5 * time.Second
)

// Copy is an instance's copy of the settings. It is safe for concurrent use.
type Copy struct {
	db    *sqldb.DB
	now   func() time.Time
	log   *slog.Logger
	apply func(Values) error

	current atomic.Pointer[state]
	asOf    atomic.Int64 // when the last successful Refresh began, in ms; 0: never

	mu      sync.Mutex // held by Refresh
	failing bool
}

// state is what requests need of the settings.
type state struct {
	version int64
	level   Level
	stopped bool
}

// NewCopy returns a Copy without any settings until its first Refresh. It calls apply with each new version of the
// values. After an error of apply, what it applied before stays.
func NewCopy(db *sqldb.DB, now func() time.Time, log *slog.Logger, apply func(Values) error) *Copy {
	c := &Copy{db: db, now: now, log: log, apply: apply}
	c.current.Store(&state{})
	return c
}

// Stopped reports whether no sale takes orders.
func (c *Copy) Stopped() bool { return c.current.Load().stopped }

// Level says what is turned off.
func (c *Copy) Level() Level { return c.current.Load().level }

// Version is the version of the copy; 0 until it was read for the first time.
func (c *Copy) Version() int64 { return c.current.Load().version }

// Age returns how old the copy is; 0 until it was read for the first time.
func (c *Copy) Age() time.Duration {
	asOf := c.asOf.Load()
	if asOf == 0 {
		return 0
	}
	return max(c.now().Sub(time.UnixMilli(asOf)), 0)
}

// Refresh reads the settings. After an error the last copy is used.
func (c *Copy) Refresh(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, refreshWithin)
	defer cancel()
	began := c.now()
	stored, err := read(ctx, c.db.Read)
	if err != nil {
		return err
	}
	c.asOf.Store(began.UnixMilli())
	if stored.Version == c.current.Load().version {
		return nil
	}
	set := stored.Set
	c.current.Store(&state{version: stored.Version, level: set.Level(), stopped: set.Stopped()})
	if err := c.apply(set); err != nil {
		c.log.WarnContext(ctx, "settings can't be applied; those before stay", "version", stored.Version, "error", err)
	}
	return nil
}

// Load is the first Refresh, before a request is served. If it fails, Run tries again.
func (c *Copy) Load(ctx context.Context) { c.logFirst(ctx, c.Refresh(ctx)) }

// Run calls Refresh twice a second until ctx ends.
func (c *Copy) Run(ctx context.Context) {
	tick := time.NewTicker(refreshEvery)
	defer tick.Stop()
	for {
		c.logFirst(ctx, c.Refresh(ctx))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// logFirst logs the first error of several. That SQL is unavailable is logged elsewhere.
func (c *Copy) logFirst(ctx context.Context, err error) {
	if err != nil && !c.failing && !sqldb.IsUnavailable(err) && ctx.Err() == nil {
		c.log.WarnContext(ctx, "the settings can't be read; the last ones are used", slog.Any("error", err))
	}
	c.failing = err != nil
}
