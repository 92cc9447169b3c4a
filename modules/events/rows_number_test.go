package events_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events"
	"onrush/modules/journal"
	"onrush/test/kit"
)

func ids(all []events.Event) []int64 {
	positions := make([]int64, len(all))
	for i, e := range all {
		positions[i] = e.ID
	}
	return positions
}

// More rows than one transaction numbers, each of which raises the offset between ids and positions.
func TestManyRowsOfSeveralEventsAreNumberedInTheirOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const rows = 1100
		var written []journal.Event
		for i := range rows {
			kind := [2]string{journal.OrderPlaced, journal.OrderPaid}[i%2] // of one type they would share a row
			written = append(written, ofType(kind, placed(fmt.Sprint(i, "-"), 1+i%4))...)
		}
		before, err := stores.DB.NowMS(t.Context())
		require.NoError(t, err)
		write(t, stores.DB, written...)
		n, err := events.NewSequencer(stores.DB, discard).RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, rows, n)
		assert.Len(t, rowsOfEvents(t, stores.DB), rows)
		all := readAll(t, stores.DB)
		require.Len(t, all, len(written))
		for i, e := range all {
			require.Equal(t, written[i].Subject, e.Subject)
		}
		assert.GreaterOrEqual(t, all[0].ID, before*1024)
		const first = 1000 / 4 * (1 + 2 + 3 + 4) // events of the first transaction; the next one is of a later time
		for i, id := range ids(all) {
			if i < first {
				require.Equal(t, all[0].ID+int64(i), id, "without gaps")
			} else {
				require.Equal(t, all[first].ID+int64(i-first), id, "without gaps")
			}
		}
	})
}

func TestIDsThatWereRolledBackLeaveRoomForTheEventsOfARow(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		write(t, stores.DB, placed("a", 2)...)
		_, err := stores.DB.Write.ExecContext(t.Context(),
			`INSERT INTO events (id, type, subject, user_id, events, at_ms, last_ms, data)
			VALUES (10, 'order.paid', 'x', '', 1, 1, 1, ''), (40, 'order.paid', 'y', '', 1, 1, 1, '')`)
		require.NoError(t, err)
		write(t, stores.DB, placed("b", 100)...)
		write(t, stores.DB, placed("c", 3)...)
		number(t, stores.DB)
		all := readAll(t, stores.DB)
		require.Len(t, all, 107)
		var gaps []int64
		for i := range all[1:] {
			if gap := all[i+1].ID - all[i].ID - 1; gap > 0 {
				gaps = append(gaps, gap)
			}
		}
		assert.Equal(t, []int64{8, 29}, gaps, "the gaps in the ids of single rows")
	})
}
