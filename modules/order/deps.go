package order

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/redisdb"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of the module; the caller opens and closes them.
type Deps struct {
	DB    *sqldb.DB
	Lua   *lua.Scripts
	Locks *redisdb.Locks // nil: Cancel takes no locks
	Clock *clock.Clock
	Log   *slog.Logger
	// Decided is called in the transaction that cancels orders, with their numbers, ascending. Nil
	// does nothing.
	Decided Decided
	// Awaited returns the due orders that DueCanceller must not cancel yet. Nil: it cancels all of them.
	Awaited Awaited
	// Extend extends the due orders, among those that are awaited, whose deadline moves once. Nil: it never moves.
	Extend func(ctx context.Context, due []Number) error
	// Changed is called in the transactions that cancel orders. Nil does nothing.
	Changed Changed
	// Faults injects crashes in tests; nil otherwise.
	Faults Faults
}

// Decided records, in tx, that orders are no longer unpaid. The orders are as they were read before.
type Decided func(ctx context.Context, tx *sqlx.Tx, orders []*Order) error

func (d Decided) call(ctx context.Context, tx *sqlx.Tx, orders ...*Order) error {
	if d == nil {
		return nil
	}
	return d(ctx, tx, orders)
}

// Awaited returns which of the orders may still receive money. DueCanceller cancels an order when Awaited no longer
// returns it.
type Awaited func(ctx context.Context, q sqlx.QueryerContext, numbers []Number) ([]Number, error)

// among returns which of the orders may still receive money.
func (a Awaited) among(ctx context.Context, q sqlx.QueryerContext, orders []*Order) (map[Number]bool, error) {
	if a == nil || len(orders) == 0 {
		return nil, nil
	}
	numbers := make([]Number, len(orders))
	for i, o := range orders {
		numbers[i] = o.Number
	}
	found, err := a(ctx, q, numbers)
	if err != nil {
		return nil, fmt.Errorf("select the awaited of %d orders: %w", len(orders), err)
	}
	awaited := make(map[Number]bool, len(found))
	for _, n := range found {
		awaited[n] = true
	}
	return awaited, nil
}
