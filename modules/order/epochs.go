package order

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// epochs remembers the load epoch of activities. What was read from Redis may be written to SQL
// only if no load came between, so an epoch has to be read from SQL *before* Redis is read; a
// remembered one is older still and so as good, and if it is too old the write is refused. What was
// known before Redis was read goes with what was read (asOf): by the time of the write somebody
// else may have learned of a newer epoch.
type epochs struct {
	db *sqldb.DB

	mu    sync.Mutex
	known map[string]int64 // replaced, never changed
}

// maxKnownEpochs bounds the memory; beyond it everything is read again.
const maxKnownEpochs = 10_000

func newEpochs(db *sqldb.DB) *epochs { return &epochs{db: db, known: map[string]int64{}} }

// asOf returns the epochs that are known now. The caller must not change them.
func (e *epochs) asOf() map[string]int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known
}

// forget makes the next read ask SQL.
func (e *epochs) forget(activity string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.known = maps.Clone(e.known)
	delete(e.known, activity)
}

// refresh reads the epochs of activities from SQL. An activity that SQL doesn't have gets -1,
// which no row carries.
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
	query := `SELECT activity_id, MAX(epoch) AS epoch FROM activity_stock WHERE activity_id IN (` + sqldb.In(len(args)) + `) GROUP BY activity_id`
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
