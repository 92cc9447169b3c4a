package settings

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"onrush/modules/sqldb"
)

// Copy is an instance's copy of the settings. It is safe for concurrent use.
type Copy struct {
	*sqldb.Follower

	db    *sqldb.DB
	log   *slog.Logger
	apply func(Values) error

	current atomic.Pointer[state]
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
	c := &Copy{db: db, log: log, apply: apply}
	c.Follower = sqldb.NewFollower("the settings", now, log, c.refresh)
	c.current.Store(&state{})
	return c
}

// Stopped reports whether no sale takes orders.
func (c *Copy) Stopped() bool { return c.current.Load().stopped }

// Level says what is turned off.
func (c *Copy) Level() Level { return c.current.Load().level }

// Version is the version of the copy; 0 until it was read for the first time.
func (c *Copy) Version() int64 { return c.current.Load().version }

// refresh reads the settings, and applies them if they have changed.
func (c *Copy) refresh(ctx context.Context, _ time.Time) error {
	stored, err := read(ctx, c.db.Read)
	if err != nil {
		return err
	}
	before := c.current.Load().version
	if stored.Version == before {
		return nil
	}
	set := stored.Set
	c.current.Store(&state{version: stored.Version, level: set.Level(), stopped: set.Stopped()})
	if err := c.apply(set); err != nil {
		c.log.WarnContext(ctx, "settings can't be applied; those before stay", "version", stored.Version, "error", err)
		return nil
	}
	if before != 0 || set != (Values{}) {
		c.log.InfoContext(ctx, "the settings of operators apply", "version", stored.Version,
			"sales_stopped", set.Stopped(), "degrade", set.Level().String())
	}
	return nil
}
