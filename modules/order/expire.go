package order

import (
	"time"

	"onrush/modules/sqldb"
)

// Expiries selects the finished stock changes of sales that were created before a time. A pending change never expires.
func Expiries(before time.Time) []sqldb.Expiry {
	return []sqldb.Expiry{{
		Table: "stock_outbox", Key: []string{"outbox_id"},
		Where: "kind = 'change' AND state IN ('done', 'refused', 'abandoned') AND created_ms < ?",
		Args:  []any{before.UnixMilli()},
	}}
}
