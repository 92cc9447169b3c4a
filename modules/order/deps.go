package order

import (
	"context"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB    *sqldb.DB
	Lua   *lua.Scripts
	Locks *lua.Locks
	// Now returns the time of the sales, as Clock.Now.
	Now func() time.Time
	// Clock is synchronized before a decision that can't be undone. Nil if Now is always correct.
	Clock *lua.Clock
	NewID func() string // unique, at most 32 of [A-Za-z0-9-]
	Log   *slog.Logger
	// Decided is called in the transaction that cancels orders, with their numbers, ascending. Nil
	// does nothing.
	Decided Decided
	// Faults injects crashes in tests; nil otherwise.
	Faults Faults
}

// Over returns the dependencies with the connections of db.
func (d Deps) Over(db *sqldb.DB) Deps {
	d.DB = db
	return d
}

// Decided records, in tx, that orders are no longer unpaid.
type Decided func(ctx context.Context, tx *sqlx.Tx, numbers []Number) error

func (d Decided) note(ctx context.Context, tx *sqlx.Tx, orders ...*Order) error {
	if d == nil {
		return nil
	}
	numbers := make([]Number, len(orders))
	for i, o := range orders {
		numbers[i] = o.Number
	}
	return d(ctx, tx, numbers)
}
