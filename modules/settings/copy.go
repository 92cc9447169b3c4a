package settings

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"onrush/modules/sqldb"
)

// Copy is an instance's copy of the settings. It is safe for concurrent use.
type Copy struct {
	store      *Store
	sql, redis *sqldb.Follower
	now        func() time.Time
	log        *slog.Logger

	mu    sync.Mutex // held while a version is applied
	apply func(Values) error

	tried   atomic.Bool  // a read of a store has ended
	asOf    atomic.Int64 // when the last successful read of a store began, in ms; 0: never
	current atomic.Pointer[state]
}

// state is what requests need of the settings.
type state struct {
	version, updatedMS int64
	level              Level
	stopped            bool
}

// NewCopy returns a Copy without any settings until its first Refresh. It calls apply with each new version of the
// values. After an error of apply, what it applied before stays.
func NewCopy(store *Store, now func() time.Time, log *slog.Logger, apply func(Values) error) *Copy {
	c := &Copy{store: store, now: now, log: log, apply: apply}
	c.sql = sqldb.NewFollower("the settings in SQL", now, log, c.reading(func(ctx context.Context) error {
		if err := store.readSQL(ctx); err != nil || store.agree() {
			return err
		}
		if err := store.Settle(ctx); err != nil {
			log.DebugContext(ctx, "the stores of the settings don't agree yet", "error", err)
		}
		return nil
	}))
	c.redis = sqldb.NewFollower("the settings in Redis", now, log, c.reading(store.readRedis))
	c.current.Store(&state{})
	return c
}

// reading returns a read of a store that applies what was read.
func (c *Copy) reading(read func(context.Context) error) func(context.Context, time.Time) error {
	return func(ctx context.Context, now time.Time) error {
		err := read(ctx)
		c.tried.Store(true)
		if err == nil {
			c.asOf.Store(now.UnixMilli())
			c.use(ctx)
		}
		return err
	}
}

// Refresh reads both stores. After an error of one the other one counts.
func (c *Copy) Refresh(ctx context.Context) error {
	return errors.Join(c.redis.Refresh(ctx), c.sql.Refresh(ctx))
}

// Load is the first Refresh, before a request is served. What fails is tried again by Run.
func (c *Copy) Load(ctx context.Context) {
	c.redis.Load(ctx)
	c.sql.Load(ctx)
}

// Run reads each store twice a second until ctx ends.
func (c *Copy) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { c.redis.Run(ctx) })
	loops.Go(func() { c.sql.Run(ctx) })
	loops.Wait()
}

// Age returns how long ago one of the stores was read; 0 until then.
func (c *Copy) Age() time.Duration {
	asOf := c.asOf.Load()
	if asOf == 0 {
		return 0
	}
	return max(c.now().Sub(time.UnixMilli(asOf)), 0)
}

// Stopped reports whether no sale takes orders.
func (c *Copy) Stopped() bool { return c.current.Load().stopped }

// Unknown reports whether sales may be stopped, since no settings were found where they were looked for.
func (c *Copy) Unknown() bool { return c.tried.Load() && c.Version() == 0 }

// Level says what is turned off.
func (c *Copy) Level() Level { return c.current.Load().level }

// Version is the version of the copy; 0 until it was read for the first time.
func (c *Copy) Version() int64 { return c.current.Load().version }

// use applies the settings that the store knows, if they have changed.
func (c *Copy) use(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	stored, before := c.store.current(), c.current.Load()
	if stored.Version == before.version && stored.UpdatedMS == before.updatedMS {
		return
	}
	set := stored.Set
	c.current.Store(&state{
		version: stored.Version, updatedMS: stored.UpdatedMS, level: set.Level(), stopped: set.Stopped(),
	})
	if err := c.apply(set); err != nil {
		c.log.WarnContext(ctx, "settings can't be applied; those before stay", "version", stored.Version, "error", err)
		return
	}
	if before.version != 0 || set != (Values{}) {
		c.log.InfoContext(ctx, "the settings of operators apply", "version", stored.Version,
			"sales_stopped", set.Stopped(), "degrade", set.Level().String())
	}
}
