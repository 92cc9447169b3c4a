package pay

import (
	"time"

	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// NotificationExpiries selects the gateways' notifications from before a time. Transactions are kept, so that money is
// still processed only once.
func NotificationExpiries(before time.Time) []sqldb.Expiry {
	return []sqldb.Expiry{
		{
			Table: "payment_notifications", Key: []string{"channel", "event_id"}, Where: "at_ms < ?",
			Args: []any{before.UnixMilli()},
		},
	}
}

// SandboxExpiries selects the sandbox gateway's rows from before a time, except notices that it still
// sends.
func SandboxExpiries(before time.Time) []sqldb.Expiry {
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
