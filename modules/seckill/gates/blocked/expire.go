package blocked

import (
	"time"

	"onrush/modules/sqldb"
)

// Expiries selects the blocks that ended or were deleted before a time. The time must be well before now: instances
// learn of a deletion by its row.
func Expiries(before time.Time) []sqldb.Expiry {
	return []sqldb.Expiry{{
		Table: "blocked", Key: []string{"kind", "subject"},
		Where: "(deleted = 1 AND updated_ms < ?) OR (until_ms > 0 AND until_ms < ?)",
		Args:  []any{before.UnixMilli(), before.UnixMilli()},
	}}
}
