package order

import (
	"time"

	"onrush/modules/sqldb"
)

// Expiries selects the finished stock changes, of sales and of skus, that were created before a time.
// Their Idempotency-Keys are deleted with them. A pending change never expires.
func Expiries(before time.Time) []sqldb.Expiry {
	at := before.UnixMilli()
	return []sqldb.Expiry{
		{
			Table: "stock_outbox", Key: []string{"outbox_id"},
			Where: "kind = 'change' AND state IN ('done', 'refused', 'abandoned') AND created_ms < ?", Args: []any{at},
		},
		{Table: "sku_stock_changes", Key: []string{"change_id"}, Where: "created_ms < ?", Args: []any{at}},
	}
}
