package events

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

const (
	expirePage  = 500 // rows that one transaction deletes
	expirePages = 100 // of one call
)

// expiring is a row that may be old.
type expiring struct {
	Position int64 `db:"position"`
	Events   int64 `db:"events"`
	LastMS   int64 `db:"last_ms"`
}

// Expire deletes the numbered events from before a time in UTC milliseconds, at most 50,000 rows, and returns how many
// events they had. A row with several events is deleted when all of them are from before that time. Expire goes by
// position, from the first, and ends at a page whose last row must be kept: events are numbered about in the order of
// their times.
func Expire(ctx context.Context, db *sqldb.DB, beforeMS int64) (deleted int, err error) {
	after := int64(0)
	for range expirePages {
		var page []expiring
		events := int64(0)
		err := db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
			page, events, err = deletePage(ctx, tx, after, beforeMS)
			return err
		})
		if err != nil {
			return deleted, fmt.Errorf("delete events: %w", err)
		}
		deleted += int(events)
		if len(page) == 0 || page[len(page)-1].LastMS >= beforeMS {
			return deleted, nil
		}
		after = page[len(page)-1].Position
	}
	return deleted, nil
}

// deletePage deletes the old rows of the page after a position, and returns the page, and how many events were deleted.
func deletePage(ctx context.Context, tx *sqlx.Tx, after, beforeMS int64) (page []expiring, events int64, err error) {
	// First, as Sequencers do: its lock makes others that delete events wait until the transaction ends.
	if _, err := tx.ExecContext(ctx, `UPDATE events_head SET deleted = deleted WHERE id = 1`); err != nil {
		return nil, 0, fmt.Errorf("lock the head: %w", err)
	}
	const query = `SELECT position, events, last_ms FROM events WHERE position > ? ORDER BY position LIMIT ?`
	if err := tx.SelectContext(ctx, &page, query, after, expirePage); err != nil {
		return nil, 0, fmt.Errorf("select a page: %w", err)
	}
	gone := int64(0)
	for _, r := range page {
		if r.LastMS < beforeMS {
			events += r.Events
			gone = r.Position
		}
	}
	if events == 0 {
		return page, 0, nil
	}
	last := page[len(page)-1].Position
	const del = `DELETE FROM events WHERE position > ? AND position <= ? AND last_ms < ?`
	if _, err := tx.ExecContext(ctx, del, after, last, beforeMS); err != nil {
		return nil, 0, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE events_head SET deleted = ? WHERE id = 1 AND deleted < ?`, gone, gone)
	return page, events, err
}
