package order

import (
	"log/slog"
	"time"

	"onrush/lua"
	"onrush/modules/order/sqldb"
)

// Parts is what the module is built from; the caller opens and closes it.
type Parts struct {
	DB    *sqldb.DB
	Lua   *lua.Scripts
	Locks *Locks
	// Now is the time of the sales, Clock.Now.
	Now func() time.Time
	// Clock is synchronized before a decision that can't be undone. Nil where Now is always right.
	Clock *Clock
	NewID func() string // unique, at most 32 of [A-Za-z0-9-]
	Log   *slog.Logger
	// Faults stops work between two steps in tests; nil otherwise.
	Faults Faults
}

func (p Parts) storer() *storer {
	return &storer{db: p.DB, epochs: newEpochs(p.DB), now: p.Now, faults: p.Faults}
}
