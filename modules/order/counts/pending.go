package counts

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// maxPending bounds the rows that SelectPending counts.
const maxPending = 10_000

// Pending counts the rows of stock_outbox of one kind: what SQL has decided and Redis must still carry out.
type Pending struct {
	Kind     string `db:"kind"`      // return, restock, confirm or change
	Rows     int64  `db:"counted"`   // at most 10,000 over all kinds
	OldestMS int64  `db:"oldest_ms"` // when the oldest of the counted rows was decided
}

// SelectPending returns the pending rows of stock_outbox by kind.
func SelectPending(ctx context.Context, q sqlx.QueryerContext) (pending []Pending, err error) {
	const query = `SELECT kind, COUNT(*) AS counted, MIN(created_ms) AS oldest_ms
		FROM (SELECT kind, created_ms FROM stock_outbox WHERE state = 'pending' LIMIT ?) AS pending GROUP BY kind`
	if err := sqlx.SelectContext(ctx, q, &pending, query, maxPending); err != nil {
		return nil, fmt.Errorf("count the pending stock: %w", err)
	}
	return pending, nil
}
