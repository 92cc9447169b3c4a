package queue

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// epochs caches the load epochs of activities. Data from Redis may be written to SQL only if no load
// happened in between, so the epoch must be read from SQL *before* the data is read from Redis. A
// cached epoch is older and so safe too: if it is outdated, the write is refused. Callers keep the
// epochs from before the read (asOf) with the data, since another goroutine may refresh the cache
// before the write.
type epochs struct {
	db *sqldb.DB

	mu    sync.Mutex
	known map[string]int64 // replaced, never changed
}

// maxKnownEpochs bounds the cache; when it is full, it is cleared.
const maxKnownEpochs = 10_000

func newEpochs(db *sqldb.DB) *epochs { return &epochs{db: db, known: map[string]int64{}} }

// asOf returns the epochs that are cached now. The caller must not modify the map.
func (e *epochs) asOf() map[string]int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known
}

// forget removes the epoch of an activity, so that it is read from SQL again.
func (e *epochs) forget(activity string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known = maps.Clone(e.known)
	delete(e.known, activity)
}

// refresh reads the epochs of activities from SQL. An activity that SQL doesn't have gets -1, which no
// row has.
func (e *epochs) refresh(ctx context.Context, activities []string) error {
	if len(activities) == 0 {
		return nil
	}
	args := make([]any, len(activities))
	for i, a := range activities {
		args[i] = a
	}
	var rows []struct {
		Activity string `db:"activity_id"`
		Epoch    int64  `db:"epoch"`
	}
	query := `SELECT activity_id, MAX(epoch) AS epoch FROM activity_stock WHERE activity_id IN (` +
		sqldb.In(len(args)) + `) GROUP BY activity_id`
	if err := sqlx.SelectContext(ctx, e.db.Read, &rows, query, args...); err != nil {
		return fmt.Errorf("select epochs of %d activities: %w", len(activities), err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	known := make(map[string]int64, len(e.known)+len(activities))
	if len(e.known)+len(activities) <= maxKnownEpochs {
		maps.Copy(known, e.known)
	}
	for _, a := range activities {
		known[a] = -1
	}
	for _, r := range rows {
		known[r.Activity] = r.Epoch
	}
	e.known = known
	return nil
}
