package myorders

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// storedChunk is the number of orders per statement of selectStored.
const storedChunk = 1000

// selectStored returns the numbers of those orders that SQL has, in any status.
func selectStored(ctx context.Context, q sqlx.QueryerContext, orders []*order.Order) (map[order.Number]bool, error) {
	stored := make(map[order.Number]bool, len(orders))
	for chunk := range slices.Chunk(orders, storedChunk) {
		args := make([]any, len(chunk))
		for i, o := range chunk {
			args[i] = o.Number
		}
		var found []order.Number
		query := `SELECT number FROM orders WHERE number IN (` + sqldb.In(len(args)) + `)`
		if err := sqlx.SelectContext(ctx, q, &found, query, args...); err != nil {
			return nil, fmt.Errorf("select which of %d orders are stored: %w", len(orders), err)
		}
		for _, n := range found {
			stored[n] = true
		}
	}
	return stored, nil
}
