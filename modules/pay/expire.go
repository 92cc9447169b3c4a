package pay

import (
	"time"

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
