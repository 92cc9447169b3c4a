package queue

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// selectBought reads the counts of an order's buyer in SQL: the units in the activity, and those under the other limits
// of lua.Counts.
func selectBought(ctx context.Context, q sqlx.QueryerContext, o *order.Order) (b lua.Bought, err error) {
	var counted []any
	for limit := range lua.Counts(o.Takes()) {
		counted = append(counted, limit)
	}
	var rows []struct {
		Counted string `db:"counted"`
		N       int64  `db:"n"`
	}
	query := `SELECT counted, n FROM activity_counts WHERE activity_id = ? AND name = ? AND counted IN (` +
		sqldb.In(len(counted)) + `)`
	if err := sqlx.SelectContext(ctx, q, &rows, query,
		append([]any{o.Activity, o.Buyer()}, counted...)...); err != nil {
		return b, fmt.Errorf("select what a user bought in %s: %w", o.Activity, err)
	}
	b.SKUs = make([]int64, len(counted)-1)
	for _, r := range rows {
		if at := slices.Index(counted, any(r.Counted)); at > 0 {
			b.SKUs[at-1] = r.N
		} else {
			b.All = r.N
		}
	}
	return b, nil
}
