package sources

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// Row is the row of an order. Amounts are in minor units.
type Row struct {
	Number      int64  `db:"number"` // of the order
	Room        string `db:"room_id"`
	ShareCode   string `db:"share_code"`
	ShareSource string `db:"share_source"`
	Inviter     string `db:"inviter_id"`
	Shop        string `db:"shop_id"`
	Activity    string `db:"activity_id"`
	Currency    string `db:"currency"`
	Amount      int64  `db:"total_amount"`
	Paid        bool   `db:"paid"` // also after a refund
	Refunded    int64  `db:"refunded_amount"`
}

var columns = sqldb.ColumnsOf[Row]()

// named reports whether an order names any source: others have no row.
func (r *Row) named() bool {
	return r.Room != "" || r.ShareCode != "" || r.ShareSource != "" || r.Inviter != ""
}

// Insert inserts the rows of orders that name a source.
func Insert(ctx context.Context, tx *sqlx.Tx, rows []Row) error {
	var args []any
	for i := range rows {
		if rows[i].named() {
			args = columns.AppendTo(args, &rows[i])
		}
	}
	if len(args) == 0 {
		return nil
	}
	if err := columns.Insert(ctx, tx, "order_sources", args); err != nil {
		return fmt.Errorf("insert the sources of %d orders: %w", len(rows), err)
	}
	return nil
}

// Update writes what was paid and refunded of an order, whose row the caller has locked. It does nothing if the order
// names no source. An order that an older version stored has no row until Filler writes it.
func Update(ctx context.Context, tx *sqlx.Tx, r Row) error {
	if !r.named() {
		return nil
	}
	const update = `UPDATE order_sources SET paid = ?, refunded_amount = ? WHERE number = ?`
	if _, err := tx.ExecContext(ctx, update, r.Paid, r.Refunded, r.Number); err != nil {
		return fmt.Errorf("update the sources of order %d: %w", r.Number, err)
	}
	return nil
}

// ForgetInviter replaces a user in the labels and sources of orders.
func ForgetInviter(ctx context.Context, tx *sqlx.Tx, user, pseudonym string, numbers []any) error {
	if len(numbers) == 0 {
		return nil
	}
	in := ` AND number IN (` + sqldb.In(len(numbers)) + `)`
	args := slices.Concat([]any{pseudonym, user, user}, numbers)
	for _, update := range []string{
		`UPDATE order_labels SET value = ? WHERE name = 'inviter_id' AND ` + sqldb.Exactly("value"),
		`UPDATE order_sources SET inviter_id = ? WHERE ` + sqldb.Exactly("inviter_id"),
	} {
		if _, err := tx.ExecContext(ctx, update+in, args...); err != nil {
			return fmt.Errorf("forget the inviter of %d orders: %w", len(numbers), err)
		}
	}
	return nil
}
