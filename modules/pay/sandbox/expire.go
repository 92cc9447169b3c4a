package sandbox

import (
	"time"

	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Expiries selects the gateway's rows from before a time, except notices that it still
// sends.
func Expiries(before time.Time) []sqldb.Expiry {
	at := []any{before.UnixMilli()}
	return []sqldb.Expiry{
		{Table: "sandbox_notices", Key: []string{"event_id"}, Where: "state <> 'waiting' AND made_ms < ?", Args: at},
		{Table: "sandbox_refunds", Key: []string{"refund_number"}, Where: "at_ms < ?", Args: at},
		{Table: "sandbox_transactions", Key: []string{"transaction_id"}, Where: "at_ms < ?", Args: at},
		{
			Table: "sandbox_payments", Key: []string{"pay_number"}, Where: "pay_number < ?",
			Args: []any{int64(order.FirstNumberAt(before))},
		},
	}
}
