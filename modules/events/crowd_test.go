package events_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events"
	"onrush/modules/journal"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

const (
	crowd   = 48 // who do the same at once
	writers = 8  // who write events meanwhile
	each    = 20 // transactions of each writer
)

// writeOn lets all writers write until they are done: each transaction has two events, one of its writer and one of
// a counter that all writers lock. The channel is closed after the last one.
func writeOn(t *testing.T, db *sqldb.DB, atMS func(writer, i int) int64) (written <-chan struct{}) {
	t.Helper()
	_, err := db.Write.ExecContext(t.Context(), `INSERT INTO skus (sku_id, shop_id, title, image_url, kind, price,
		currency, stock, freight_fee, freight_free_over, updated_ms)
		VALUES ('shared', 's', 't', '', 'physical', 1, 'CNY', 0, 0, 0, 0)`)
	require.NoError(t, err)
	done := make(chan struct{})
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				assert.NoError(t, db.InTx(t.Context(), func(tx *sqlx.Tx) error {
					if _, err := tx.ExecContext(t.Context(),
						`UPDATE skus SET stock = stock + 1 WHERE sku_id = 'shared'`); err != nil {
						return err
					}
					var n int
					const query = `SELECT stock FROM skus WHERE sku_id = 'shared'`
					if err := tx.GetContext(t.Context(), &n, query); err != nil {
						return err
					}
					own, shared := flagged(fmt.Sprint("w", w), i+1), flagged("shared", n)
					own.AtMS, shared.AtMS = atMS(w, i), atMS(w, i)
					return journal.Write(t.Context(), tx, own, shared)
				}))
			}
		})
	}
	go func() { writing.Wait(); close(done) }()
	return done
}

// repeat lets crowd callers begin at once, who call do again and again, and once more after ended is closed.
func repeat(ended <-chan struct{}, do func()) {
	kit.Crowd(crowd, func(int) { kit.Repeat(ended, 10*time.Millisecond, do) })
}

// numberUntil runs the crowd's sequencers in two instances until all events of the writers have a position, and counts
// the rows that they numbered. The channel is closed at the end.
func numberUntil(t *testing.T, stores *kit.Stores, written <-chan struct{}) (*atomic.Int64, <-chan struct{}) {
	t.Helper()
	instances := []*sqldb.DB{stores.DB, stores.ConnectSQL(t)}
	var next, numbered atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		repeat(written, func() {
			n, err := events.NewSequencer(instances[next.Add(1)%2], discard).RunOnce(t.Context())
			assert.NoError(t, err) //nolint:testifylint // require must not end a goroutine
			numbered.Add(int64(n))
		})
	}()
	return &numbered, done
}

// inTurn returns the numbers of events by subject.
func inTurn(t *testing.T, found []events.Event) map[string][]int {
	t.Helper()
	bySubject := map[string][]int{}
	for _, e := range found {
		var n int
		_, err := fmt.Sscanf(string(e.Data), `{"n":%d}`, &n)
		require.NoError(t, err)
		bySubject[e.Subject] = append(bySubject[e.Subject], n)
	}
	return bySubject
}

// upTo returns 1 to n.
func upTo(n int) (numbers []int) {
	for i := range n {
		numbers = append(numbers, i+1)
	}
	return numbers
}

func TestACrowdOfSequencersGivesEachEventOnePositionWhileOthersWrite(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		written := writeOn(t, stores.DB, func(_, i int) int64 { return int64(i) })
		numbered, numbering := numberUntil(t, stores, written)
		read := follow(t, stores.DB, 100, numbering) // a reader beside them

		assert.EqualValues(t, 2*writers*each, numbered.Load(), "each was numbered once")
		positions := make([]int64, len(read))
		for i, e := range read {
			positions[i] = e.ID
		}
		assert.True(t, slices.IsSorted(positions))
		assert.Len(t, slices.Compact(positions), 2*writers*each, "none is missed, and none has the position of another")
		for subject, numbers := range inTurn(t, read) {
			want := upTo(each)
			if subject == "shared" {
				want = upTo(writers * each)
			}
			assert.Equal(t, want, numbers, subject)
		}
	})
}

// 48 sequencers in two instances run beside writers of rows with one to five events, and readers who stop inside of
// rows.
func TestACrowdOfSequencersGivesEventsThatShareRowsTheirOwnPositions(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		want := map[string][]string{}
		written := make(chan struct{})
		var writing sync.WaitGroup
		for w := range writers {
			var all [][]journal.Event
			for i := range each {
				all = append(all, placed(fmt.Sprintf("%d-%d-", w, i), 1+(w+i)%5))
				for j := range all[i] {
					all[i][j].User = fmt.Sprint(w)
					want[fmt.Sprint(w)] = append(want[fmt.Sprint(w)], all[i][j].Subject)
				}
			}
			writing.Go(func() {
				for _, batch := range all {
					assert.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
						return journal.Write(t.Context(), tx, batch...)
					}))
				}
			})
		}
		go func() { writing.Wait(); close(written) }()
		numbered, numbering := numberUntil(t, stores, written)
		var reading sync.WaitGroup
		var seen [3][]events.Event
		for i := range seen {
			reading.Go(func() { seen[i] = follow(t, stores.DB, []int{1, 7, 100}[i], numbering) })
		}
		reading.Wait()
		assert.EqualValues(t, writers*each, numbered.Load(), "each row was numbered once")
		for _, read := range seen {
			got := map[string][]string{}
			for i, e := range read {
				got[e.User] = append(got[e.User], e.Subject)
				if i > 0 {
					require.Greater(t, e.ID, read[i-1].ID)
				}
			}
			assert.Equal(t, want, got, "each event once, the events of a writer in their order")
		}
	})
}

func TestACrowdThatDeletesOldEventsBesideSequencersKeepsTheYoungOnes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const before, old = 1000, 1200 // of the events that are there at first, all are old
		first := make([]journal.Event, old)
		for i := range first {
			if first[i] = flagged("first", 0); i >= old/2 {
				first[i].Data = "" // these share rows
			}
		}
		write(t, stores.DB, first...)
		number(t, stores.DB)
		// The writers of odd numbers have a clock that is late: their events are old when they are written.
		isOld := func(writer int) bool { return writer%2 == 1 }
		written := writeOn(t, stores.DB, func(writer, _ int) int64 {
			if isOld(writer) {
				return 1
			}
			return before
		})
		var next, numbered, deleted atomic.Int64
		repeat(written, func() {
			n, err := 0, error(nil)
			if next.Add(1)%2 == 0 {
				n, err = events.Expire(t.Context(), stores.DB, before)
				deleted.Add(int64(n))
			} else {
				n, err = events.NewSequencer(stores.DB, discard).RunOnce(t.Context())
				numbered.Add(int64(n))
			}
			assert.NoError(t, err)
		})
		assert.EqualValues(t, 2*writers*each, numbered.Load(), "each was numbered once, deleted or not")
		assert.GreaterOrEqual(t, deleted.Load(), int64(old))
		var left int64
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &left, `SELECT COALESCE(SUM(events), 0) FROM events`))
		assert.Equal(t, old+2*writers*each-deleted.Load(), left, "each was deleted once")

		read, _, err := events.NewFeed(stores.DB).Read(t.Context(), 0, nil, 1000)
		require.NoError(t, err)
		shared := 0
		for subject, numbers := range inTurn(t, read) {
			assert.True(t, slices.IsSorted(numbers), subject)
			assert.NotEqual(t, "first", subject)
			var writer int
			if _, err := fmt.Sscanf(strings.TrimPrefix(subject, "w"), "%d", &writer); err != nil {
				shared = len(numbers)
			} else if !isOld(writer) {
				assert.Equal(t, upTo(each), numbers, subject)
			}
		}
		assert.GreaterOrEqual(t, shared, writers/2*each, "those that are young")
	})
}
