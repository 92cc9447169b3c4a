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

func TestTheFeedSaysWhichReadersHaveMissedEvents(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		feed := events.NewFeed(stores.DB)
		missed := func(after int64) bool {
			t.Helper()
			missed, head, err := feed.Missed(t.Context(), after)
			require.NoError(t, err)
			at, err := feed.Head(t.Context())
			require.NoError(t, err)
			assert.Equal(t, at, head)
			return missed
		}
		assert.False(t, missed(0), "there is no event yet")
		assert.True(t, missed(4711))

		write(t, stores.DB, append(placed("w", 3), flagged("w", 1))...)
		number(t, stores.DB)
		saved := dump(t, stores.DB)
		passMS(t, stores.DB)
		write(t, stores.DB, append(placed("x", 3), flagged("x", 2))...)
		number(t, stores.DB)
		all, last, err := feed.Read(t.Context(), 0, nil, 100)
		require.NoError(t, err)
		require.Len(t, all, 8)
		for _, e := range all {
			assert.False(t, missed(e.ID), "also inside a row of several events")
		}
		assert.False(t, missed(0))
		assert.True(t, missed(last+1), "behind the end")
		assert.True(t, missed(all[3].ID+1), "between two rows")
		assert.True(t, missed(all[0].ID-1), "before the first: no reader was there")

		restore(t, stores.DB, saved)
		for i, e := range all {
			assert.Equal(t, i >= 4, missed(e.ID), "event %d, after a restore", i)
		}
		passMS(t, stores.DB)
		write(t, stores.DB, flagged("y", 3))
		number(t, stores.DB)
		for i, e := range all {
			assert.Equal(t, i >= 4, missed(e.ID), "event %d, when there are later ones", i)
		}
	})
}

func TestTheFeedSaysWhichReadersHaveMissedDeletedEvents(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		feed := events.NewFeed(stores.DB)
		for _, at := range []int64{100, 200, 300} {
			e := flagged("w", int(at))
			e.AtMS = at
			write(t, stores.DB, e)
			number(t, stores.DB)
			passMS(t, stores.DB)
		}
		all, _, err := feed.Read(t.Context(), 0, nil, 100)
		require.NoError(t, err)
		deleted, err := events.Expire(t.Context(), stores.DB, 250)
		require.NoError(t, err)
		require.Equal(t, 2, deleted)
		for i, want := range []bool{true, false, false} {
			missed, _, err := feed.Missed(t.Context(), all[i].ID)
			require.NoError(t, err)
			assert.Equal(t, want, missed, "after event %d", i)
		}
	})
}
