package events_test

import (
	"fmt"
	"slices"
	"strconv"
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

// ofType returns events as those of another type.
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

func ids(all []events.Event) []int64 {
	positions := make([]int64, len(all))
	for i, e := range all {
		positions[i] = e.ID
	}
	return positions
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
		assert.Equal(t, []int64{8, 29}, gaps, "those of the ids of single rows")
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

func TestARowIsDeletedWhenAllOfItsEventsAreOld(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		write(t, stores.DB, placed("old", 4, 1, 2, 3, 4)...)
		write(t, stores.DB, placed("mixed", 3, 9, 1, 2)...)
		write(t, stores.DB, placed("o", 1, 4)...)
		write(t, stores.DB, placed("young", 2, 7, 8)...)
		number(t, stores.DB)
		all := readAll(t, stores.DB)
		subjects := func() (left []string) {
			for _, e := range readAll(t, stores.DB) {
				left = append(left, e.Subject)
			}
			return left
		}
		expire := func(before int64) int {
			n, err := events.Expire(t.Context(), stores.DB, before)
			require.NoError(t, err)
			return n
		}
		assert.Equal(t, 5, expire(5), "events, not rows")
		assert.Equal(t, []string{"mixed0", "mixed1", "mixed2", "young0", "young1"}, subjects())
		assert.Zero(t, expire(8))
		assert.Equal(t, 2, expire(9))
		assert.Equal(t, []string{"mixed0", "mixed1", "mixed2"}, subjects(), "one of them is young")
		assert.Equal(t, 3, expire(10))
		assert.Empty(t, subjects())
		// A reader inside of a row that was deleted goes on behind it.
		write(t, stores.DB, placed("new", 2)...)
		number(t, stores.DB)
		found, next, err := events.NewFeed(stores.DB).Read(t.Context(), all[2].ID, nil, 1)
		require.NoError(t, err)
		require.Len(t, found, 1)
		assert.Equal(t, [2]any{"new0", found[0].ID}, [2]any{found[0].Subject, next})
	})
}

func TestAStreamContinuesInsideARow(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var written []journal.Event
		for i := range 12 {
			written = append(written, journal.Event{
				Type: journal.OrderPlaced, Subject: strconv.Itoa(i), User: [2]string{"ada", "bob"}[i%2], AtMS: 1,
			})
		}
		hub := newHub(t, stores)
		both := map[string]*events.Follower{}
		for _, user := range []string{"ada", "bob"} {
			f, err := hub.Follow(t.Context(), user, -1)
			require.NoError(t, err)
			defer f.Close()
			both[user] = f
		}
		write(t, stores.DB, written...)
		number(t, stores.DB)
		require.Equal(t, []int{12}, rowsOfEvents(t, stores.DB))
		assert.Equal(t, []string{"0", "2", "4", "6", "8", "10"}, next(t, both["ada"], 6))
		assert.Equal(t, []string{"1", "3", "5", "7", "9", "11"}, next(t, both["bob"], 6))
		all := readAll(t, stores.DB)
		for _, hub := range []*events.Hub{hub, newHub(t, stores)} { // the second one reads the recent events
			for i, e := range all[:11] {
				f, err := hub.Follow(t.Context(), "bob", e.ID)
				require.NoError(t, err)
				defer f.Close()
				assert.Equal(t, events.Start{After: e.ID}, f.Start())
				var want []string
				for n := i + 1; n < 12; n++ {
					if n%2 == 1 {
						want = append(want, strconv.Itoa(n))
					}
				}
				assert.Equal(t, want, next(t, f, len(want)))
			}
		}
	})
}

func TestTheFirstStreamReadsTheRecentEventsOfManyRows(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for i := range 6 {
			write(t, stores.DB, placed(fmt.Sprint(i, "-"), 499)...)
		}
		number(t, stores.DB)
		all := readAll(t, stores.DB)
		hub := newHub(t, stores)
		last, err := hub.Follow(t.Context(), "u-5-498", all[len(all)-2].ID)
		require.NoError(t, err)
		defer last.Close()
		assert.Equal(t, []string{"5-498"}, next(t, last, 1))
		// 2,000 events are more than four rows have, and less than five.
		f, err := hub.Follow(t.Context(), "u-2-0", all[2*499-1].ID)
		require.NoError(t, err)
		defer f.Close()
		assert.Equal(t, events.Start{After: all[2*499-1].ID}, f.Start())
		assert.Equal(t, []string{"2-0"}, next(t, f, 1))
		late, err := hub.Follow(t.Context(), "u-1-498", all[2*499-2].ID)
		require.NoError(t, err)
		defer late.Close()
		assert.True(t, late.Start().Missed, "it is told that there may be others")
	})
}
