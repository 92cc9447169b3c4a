package idempotency

import (
	"time"

	"onrush/modules/sqldb"
)

// Expiries selects the keys that were used before a time; app/server/retention.go says how long they are kept.
func Expiries(before time.Time) []sqldb.Expiry {
	return []sqldb.Expiry{{
		Table: "idempotency_keys", Key: []string{"key_id"}, Where: "created_ms < ?", Args: []any{before.UnixMilli()},
	}}
}
