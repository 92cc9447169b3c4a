package inventory

import (
	"context"
	"fmt"

	"onrush/modules/seckill"
)

// candidate is an activity that Redis should have.
type candidate struct {
	ID     string        `db:"activity_id"`
	Lane   int           `db:"lane"`
	State  seckill.State `db:"state"`
	EndsMS int64         `db:"ends_ms"`
	Key    int64         `db:"sort_key"`
}

// preheatCursor is where a page ended: in a class of activities, at a key and an id. The zero value
// is the start.
type preheatCursor struct {
	class int
	begun bool // the class has been looked at up to key and id
	key   int64
	id    string
}

// preheatClass is a part of the activities: which, by the time now and the oldest end, and in which
// order. Its condition takes two times.
type preheatClass struct {
	where string
	key   string
	times func(nowMS, oldestMS int64) (int64, int64)
}

// preheatClasses are the activities in the order in which they are loaded: those that run, those to
// come, those that ended, and those that ended long ago whose units still have to come back.
var preheatClasses = []preheatClass{
	{`ends_ms > ? AND starts_ms <= ?`, `ends_ms`, func(now, _ int64) (int64, int64) { return now, now }},
	{`starts_ms > ? AND ends_ms > ?`, `starts_ms`, func(now, _ int64) (int64, int64) { return now, now }},
	{`ends_ms <= ? AND ends_ms > ?`, `-ends_ms`, func(now, oldest int64) (int64, int64) { return now, oldest }},
	{
		`ends_ms <= ? AND starts_ms <= ? AND activity_id IN (SELECT activity_id FROM stock_outbox WHERE state = 'pending')`, `-ends_ms`,
		func(_, oldest int64) (int64, int64) { return oldest, oldest },
	},
}

// page reads the activities behind a cursor, at most Page of them. next is where the page behind it
// begins; the start, if there is none.
func (h *Preheater) page(ctx context.Context, at preheatCursor) (page []candidate, next preheatCursor, err error) {
	now := h.clock.NowMS()
	oldest := now - preheatAfterEnd.Milliseconds()
	for ; at.class < len(preheatClasses); at = (preheatCursor{class: at.class + 1}) {
		c := preheatClasses[at.class]
		first, second := c.times(now, oldest)
		query := `SELECT activity_id, lane, state, ends_ms, ` + c.key + ` AS sort_key FROM activities
			WHERE state <> 'draft' AND retired_ms = 0 AND ` + c.where
		args := []any{first, second}
		if at.begun {
			query += ` AND (` + c.key + ` > ? OR (` + c.key + ` = ? AND activity_id > ?))`
			args = append(args, at.key, at.key, at.id)
		}
		var found []candidate
		limit := h.cfg.Page - len(page)
		query += ` ORDER BY ` + c.key + `, activity_id LIMIT ?`
		if err := h.db.Write.SelectContext(ctx, &found, query, append(args, limit)...); err != nil {
			return nil, preheatCursor{}, fmt.Errorf("select activities to preheat: %w", err)
		}
		page = append(page, found...)
		if len(found) == limit {
			last := found[len(found)-1]
			return page, preheatCursor{class: at.class, begun: true, key: last.Key, id: last.ID}, nil
		}
	}
	return page, preheatCursor{}, nil
}
