package remind

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// reminder is a row of the table reminders. Times are UTC milliseconds.
type reminder struct {
	ID        string `db:"reminder_id"`
	Activity  string `db:"activity_id"`
	Kind      Kind   `db:"kind"`
	SKU       string `db:"sku_id"` // "": of the whole sale
	User      string `db:"user_id"`
	Token     string `db:"notify_token"`
	CreatedMS int64  `db:"created_ms"`
	ToldMS    int64  `db:"told_ms"` // of units, when it was told; of a start, which start was told; 0: it waits
}

const columns = `reminder_id, activity_id, kind, sku_id, user_id, notify_token, created_ms, told_ms`

// errChanged says that reminders were told, made, changed or deleted since they were read.
var errChanged = errors.New("the reminders changed meanwhile")

// ofUser selects the reminders of a user, those that were made first come first.
func ofUser(ctx context.Context, q sqlx.QueryerContext, user string) (found []reminder, err error) {
	const query = `SELECT ` + columns + ` FROM reminders WHERE user_id = ? ORDER BY created_ms, reminder_id`
	if err := sqlx.SelectContext(ctx, q, &found, query, user); err != nil {
		return nil, fmt.Errorf("select the reminders of a user: %w", err)
	}
	return found, nil
}

func insert(ctx context.Context, tx *sqlx.Tx, r *reminder) error {
	const query = `INSERT INTO reminders (` + columns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, query, r.ID, r.Activity, r.Kind, r.SKU, r.User, r.Token, r.CreatedMS,
		r.ToldMS); err != nil {
		return fmt.Errorf("insert a reminder: %w", err)
	}
	return nil
}

// change changes a reminder from what it was; the error is errChanged if it was told or deleted since then.
func change(ctx context.Context, tx *sqlx.Tx, from, to *reminder) error {
	const query = `UPDATE reminders SET notify_token = ?, created_ms = ?, told_ms = ?
		WHERE reminder_id = ? AND told_ms = ?`
	changed, err := sqldb.Changed(
		tx.ExecContext(ctx, query, to.Token, to.CreatedMS, to.ToldMS, from.ID, from.ToldMS))
	switch {
	case err != nil:
		return fmt.Errorf("change a reminder: %w", err)
	case !changed:
		return errChanged
	}
	return nil
}

// counted counts the reminders of a sale, up to one more than MaxOfSale.
func counted(ctx context.Context, q sqlx.QueryerContext, activity string) (n Counted, err error) {
	const query = `SELECT COALESCE(SUM(CASE WHEN kind = 'start' THEN 1 ELSE 0 END), 0) AS start_reminders,
			COALESCE(SUM(CASE WHEN kind = 'units' THEN 1 ELSE 0 END), 0) AS units_reminders
		FROM (SELECT kind FROM reminders WHERE activity_id = ? LIMIT ?) AS r`
	if err := sqlx.GetContext(ctx, q, &n, query, activity, MaxOfSale+1); err != nil {
		return Counted{}, fmt.Errorf("count the reminders of %s: %w", activity, err)
	}
	return n, nil
}

// Erase deletes the reminders of a user.
func Erase(ctx context.Context, tx *sqlx.Tx, user string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM reminders WHERE user_id = ?`, user); err != nil {
		return fmt.Errorf("delete the reminders of a user: %w", err)
	}
	return nil
}

// Expiries are the reminders of sales that are over at a time, and reminders of a start that were sent and whose sale
// has started.
func Expiries(now time.Time) []sqldb.Expiry {
	at := now.UnixMilli()
	return []sqldb.Expiry{
		{Table: "reminders", Key: []string{"reminder_id"}, Where: `activity_id IN (SELECT a.activity_id
			FROM activities a WHERE a.state = 'offline' OR a.ends_ms <= ?)`, Args: []any{at}},
		{Table: "reminders", Key: []string{"reminder_id"}, Where: `kind = 'start' AND told_ms > 0 AND activity_id IN (
			SELECT a.activity_id FROM activities a WHERE a.ends_ms > ? AND a.starts_ms <= ?)`, Args: []any{at, at}},
	}
}
