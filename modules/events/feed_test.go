package events_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
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

var discard = slog.New(slog.DiscardHandler)

// errRollback ends a transaction that must leave no event.
var errRollback = errors.New("rolled back")

// number numbers all committed events.
func number(t *testing.T, db *sqldb.DB) {
	t.Helper()
	_, err := events.NewSequencer(db, discard).RunOnce(t.Context())
	require.NoError(t, err)
}

// write commits events.
func write(t *testing.T, db *sqldb.DB, written ...journal.Event) {
	t.Helper()
	require.NoError(t, db.InTx(t.Context(), func(tx *sqlx.Tx) error {
		return journal.Write(t.Context(), tx, written...)
	}))
}

// flagged returns an event with a number as its data.
func flagged(subject string, n int) journal.Event {
	return journal.Event{
		Type: journal.PaymentFlagged, Subject: subject, User: "u-" + subject, AtMS: int64(n),
		Data: fmt.Sprintf(`{"n":%d}`, n),
	}
}

// writeAsOne writes the events of one writer, each in its own transaction; they tell of a row that others change too,
// which the transaction locks before. Some transactions are rolled back, and most stay open for a while after the
// event is written, so that they commit in another order.
func writeAsOne(ctx context.Context, db *sqldb.DB, writer, n int) error {
	random := rand.New(rand.NewPCG(uint64(writer), 1))
	for i := range n {
		shared := strconv.Itoa(random.IntN(4))
		broken, statements := random.IntN(5) == 0, random.IntN(6)
		err := db.InTx(ctx, func(tx *sqlx.Tx) error {
			var stock int
			if _, err := tx.ExecContext(ctx, `UPDATE skus SET stock = stock + 1 WHERE sku_id = ?`, shared); err != nil {
				return err
			}
			if err := tx.GetContext(ctx, &stock, `SELECT stock FROM skus WHERE sku_id = ?`, shared); err != nil {
				return err
			}
			own := flagged("w"+strconv.Itoa(writer), i)
			if err := journal.Write(ctx, tx, flagged("sku"+shared, stock), own); err != nil {
				return err
			}
			for range statements {
				if err := tx.GetContext(ctx, &stock, `SELECT stock FROM skus WHERE sku_id = ?`, shared); err != nil {
					return err
				}
			}
			if broken {
				return errRollback
			}
			return nil
		})
		if err != nil && !errors.Is(err, errRollback) {
			return err
		}
	}
	return nil
}

// follow reads with a cursor until ended is closed and nothing is left.
func follow(t *testing.T, db *sqldb.DB, page int, ended <-chan struct{}) (read []events.Event) {
	t.Helper()
	feed, after := events.NewFeed(db), int64(0)
	kit.Repeat(ended, time.Millisecond, func() {
		for {
			found, next, err := feed.Read(t.Context(), after, nil, page)
			if err != nil {
				t.Error(err)
				return
			}
			read, after = append(read, found...), next
			if len(found) == 0 {
				return
			}
		}
	})
	return read
}

// committed returns the events of each subject in the order in which they were committed, by their row ids.
func committed(t *testing.T, db *sqldb.DB) map[string][]string {
	t.Helper()
	var rows []struct {
		Subject string `db:"subject"`
		Data    string `db:"data"`
	}
	require.NoError(t, db.Read.SelectContext(t.Context(), &rows, `SELECT subject, data FROM events ORDER BY id`))
	bySubject := map[string][]string{}
	for _, r := range rows {
		bySubject[r.Subject] = append(bySubject[r.Subject], r.Data)
	}
	return bySubject
}

func TestReaderWithACursorSeesEachEventOnceWhileOthersWrite(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const writers, each, sequencers, readers = 32, 30, 3, 4
		for sku := range 4 {
			_, err := stores.DB.Write.ExecContext(t.Context(), `INSERT INTO skus (sku_id, shop_id, title, image_url,
				kind, price, currency, stock, freight_fee, freight_free_over, updated_ms)
				VALUES (?, 's', 't', '', 'physical', 1, 'CNY', 0, 0, 0, 0)`, strconv.Itoa(sku))
			require.NoError(t, err)
		}
		var writing, numbering, reading sync.WaitGroup
		for w := range writers {
			writing.Go(func() { assert.NoError(t, writeAsOne(t.Context(), stores.DB, w, each)) })
		}
		written, numbered := make(chan struct{}), make(chan struct{})
		for range sequencers {
			s := events.NewSequencer(stores.ConnectSQL(t), discard)
			numbering.Go(func() {
				kit.Repeat(written, 2*time.Millisecond, func() {
					if _, err := s.RunOnce(t.Context()); err != nil {
						t.Error(err)
					}
				})
			})
		}
		var seen [readers][]events.Event
		for r := range readers {
			reading.Go(func() { seen[r] = follow(t, stores.DB, 1+7*r, numbered) })
		}
		writing.Wait()
		close(written)
		numbering.Wait()
		close(numbered)
		reading.Wait()

		want := committed(t, stores.DB)
		for _, read := range seen {
			got := map[string][]string{}
			last := int64(0)
			for _, e := range read {
				require.Greater(t, e.ID, last, "positions grow")
				last = e.ID
				got[e.Subject] = append(got[e.Subject], string(e.Data))
			}
			require.Equal(t, want, got, "each event once, the events of a subject in their order")
		}
		for subject, data := range want {
			if strings.HasPrefix(subject, "sku") { // the counter of a row that all writers lock
				for i, text := range data {
					require.Equal(t, fmt.Sprintf(`{"n":%d}`, i+1), text, "a rolled back event has no successor")
				}
			}
		}
	})
}

func TestEventCommittedLaterComesBehindACursorGivenOutBefore(t *testing.T) {
	t.Parallel()
	kit.EachIsolation(t, func(t *testing.T, stores *kit.Stores) {
		if stores.DB.Dialect == sqldb.SQLite {
			t.Skip("its one writer has no other beside it")
		}
		feed, cursor := events.NewFeed(stores.DB), int64(0)
		for _, others := range []int{1, 10, 300} {
			slow, err := stores.DB.Write.BeginTxx(t.Context(), nil)
			require.NoError(t, err)
			defer func() { _ = slow.Rollback() }()
			require.NoError(t, journal.Write(t.Context(), slow, flagged("slow", 1)))
			write(t, stores.DB, slices.Repeat([]journal.Event{flagged("fast", 1)}, others)...)
			number(t, stores.DB)
			fast, next, err := feed.Read(t.Context(), cursor, nil, 1000)
			require.NoError(t, err)
			require.Len(t, fast, others, "whatever the store thinks is the cheapest way to the rows")
			require.NoError(t, slow.Commit())
			write(t, stores.DB, flagged("fast", 2))
			number(t, stores.DB)
			rest, next, err := feed.Read(t.Context(), next, nil, 1000)
			require.NoError(t, err)
			require.Len(t, rest, 2)
			assert.Equal(t, "slow", rest[0].Subject)
			assert.Equal(t, "fast", rest[1].Subject)
			cursor = next
		}
	})
}

func TestReadPassesABoundedNumberOfEventsThatItDoesNotSelect(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const others = 6000
		page := make([]journal.Event, others)
		for i := range page {
			page[i] = flagged("p", i)
		}
		write(t, stores.DB, page...)
		write(t, stores.DB, journal.Event{Type: journal.RefundFailed, Subject: "r", Data: `{"refund":{}}`})
		number(t, stores.DB)
		feed := events.NewFeed(stores.DB)
		types := []string{journal.RefundFailed, journal.ActivityEnded}

		found, next, err := feed.Read(t.Context(), 0, types, 10)
		require.NoError(t, err)
		assert.Empty(t, found)
		all, fifth, err := feed.Read(t.Context(), 0, nil, 1000)
		for range 4 {
			require.NoError(t, err)
			require.Len(t, all, 1000)
			all, fifth, err = feed.Read(t.Context(), fifth, nil, 1000)
		}
		require.NoError(t, err)
		require.Equal(t, fifth, next, "where to continue: behind 5,000 events")
		found, next, err = feed.Read(t.Context(), next, types, 10)
		require.NoError(t, err)
		require.Len(t, found, 1)
		assert.JSONEq(t, `{"refund":{}}`, string(found[0].Data))
		head, err := feed.Head(t.Context())
		require.NoError(t, err)
		assert.Equal(t, head, next)

		for _, filter := range [][]string{nil, types} {
			found, again, err := feed.Read(t.Context(), next, filter, 10)
			require.NoError(t, err)
			assert.Empty(t, found)
			assert.Equal(t, next, again)
		}
		found, next, err = feed.Read(t.Context(), all[0].ID, []string{journal.PaymentFlagged}, 7)
		require.NoError(t, err)
		require.Len(t, found, 7)
		assert.Equal(t, found[6].ID, next, "not beyond the last that was returned")
	})
}

// writes calls a function for each line of a log.
type writes func()

func (w writes) Write(line []byte) (int, error) {
	w()
	return len(line), nil
}

func TestSequencerGoesOnAfterAPanic(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	log := slog.New(slog.NewTextHandler(writes(cancel), nil))
	events.NewSequencer(&sqldb.DB{}, log).Run(ctx) // without a connection, each query panics
	assert.Error(t, ctx.Err(), "it was logged")
}
