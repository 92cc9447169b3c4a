package inventory

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/needs"
	"onrush/modules/seckill"
)

// candidate is an activity that Redis should have.
type candidate struct {
	ID     string        `db:"activity_id"`
	Lane   int           `db:"lane"`
	State  seckill.State `db:"state"`
	EndsMS int64         `db:"ends_ms"`
	Key    int64         `db:"sort_key"`

	Version int64 `db:"version"`
	Applied int64 `db:"applied"` // the version that Redis has, as SQL knows
	Epoch   int64 `db:"epoch"`   // of the last load

	Needs needs.Set `db:"needs"`
}

// preheatCursor is the position after which a page begins: a class of activities, a sort key and an id. The
// zero value is the start.
type preheatCursor struct {
	class int
	begun bool // the class was read up to key and id
	key   int64
	id    string
}

// preheatClass is a group of activities: a condition with two parameters, which times computes from the
// current time and the oldest end, and a sort key.
type preheatClass struct {
	where string
	key   string
	times func(nowMS, oldestMS int64) (int64, int64)
}

// preheatClasses are the groups in the order in which they are loaded: running, upcoming and ended
// activities, and those that ended long ago but still have pending rows in the outbox.
var preheatClasses = []preheatClass{
	{`ends_ms > ? AND starts_ms <= ?`, `ends_ms`, func(now, _ int64) (int64, int64) { return now, now }},
	{`starts_ms > ? AND ends_ms > ?`, `starts_ms`, func(now, _ int64) (int64, int64) { return now, now }},
	{`ends_ms <= ? AND ends_ms > ?`, `-ends_ms`, func(now, oldest int64) (int64, int64) { return now, oldest }},
	{
		`ends_ms <= ? AND starts_ms <= ?
			AND activity_id IN (SELECT activity_id FROM stock_outbox WHERE state = 'pending')`, `-ends_ms`,
		func(_, oldest int64) (int64, int64) { return oldest, oldest },
	},
}

// page reads at most cfg.Page activities after a cursor. next is the cursor of the following page, or the
// start if there is none.
func (ph *Preheater) page(ctx context.Context, at preheatCursor) (page []candidate, next preheatCursor, err error) {
	now := ph.clock.NowMS()
	oldest := now - preheatAfterEnd.Milliseconds()
	for ; at.class < len(preheatClasses); at = (preheatCursor{class: at.class + 1}) {
		c := preheatClasses[at.class]
		first, second := c.times(now, oldest)
		query := `SELECT activity_id, lane, state, ends_ms, version, applied, needs,
			COALESCE((SELECT s.epoch FROM activity_stock s WHERE s.activity_id = activities.activity_id LIMIT 1), 0)
			AS epoch, ` + c.key + ` AS sort_key FROM activities
			WHERE state <> 'draft' AND retired_ms = 0 AND ` + c.where
		args := []any{first, second}
		if at.begun {
			query += ` AND (` + c.key + ` > ? OR (` + c.key + ` = ? AND activity_id > ?))`
			args = append(args, at.key, at.key, at.id)
		}
		var found []candidate
		limit := ph.cfg.Page - len(page)
		query += ` ORDER BY ` + c.key + `, activity_id LIMIT ?`
		if err := ph.db.Write.SelectContext(ctx, &found, query, append(args, limit)...); err != nil {
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

// agree tells SQL which version of an activity Redis has, if SQL recorded another one: an older copy of Redis or of SQL
// was restored. Then ApplyChanges gives Redis SQL's version. If Redis's version is higher, agree first raises SQL's
// above it. It does nothing if the activity has only changed since it was read.
func (ph *Preheater) agree(ctx context.Context, id string, inRedis int64) error {
	var rows int64
	err := ph.db.InTx(ctx, func(tx *sqlx.Tx) error {
		const update = `UPDATE activities SET applied = CASE WHEN applied > ? THEN ? ELSE applied END,
			version = CASE WHEN version < ? THEN ? ELSE version END
			WHERE activity_id = ? AND (applied > ? OR version < ?)`
		res, err := tx.ExecContext(ctx, update, inRedis, inRedis, inRedis, inRedis+1, id, inRedis, inRedis)
		if err == nil {
			rows, err = res.RowsAffected()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("record that redis has version %d of activity %s: %w", inRedis, id, err)
	}
	if rows > 0 {
		ph.log.WarnContext(ctx, "redis has another version of an activity than SQL recorded; it gets SQL's version",
			"activity_id", id, "in_redis", inRedis)
	}
	return nil
}
