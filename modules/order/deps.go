package order

import (
	"context"
	"log/slog"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB    *sqldb.DB
	Lua   *lua.Scripts
	Locks *lua.Locks // nil: Cancel takes no locks
	Clock *lua.Clock
	Log   *slog.Logger
	// Decided is called in the transaction that cancels orders, with their numbers, ascending. Nil
	// does nothing.
	Decided Decided
	// Faults injects crashes in tests; nil otherwise.
	Faults Faults
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
