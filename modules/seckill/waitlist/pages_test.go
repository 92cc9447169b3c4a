package waitlist_test

import (
	"context"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/seckill/waitlist"
	"onrush/test/kit"
	"onrush/test/stage"
)

// queue lets n users wait who joined before everybody else.
func (w *world) queue(t *testing.T, n int, quantity int64) {
	t.Helper()
	w.queueFrom(t, 0, n, quantity, 1)
}

// queueFrom lets users wait, two of which join in each millisecond.
func (w *world) queueFrom(t *testing.T, from, to int, quantity, joinedMS int64) {
	t.Helper()
	require.NoError(t, w.Stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		for i := from; i < to; i++ {
			const insert = `INSERT INTO waitlist (activity_id, sku_id, user_id, entry_id, point_id, quantity, choice,
				joined_ms, passed_ms, until_ms) VALUES (?, ?, ?, ?, '0', ?, '{}', ?, 0, 0)`
			if _, err := tx.ExecContext(t.Context(), insert, w.Activity, stage.SKU, name(i), name(i), quantity,
				joinedMS+int64(i-from)/2); err != nil {
				return err
			}
		}
		return nil
	}))
}

// More wait, and more units come, than a run reads at once: nobody overtakes the list.
func TestALongListIsServedToItsEnd(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, one())
		w.Place(t, "ann", 1)
		w.queue(t, lua.MaxWaitlistChanges+5, 1)
		w.joins(t, "bob", 1)
		w.raise(t, "0", lua.MaxWaitlistChanges+2)
		w.serve(t)
		assert.Len(t, w.redisList(t).Offers, lua.MaxWaitlistChanges+2)
		_, code := w.buys(t, "eve", "0", 1)
		assert.Equal(t, lua.SoldOut, code)
		w.raise(t, "0", 5)
		w.serve(t)
		assert.Equal(t, "offered", w.state(t, "bob"))
		w.requireAgreed(t)
		_, code = w.buys(t, "eve", "0", 1)
		assert.Equal(t, lua.Placed, code)
	})
}

// A run looks into an index, however many wait.
func TestARunReadsFewOfThoseWhoWait(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, stage.Sale{Stock: map[string]int64{"0": 1, "1": 1}}), t.Context()
		w.queue(t, 5000, 1)
		assert.Less(t, kit.RowsRead(t, stores.DB, func(q sqlx.QueryerContext) {
			n, err := waitlist.WaitsFor(ctx, q, w.Activity)
			require.NoError(t, err)
			assert.Equal(t, 1, n, "nobody waits for units at the other point")
			ids, err := waitlist.WithEntries(ctx, q, "", 10)
			require.NoError(t, err)
			assert.Equal(t, []string{w.Activity}, ids)
		}), 100)
	})
}

// A crowd that joins doesn't count all who wait each time.
func TestAPlaceIsCountedFromTheLastOneThatIsKnown(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, one())
		w.Place(t, "ann", 1)
		w.queue(t, 1000, 1)
		for i := range 5 {
			assert.EqualValues(t, 1001+i, w.joins(t, "late"+name(i), 1).Place)
		}
		w.queueFrom(t, 1000, 1001, 1, 2) // of an instance whose clock is behind
		views, err := w.list.Mine(t.Context(), name(1000), w.Activity)
		require.NoError(t, err)
		assert.EqualValues(t, 5, views[0].Place)
	})
}

func TestManyWhoWaitForTooMuchHideNobody(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, one())
		w.Place(t, "ann", 1)
		w.queue(t, lua.MaxWaitlistChanges, 9)
		w.joins(t, "bob", 1)
		w.raise(t, "0", 1)
		w.serve(t)
		assert.Equal(t, "offered", w.state(t, "bob"))
		w.requireAgreed(t)
	})
}

func TestAfterAPauseTheListComesFirst(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, one()), context.WithoutCancel(t.Context())
		w.Place(t, "ann", 1)
		w.joins(t, "bob", 1)
		meta := stores.Keys.Meta(w.Lane, w.Activity)
		require.NoError(t, stores.Redis.HSet(ctx, meta, "paused", 1).Err())
		w.raise(t, "0", 2)
		w.serve(t)
		assert.Equal(t, "waiting", w.state(t, "bob"))
		require.NoError(t, stores.Redis.HDel(ctx, meta, "paused").Err())
		_, code := w.buys(t, "eve", "0", 1)
		assert.Equal(t, lua.SoldOut, code)
		w.serve(t)
		assert.Equal(t, "offered", w.state(t, "bob"))
		w.requireAgreed(t)
		_, code = w.buys(t, "eve", "0", 1)
		assert.Equal(t, lua.Placed, code)
	})
}

func TestUnitsOfALaterWaveAreNotLeft(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, stage.Sale{
			Stock: map[string]int64{"0": 3},
			Waves: []lua.Wave{{Point: "0", AtMS: time.Now().Add(time.Minute).UnixMilli(), Quantity: 2}},
		})
		w.Place(t, "ann", 1)
		w.joins(t, "bob", 3) // though 2 are left
		w.joins(t, "cid", 1)
		w.raise(t, "0", 1)
		w.serve(t)
		assert.Equal(t, []string{"waiting", "offered"}, []string{w.state(t, "bob"), w.state(t, "cid")})
		assert.NotEmpty(t, w.redisList(t).Waits)
		w.requireAgreed(t)
	})
}

// More units are offered than one statement reads.
func TestASaleWithManyOffersIsLoadedAndServed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const offers = 10_003
		w := open(t, stores, stage.Sale{Stock: map[string]int64{"0": offers + 1}})
		until := time.Now().Add(time.Hour).UnixMilli()
		entries := make([]waitlist.Entry, offers)
		for i := range entries {
			entries[i] = waitlist.Entry{
				Activity: w.Activity, SKU: stage.SKU, User: name(i), ID: name(i), Point: "0", Quantity: 1, Choice: "{}",
				JoinedMS: 1, UntilMS: until + int64(i/4000),
			}
		}
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return waitlist.Insert(t.Context(), tx, entries...)
		}))
		w.LoseActivity(t)
		w.Load(t)
		for range 2 {
			var rows int
			require.NoError(t, stores.DB.Read.GetContext(t.Context(), &rows, `SELECT COUNT(*) FROM waitlist`))
			assert.Equal(t, []int{offers, offers}, []int{rows, len(w.redisList(t).Offers)}, "SQL, then Redis")
			w.Balanced(t)
			w.serve(t)
		}
	})
}
