package vouchers

import (
	"context"
	"fmt"
	"time"
)

// maxWaiting bounds the units that Waiting counts, as it bounds its time.
const maxWaiting = 10_000

// Waiting are the paid orders that wait for codes, of all skus.
type Waiting struct {
	Orders int64         // counted over the first 10,000 units
	Oldest time.Duration // for how long the first of them has waited
}

// Waiting counts the paid orders that wait for codes, except those whose payments are disputed. Orders are read in the
// order in which they were placed, by the primary key.
func (s *Service) Waiting(ctx context.Context) (Waiting, error) {
	var row struct {
		Orders  int64 `db:"orders"`
		SinceMS int64 `db:"since_ms"`
	}
	const query = `SELECT COUNT(DISTINCT order_number) AS orders, COALESCE(MIN(since_ms), 0) AS since_ms
		FROM (SELECT order_number, since_ms FROM voucher_waits WHERE held = 0
			ORDER BY order_number, line, unit LIMIT ?) AS waiting`
	if err := s.db.Read.GetContext(ctx, &row, query, maxWaiting); err != nil {
		return Waiting{}, fmt.Errorf("count the orders that wait for codes: %w", err)
	}
	if row.Orders == 0 {
		return Waiting{}, nil
	}
	return Waiting{row.Orders, max(s.now().Sub(time.UnixMilli(row.SinceMS)), 0)}, nil
}
