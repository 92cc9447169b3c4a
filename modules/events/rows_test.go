package events_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events"
	"onrush/modules/journal"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// placed returns the events of n orders, which share rows. Each belongs to another user and has another time.
func placed(name string, n int, atMS ...int64) (all []journal.Event) {
	for i := range n {
		at := int64(i + 1)
		if i < len(atMS) {
			at = atMS[i]
		}
		all = append(all, journal.Event{
			Type: journal.OrderPlaced, Subject: fmt.Sprint(name, i), User: fmt.Sprint("u-", name, i), AtMS: at,
		})
	}
	return all
}

// ofType returns copies of events with another type.
func ofType(kind string, all []journal.Event) []journal.Event {
	for i := range all {
		all[i].Type = kind
	}
	return all
}

// rowsOfEvents returns how many events each row has.
func rowsOfEvents(t *testing.T, db *sqldb.DB) (sizes []int) {
	t.Helper()
	require.NoError(t, db.Read.SelectContext(t.Context(), &sizes, `SELECT events FROM events ORDER BY id`))
	return sizes
}

// readAll returns all events from the first one, and requires that their positions grow.
func readAll(t *testing.T, db *sqldb.DB) []events.Event {
	t.Helper()
	var all []events.Event
	for after := int64(0); ; {
		found, next, err := events.NewFeed(db).Read(t.Context(), after, nil, 1000)
		require.NoError(t, err)
		if len(found) == 0 {
			return all
		}
		for _, e := range found {
			require.Greater(t, e.ID, after)
			after = e.ID
		}
		require.Equal(t, after, next)
		all = append(all, found...)
	}
}

func TestEventsThatShareARowAreReadLikeAllOthers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		written := slices.Concat(placed("a", 3), []journal.Event{flagged("p", 1)},
			ofType(journal.OrderFailed, placed("f", 2, 9, 4)), placed("b", 1))
		write(t, stores.DB, written...)
		number(t, stores.DB)
		require.Equal(t, []int{3, 1, 2, 1}, rowsOfEvents(t, stores.DB))
		all := readAll(t, stores.DB)
		require.Len(t, all, len(written))
		for i, e := range all {
			w := written[i]
			assert.Equal(t, [4]any{w.Type, w.Subject, w.User, w.AtMS}, [4]any{e.Type, e.Subject, e.User, int64(e.At)})
			assert.Equal(t, all[0].ID+int64(i), e.ID, "without gaps, since the ids of the rows have none")
		}
		assert.JSONEq(t, `{"order": {"order_number": "f1", "user_id": "u-f1", "status": "failed"}}`,
			string(all[5].Data))
		head, err := events.NewFeed(stores.DB).Head(t.Context())
		require.NoError(t, err)
		assert.Equal(t, all[6].ID, head)
	})
}

func TestAReaderMayStopAndGoOnAtEachEventOfARow(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		write(t, stores.DB, slices.Concat(placed("a", 1), []journal.Event{flagged("p", 1)}, placed("b", 5),
			ofType(journal.OrderPaid, placed("c", 2)), placed("d", 3), []journal.Event{flagged("p", 2)})...)
		write(t, stores.DB, ofType(journal.OrderFailed, placed("e", 4))...)
		number(t, stores.DB)
		all := readAll(t, stores.DB)
		require.Len(t, all, 17)
		head := all[len(all)-1].ID
		feed := events.NewFeed(stores.DB)
		for _, types := range [][]string{
			nil,
			{journal.OrderPlaced},
			{journal.OrderPaid},
			{journal.OrderFailed, journal.PaymentFlagged},
			{journal.OrderPlaced, journal.OrderFailed},
			{journal.RefundDone},
		} {
			for after := all[0].ID - 2; after <= head+1; after++ {
				var want []events.Event
				for _, e := range all {
					if e.ID > after && (types == nil || slices.Contains(types, e.Type)) {
						want = append(want, e)
					}
				}
				for limit := 1; limit <= len(want)+1; limit++ {
					got, next, err := feed.Read(t.Context(), after, types, limit)
					require.NoError(t, err)
					if len(want) >= limit {
						require.Equal(t, want[:limit], got, "after %d, %d of %v", after, limit, types)
						require.Equal(t, got[limit-1].ID, next)
						continue
					}
					require.ElementsMatch(t, want, got)
					require.Equal(t, max(after, head), next, "after %d, %d of %v", after, limit, types)
				}
			}
		}
	})
}

func TestReadReturnsAtMostAThousandEventsHoweverManyTheRowsHave(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for i := range 7 {
			write(t, stores.DB, placed(fmt.Sprint(i, "-"), 450)...)
		}
		number(t, stores.DB)
		feed, after := events.NewFeed(stores.DB), int64(0)
		var read []string
		for _, want := range []int{1000, 1000, 1000, 150, 0} {
			found, next, err := feed.Read(t.Context(), after, []string{journal.OrderPlaced}, 1_000_000)
			require.NoError(t, err)
			require.Len(t, found, want)
			for _, e := range found {
				read = append(read, e.Subject)
			}
			after = next
		}
		for i, subject := range read {
			require.Equal(t, fmt.Sprint(i/450, "-", i%450), subject)
		}
	})
}

func TestABrokenRowHoldsUpNoLaterEvent(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		write(t, stores.DB, placed("a", 3, 70, 60, 80)...)
		write(t, stores.DB, placed("b", 1)...)
		number(t, stores.DB)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE events SET data = 'x' WHERE events = 3`)
		require.NoError(t, err)
		all := readAll(t, stores.DB)
		require.Len(t, all, 4)
		for _, e := range all[:3] {
			assert.Equal(t, [2]any{"", int64(60)}, [2]any{e.Subject, int64(e.At)})
		}
		assert.Equal(t, "b0", all[3].Subject)
	})
}

func TestBetweenFindsTheEventsOfATimeInsideRows(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		write(t, stores.DB, placed("a", 4, 30, 10, 20, 11)...)
		write(t, stores.DB, flagged("p", 25))
		write(t, stores.DB, placed("b", 3, 90, 91, 20)...)
		write(t, stores.DB, flagged("p", 50), flagged("p", 12))
		number(t, stores.DB)
		all := readAll(t, stores.DB)
		require.Len(t, all, 10)
		feed := events.NewFeed(stores.DB)
		for after := all[0].ID - 1; after <= all[9].ID; after++ {
			for upTo := after; upTo <= all[9].ID+1; upTo++ {
				for from := int64(9); from <= 92; from++ {
					to := from + from%7
					first, last, err := feed.Between(t.Context(), after, upTo, from, to)
					require.NoError(t, err)
					if first == 0 {
						assert.Zero(t, last)
					} else {
						assert.True(t, after < first && first <= last && last <= upTo)
					}
					for _, e := range all {
						if e.ID > after && e.ID <= upTo && int64(e.At) >= from && int64(e.At) <= to {
							assert.True(t, first <= e.ID && e.ID <= last, "%d, from %d to %d", e.ID, from, to)
						}
					}
				}
			}
		}
		// Rows without an event of the time are left out.
		first, last, err := feed.Between(t.Context(), 0, all[9].ID, 21, 26)
		require.NoError(t, err)
		assert.Equal(t, [2]int64{all[0].ID, all[7].ID}, [2]int64{first, last})
		first, last, err = feed.Between(t.Context(), 0, all[9].ID, 92, 200)
		require.NoError(t, err)
		assert.Zero(t, [2]int64{first, last})
		first, last, err = feed.Between(t.Context(), 0, all[9].ID, 91, 200)
		require.NoError(t, err)
		assert.Equal(t, [2]int64{all[5].ID, all[7].ID}, [2]int64{first, last})
	})
}
