package events

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

const (
	expirePage  = 500 // events that one transaction deletes
	expirePages = 100 // of one call
)

// Expire deletes the numbered events from before a time in UTC milliseconds, at most 50,000, and returns how many.
// It goes by position, from the first, and ends at a page whose last event must be kept: events are numbered about
// in the order of their times.
func Expire(ctx context.Context, db *sqldb.DB, beforeMS int64) (deleted int, err error) {
	after := int64(0)
	for range expirePages {
		var page []struct {
			Position int64 `db:"position"`
			AtMS     int64 `db:"at_ms"`
		}
		const query = `SELECT position, at_ms FROM events WHERE position > ? ORDER BY position LIMIT ?`
		if err := db.Read.SelectContext(ctx, &page, query, after, expirePage); err != nil {
			return deleted, fmt.Errorf("select events to delete: %w", err)
		}
		if len(page) == 0 {
			return deleted, nil
		}
		last, n := page[len(page)-1], int64(0)
		err := db.InTx(ctx, func(tx *sqlx.Tx) error {
			const del = `DELETE FROM events WHERE position > ? AND position <= ? AND at_ms < ?`
			res, err := tx.ExecContext(ctx, del, after, last.Position, beforeMS)
			if err != nil {
				return err
			}
			if n, err = res.RowsAffected(); err != nil || n == 0 {
				return err
			}
			// A bound: the last event of the page may be left.
			_, err = tx.ExecContext(ctx, `UPDATE events_head SET deleted = ? WHERE deleted < ?`,
				last.Position, last.Position)
			return err
		})
		deleted += int(n)
		if err != nil {
			return deleted, fmt.Errorf("delete events: %w", err)
		}
		if last.AtMS >= beforeMS {
			return deleted, nil
		}
		after = last.Position
	}
	return deleted, nil
}
