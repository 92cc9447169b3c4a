package jobs

import (
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/redisdb"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the scheduler.
type Deps struct {
	DB    *sqldb.DB
	Redis redis.UniversalClient
	Keys  lua.Keys
	Locks *redisdb.Locks
	// Pauses knows which jobs are paused. Nil: the scheduler makes its own.
	Pauses *Pauses
	// Now is the stores' time, the same on all instances.
	Now func() time.Time
	// ClockOffset is how far this instance's clock is ahead of Now.
	ClockOffset func() time.Duration
	NewID       func() string // unique, at most 32 of [A-Za-z0-9-]
	// Instance is the name of this instance in the history, at most 64 characters.
	Instance string
	Log      *slog.Logger
}
