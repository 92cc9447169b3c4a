package events_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// dumped is what a dump has of the events: the last row and the last position.
type dumped struct{ id, position int64 }

func dump(t *testing.T, db *sqldb.DB) (d dumped) {
	t.Helper()
	require.NoError(t, db.Read.GetContext(t.Context(), &d.id, `SELECT MAX(id) FROM events`))
	require.NoError(t, db.Read.GetContext(t.Context(), &d.position, `SELECT position FROM events_head`))
	return d
}

// restore takes the events back to what a dump has.
func restore(t *testing.T, db *sqldb.DB, d dumped) {
	t.Helper()
	_, err := db.Write.ExecContext(t.Context(), `DELETE FROM events WHERE id > ?`, d.id)
	require.NoError(t, err)
	_, err = db.Write.ExecContext(t.Context(), `UPDATE events_head SET position = ?`, d.position)
	require.NoError(t, err)
	if db.Dialect != sqldb.SQLite { // where the next id follows the last row by itself
		_, err = db.Write.ExecContext(t.Context(), `ALTER TABLE events AUTO_INCREMENT = 1`)
		require.NoError(t, err)
	}
}

// passMS waits until the store's time has passed a millisecond.
func passMS(t *testing.T, db *sqldb.DB) {
	t.Helper()
	before, err := db.NowMS(t.Context())
	require.NoError(t, err)
	for now := before; now == before; {
		now, err = db.NowMS(t.Context())
		require.NoError(t, err)
	}
}

func TestEventsAfterARestoredDumpHaveIDsThatNoReaderHasSeen(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		feed, seen := events.NewFeed(stores.DB), map[int64]bool{}
		write(t, stores.DB, flagged("kept", 1))
		number(t, stores.DB)
		saved, cursor := dump(t, stores.DB), int64(0)
		for life := range 3 {
			for n := range 5 {
				write(t, stores.DB, append(placed("w", 3), flagged("w", n))...)
				number(t, stores.DB)
			}
			found, next, err := feed.Read(t.Context(), cursor, nil, 100)
			require.NoError(t, err)
			for _, e := range found {
				assert.False(t, seen[e.ID], "life %d gives out %d once more", life, e.ID)
				assert.Less(t, e.ID, int64(1)<<53, "a number in JavaScript")
				seen[e.ID] = true
			}
			cursor = next
			restore(t, stores.DB, saved)
			passMS(t, stores.DB)
		}
		assert.Len(t, seen, 1+3*5*4, "a reader that keeps its cursor misses nothing")
	})
}
