package delivery

import (
	"time"

	"onrush/modules/sqldb"
)

// Expiries selects the deliveries that were finished before a time.
func Expiries(before time.Time) []sqldb.Expiry {
	return []sqldb.Expiry{{
		Table: "deliveries", Key: []string{"endpoint_id", "event_id"}, Where: "at_ms < ? AND status <> 'waiting'",
		Args: []any{before.UnixMilli()},
	}}
}
