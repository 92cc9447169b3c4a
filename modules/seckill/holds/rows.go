package holds

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/oplog"
	"onrush/modules/seckill/waitlist"
	"onrush/modules/sqldb"
)

// count counts the holds of an activity, also pending ones, without the hold whose id is except.
func count(ctx context.Context, q sqlx.QueryerContext, activity, except string) (n int64, err error) {
	const query = `SELECT COUNT(*) FROM waitlist WHERE activity_id = ? AND until_ms <> 0 AND held_by <> ''
		AND entry_id <> ?`
	if err := sqlx.GetContext(ctx, q, &n, query, activity, except); err != nil {
		return 0, fmt.Errorf("count the holds of %s: %w", activity, err)
	}
	return n, nil
}

// list selects a page of the complete holds of an activity, the newest first.
func list(
	ctx context.Context, q sqlx.QueryerContext, activity string, limit, offset int,
) (holds []waitlist.Entry, err error) {
	const query = `SELECT ` + waitlist.Columns + ` FROM waitlist WHERE activity_id = ? AND until_ms > 0
		AND held_by <> '' ORDER BY joined_ms DESC, entry_id LIMIT ? OFFSET ?`
	if err := sqlx.SelectContext(ctx, q, &holds, query, activity, limit, offset); err != nil {
		return nil, fmt.Errorf("select the holds of %s: %w", activity, err)
	}
	return holds, nil
}

// where selects one hold by its row's key, and where it is complete or not.
const where = ` WHERE activity_id = ? AND sku_id = ? AND user_id = ? AND entry_id = ?`

// complete completes a pending hold, and reports whether it was pending.
func complete(ctx context.Context, tx *sqlx.Tx, e *waitlist.Entry) (bool, error) {
	return sqldb.Changed(tx.ExecContext(ctx, `UPDATE waitlist SET until_ms = -until_ms`+where+` AND until_ms < 0`,
		e.Activity, e.SKU, e.User, e.ID))
}

// rename gives a hold to another user, and reports whether the hold was there.
func rename(ctx context.Context, tx *sqlx.Tx, e *waitlist.Entry, user string) (bool, error) {
	return sqldb.Changed(tx.ExecContext(ctx, `UPDATE waitlist SET user_id = ?`+where+` AND until_ms > 0`,
		user, e.Activity, e.SKU, e.User, e.ID))
}

// logged is a hold in the operators' log. The log of a sale can't be erased for one buyer, so it says only whether a
// buyer is named.
type logged struct {
	ID       string `json:"hold_id"`
	SKU      string `json:"sku_id"`
	Point    string `json:"point_id"`
	Quantity int64  `json:"quantity"`
	Named    bool   `json:"named"`
	Note     string `json:"note,omitempty"`
	Until    string `json:"until,omitempty"`
	Order    string `json:"order_number,omitempty"`
}

func loggedOf(e *waitlist.Entry) *logged {
	v := show(e)
	l := &logged{
		ID: e.ID, SKU: e.SKU, Point: e.Point, Quantity: e.Quantity, Named: v.User != "", Note: e.Note,
	}
	if v.Until > 0 {
		l.Until = v.Until.String()
	}
	return l
}

// record records a change of a hold; before or after is nil for none.
func record(ctx context.Context, tx *sqlx.Tx, action, activity string, before, after *logged) error {
	entry := oplog.Entry{Action: "activity." + action, On: "activity:" + activity}
	if before != nil {
		entry.Before = before
	}
	if after != nil {
		entry.After = after
	}
	return oplog.Record(ctx, tx, entry)
}
