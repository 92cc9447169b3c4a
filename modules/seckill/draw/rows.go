package draw

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/seckill/waitlist"
	"onrush/modules/sqldb"
)

// draw is a row of the table draws. Times are UTC milliseconds.
type draw struct {
	Activity string `db:"activity_id"`
	Secret   secret `db:"secret"`
	Entered  int64  `db:"entered"`   // entries
	Listed   int64  `db:"listed"`    // of them, in the waiting list so far
	ClosedMS int64  `db:"closed_ms"` // when the entries were closed; 0: buyers may enter
}

// entry is a row of the table draw_entries.
type entry struct {
	Activity  string `db:"activity_id"`
	SKU       string `db:"sku_id"`
	Lot       string `db:"lot"`
	ID        string `db:"entry_id"`
	User      string `db:"user_id"` // "" if the buyer has left after the entries were closed
	Point     string `db:"point_id"`
	Quantity  int64  `db:"quantity"`
	Choice    string `db:"choice"` // a seckill.Choice, as JSON
	EnteredMS int64  `db:"entered_ms"`
	Listed    int64  `db:"listed"`   // 1 if the waiting list has or had it, or never will
	DrawnMS   int64  `db:"drawn_ms"` // when units were offered to the buyer; 0: not yet
}

const columns = `activity_id, sku_id, lot, entry_id, user_id, point_id, quantity, choice, entered_ms, listed, drawn_ms`

// waits returns the entry as the waiting list has it.
func (e *entry) waits(joinedMS int64) waitlist.Entry {
	return waitlist.Entry{
		Activity: e.Activity, SKU: e.SKU, User: e.User, ID: e.ID, Point: e.Point, Quantity: e.Quantity,
		Choice: e.Choice, JoinedMS: joinedMS,
	}
}

// Open makes the draw of an activity that is being published, from a secret of at least 128 random bits, and returns
// the hash of its seed.
func Open(ctx context.Context, tx *sqlx.Tx, activity, random string) (seedHash string, err error) {
	const insert = `INSERT INTO draws (activity_id, secret, entered, listed, closed_ms) VALUES (?, ?, 0, 0, 0)`
	if _, err := tx.ExecContext(ctx, insert, activity, random); err != nil {
		return "", fmt.Errorf("open the draw of %s: %w", activity, err)
	}
	return secret(random).seedHash(), nil
}

// lock locks the draw of an activity until the transaction ends; it returns nil if there is none.
func lock(ctx context.Context, tx *sqlx.Tx, activity string) (*draw, error) {
	if _, err := tx.ExecContext(ctx, `UPDATE draws SET entered = entered WHERE activity_id = ?`, activity); err != nil {
		return nil, fmt.Errorf("lock the draw of %s: %w", activity, err)
	}
	return find(ctx, tx, activity)
}

// find reads the draw of an activity; it returns nil if there is none.
func find(ctx context.Context, q sqlx.QueryerContext, activity string) (*draw, error) {
	var found []draw
	const query = `SELECT activity_id, secret, entered, listed, closed_ms FROM draws WHERE activity_id = ?`
	if err := sqlx.SelectContext(ctx, q, &found, query, activity); err != nil {
		return nil, fmt.Errorf("read the draw of %s: %w", activity, err)
	}
	if len(found) == 0 {
		return nil, nil //nolint:nilnil // as the comment says
	}
	return &found[0], nil
}

// ofUser selects the entries of a user in a draw or, with "", in all.
func ofUser(ctx context.Context, q sqlx.QueryerContext, user, activity string) (entries []entry, err error) {
	query, args := `SELECT `+columns+` FROM draw_entries WHERE user_id = ?`, []any{user}
	if activity != "" {
		query, args = query+` AND activity_id = ?`, append(args, activity)
	}
	if err := sqlx.SelectContext(ctx, q, &entries, query+` ORDER BY activity_id, sku_id`, args...); err != nil {
		return nil, fmt.Errorf("select the entries of a user in draws: %w", err)
	}
	return entries, nil
}

// with selects the entries for a sku that have one of the values in a column.
func with(ctx context.Context, tx *sqlx.Tx, of goods, column string, values []string) (entries []entry, err error) {
	query := `SELECT ` + columns + ` FROM draw_entries WHERE activity_id = ? AND sku_id = ? AND ` + column + ` IN (` +
		sqldb.In(len(values)) + `)`
	args := append([]any{of.activity, of.sku}, sqldb.Args(values)...)
	if err := tx.SelectContext(ctx, &entries, query, args...); err != nil {
		return nil, fmt.Errorf("select entries of the draw of %s: %w", of.activity, err)
	}
	return entries, nil
}

// unlisted selects where there are entries that aren't listed. Each place takes one look into the index.
func unlisted(ctx context.Context, q sqlx.QueryerContext, activity string) (places []place, err error) {
	const query = `SELECT s.sku_id, s.point_id FROM activity_stock s WHERE s.activity_id = ? AND (
			SELECT e.lot FROM draw_entries e /*! FORCE INDEX (draw_entries_next) */ WHERE e.activity_id = s.activity_id
				AND e.sku_id = s.sku_id AND e.point_id = s.point_id AND e.listed = 0 ORDER BY e.lot LIMIT 1) IS NOT NULL
		ORDER BY s.sku_id, s.point_id`
	if err := sqlx.SelectContext(ctx, q, &places, query, activity); err != nil {
		return nil, fmt.Errorf("select where entries are to be listed: %w", err)
	}
	return places, nil
}

// nextUnlisted selects the next entries for a sku at a point, in the order of their lots. Without the index, SQL may
// read all that are listed each time.
func nextUnlisted(ctx context.Context, q sqlx.QueryerContext, activity string, p place) (next []entry, err error) {
	const query = `SELECT ` + columns + ` FROM draw_entries /*! FORCE INDEX (draw_entries_next) */
		WHERE activity_id = ? AND sku_id = ? AND point_id = ? AND listed = 0 ORDER BY lot LIMIT ?`
	if err := sqlx.SelectContext(ctx, q, &next, query, activity, p.SKU, p.Point, listAtOnce); err != nil {
		return nil, fmt.Errorf("select the next entries: %w", err)
	}
	return next, nil
}

// insert inserts entries of a draw that is locked, and counts them.
func insert(ctx context.Context, tx *sqlx.Tx, activity string, entries []entry) error {
	if len(entries) == 0 {
		return nil
	}
	args := make([]any, 0, 11*len(entries))
	for _, e := range entries {
		args = append(args, e.Activity, e.SKU, e.Lot, e.ID, e.User, e.Point, e.Quantity, e.Choice, e.EnteredMS, 0, 0)
	}
	const insert = `INSERT INTO draw_entries (` + columns + `) VALUES`
	if err := sqldb.Insert(ctx, tx, insert, `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, args); err != nil {
		return fmt.Errorf("insert %d entries into the draw of %s: %w", len(entries), activity, err)
	}
	return count(ctx, tx, activity, "entered", len(entries))
}

// count adds to a count of a draw.
func count(ctx context.Context, tx *sqlx.Tx, activity, column string, n int) error {
	update := `UPDATE draws SET ` + column + ` = ` + column + ` + ? WHERE activity_id = ?`
	if _, err := tx.ExecContext(ctx, update, n, activity); err != nil {
		return fmt.Errorf("count the entries of the draw of %s: %w", activity, err)
	}
	return nil
}

// forget removes an entry. Once the entries are closed, its place in the order stays, without its buyer, so that the
// order can still be checked.
func forget(ctx context.Context, tx *sqlx.Tx, e *entry) error {
	d, err := lock(ctx, tx, e.Activity)
	if err != nil {
		return err
	}
	query := `UPDATE draw_entries SET user_id = '', choice = '', listed = 1
		WHERE activity_id = ? AND sku_id = ? AND lot = ? AND user_id = ?`
	open := d == nil || d.ClosedMS == 0
	if open {
		query = `DELETE FROM draw_entries WHERE activity_id = ? AND sku_id = ? AND lot = ? AND user_id = ?`
	}
	switch left, err := sqldb.Changed(tx.ExecContext(ctx, query, e.Activity, e.SKU, e.Lot, e.User)); {
	case err != nil:
		return fmt.Errorf("remove an entry from the draw of %s: %w", e.Activity, err)
	case !left: // it left at the same time
		return nil
	}
	if open {
		return count(ctx, tx, e.Activity, "entered", -1)
	}
	_, err = waitlist.Delete(ctx, tx, e.waits(0))
	return err
}

// Erase removes the entries of a user from all draws, as if the user had left.
func Erase(ctx context.Context, tx *sqlx.Tx, user string) error {
	entries, err := ofUser(ctx, tx, user, "")
	if err != nil {
		return err
	}
	for i := range entries {
		if err := forget(ctx, tx, &entries[i]); err != nil {
			return err
		}
	}
	return nil
}
