package waitlist_test

import (
	"context"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/seckill/waitlist"
	"onrush/test/kit"
	"onrush/test/stage"
)

func one() stage.Sale { return stage.Sale{Stock: map[string]int64{"0": 1}} }

func TestUnitsThatComeBackAreOfferedInOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, one())
		_, err := w.join(t, "bob", "0", 1)
		assert.Equal(t, "not_sold_out", codeOf(err))
		first := w.Place(t, "ann", 1)
		bob := w.joins(t, "bob", 1)
		assert.Equal(t, waitlist.Waits, bob.State)
		assert.EqualValues(t, 1, bob.Place)
		again := w.joins(t, "bob", 1)
		assert.Equal(t, bob, again, "the buyer keeps the place")
		assert.EqualValues(t, 2, w.joins(t, "cid", 1).Place)
		w.serve(t)
		assert.Equal(t, "waiting", w.state(t, "bob"))

		w.cancel(t, first)
		_, code := w.buys(t, "eve", "0", 1)
		assert.Equal(t, lua.SoldOut, code, "nobody overtakes the list")
		w.serve(t)
		assert.Equal(t, "offered", w.state(t, "bob"))
		assert.Equal(t, "waiting", w.state(t, "cid"))
		assert.Equal(t, []string{"bob"}, w.events(t))
		w.requireAgreed(t)
		for _, user := range []string{"eve", "cid"} {
			_, code := w.buys(t, user, "0", 1)
			assert.Equal(t, lua.SoldOut, code, user)
		}

		w.lapse(t, "bob")
		w.serve(t)
		assert.Equal(t, []string{"", "offered"}, []string{w.state(t, "bob"), w.state(t, "cid")})
		_, code = w.buys(t, "bob", "0", 1)
		assert.Equal(t, lua.SoldOut, code)
		o, code := w.buys(t, "cid", "0", 1)
		assert.Equal(t, lua.Placed, code)
		w.serve(t)
		assert.Empty(t, w.rows(t))
		assert.Empty(t, w.redisList(t).Waits, "nobody waits")
		w.Move(t)
		w.requireAgreed(t)
		w.cancel(t, o)
		_, code = w.buys(t, "eve", "0", 1)
		assert.Equal(t, lua.Placed, code)
		assert.Equal(t, []string{"bob", "cid"}, w.events(t), "each offer is told once")
	})
}

func TestWhoLeavesGivesTheUnitsToTheNext(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, one()), t.Context()
		w.Place(t, "ann", 1)
		bob, cid, dan := w.joins(t, "bob", 1), w.joins(t, "cid", 1), w.joins(t, "dan", 1)
		assert.Equal(t, "not_found", codeOf(w.list.Leave(ctx, "cid", bob.EntryID)), "it is another buyer's")
		w.raise(t, "0", 1)
		w.serve(t)
		require.NoError(t, w.list.Leave(ctx, "cid", cid.EntryID))
		require.NoError(t, w.list.Leave(ctx, "bob", bob.EntryID))
		assert.Equal(t, "not_found", codeOf(w.list.Leave(ctx, "bob", bob.EntryID)))
		assert.Equal(t, "1", w.Left(t, "0"))
		w.serve(t)
		assert.Equal(t, "offered", w.state(t, "dan"))
		w.requireAgreed(t)

		// A row that goes away otherwise, as by an erasure, takes its offer with it.
		require.NoError(t, stores.DB.InTx(ctx, func(tx *sqlx.Tx) error { return waitlist.Erase(ctx, tx, "dan") }))
		w.serve(t)
		assert.Equal(t, "1", w.Left(t, "0"))
		w.requireAgreed(t)
		_ = dan
	})
}

func TestAListIsBounded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, one()), t.Context()
		w.Place(t, "ann", 1)
		require.NoError(t, stores.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			for i := range waitlist.MaxEntries {
				if _, err := tx.ExecContext(ctx, `INSERT INTO waitlist (activity_id, sku_id, user_id, entry_id,
					point_id, quantity, choice, joined_ms, passed_ms, until_ms)
					VALUES ('other', ?, 'bob', ?, '0', 1, '{}', 1, 0, 0)`, name(i), name(i)); err != nil {
					return err
				}
			}
			return nil
		}))
		_, err := w.join(t, "bob", "0", 1)
		assert.Equal(t, "waitlist_full", codeOf(err))
	})
}

func TestABuyerWhoJoinsManyListsAtOnceIsBounded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, one())
		w.Place(t, "ann", 1)
		for _, err := range kit.AtOnce(48, func(i int) error {
			_, err := w.list.Join(t.Context(), seckill.Wisher{User: "bob"}, w.Activity, name(i),
				seckill.Choice{Quantity: 1, PickupPoint: "0"})
			return err
		}) {
			if err != nil {
				assert.Equal(t, "waitlist_full", codeOf(err))
			}
		}
		assert.LessOrEqual(t, len(w.rows(t)), waitlist.MaxEntries)
	})
}

func TestAnOfferThatCannotBeReadStopsNobody(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, one())
		w.Place(t, "ann", 1)
		w.joins(t, "bob", 1)
		w.raise(t, "0", 1)
		require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Waitlist(w.Lane, w.Activity),
			lua.OfferField(stage.SKU, "cid"), "?").Err())
		w.serve(t)
		assert.Equal(t, "offered", w.state(t, "bob"))
		assert.Empty(t, w.redisList(t).Unreadable)
		w.requireAgreed(t)
	})
}

// Redis may have an offer whose entry is gone, so sales are served that have, or had, a list, while they run.
func TestSalesWithoutEntriesAreServedWhileTheyRun(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx, now := t.Context(), time.Now()
		for name, row := range map[string]struct {
			starts, ends time.Time
			within       int
			left         string
		}{
			"the list was ended": {now, now.Add(time.Hour), 0, "1"},
			"just over":          {now, now.Add(-30 * time.Second), 60, "1"},
			"over":               {now, now.Add(-2 * time.Minute), 60, "0"},
			"not started":        {now.Add(time.Minute), now.Add(time.Hour), 60, "0"},
		} {
			w := open(t, stores, one())
			w.Place(t, "ann", 1)
			w.joins(t, "bob", 1)
			w.raise(t, "0", 1)
			w.serve(t)
			require.Equal(t, "offered", w.state(t, "bob"), name)
			require.NoError(t, stores.DB.InTx(ctx, func(tx *sqlx.Tx) error { return waitlist.Erase(ctx, tx, "bob") }))
			_, err := stores.DB.Write.ExecContext(ctx, `UPDATE activities SET starts_ms = ?, ends_ms = ?,
				offer_within_s = ?, needs = 'waitlist' WHERE activity_id = ?`,
				row.starts.UnixMilli(), row.ends.UnixMilli(), row.within, w.Activity)
			require.NoError(t, err)
			w.serve(t)
			assert.Equal(t, row.left, w.Left(t, "0"), name)
		}
	})
}

// Whatever step a crash interrupts, the next run completes it: each offer is told once, and no unit is lost.
func TestACrashLosesNoUnitAndNoPlace(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"waitlist_read", "waitlist_end", "waitlist_offer", "waitlist_told"} {
			for name, between := range map[string]func(w *world){
				"nothing":                func(*world) {},
				"a load":                 func(w *world) { w.LoseActivity(t); w.Load(t) },
				"Redis loses everything": func(w *world) { w.Flush(t); w.Load(t) },
			} {
				w := open(t, stores, one())
				w.Place(t, "ann", 1)
				w.Move(t)
				w.joins(t, "bob", 1)
				w.joins(t, "cid", 1)
				w.raise(t, "0", 1)
				_, err := w.Start(t, stage.CrashAt(step)).Offerer.Serve(t.Context(), w.Activity)
				require.ErrorIs(t, err, stage.ErrCrash)
				between(w)
				w.Balanced(t)
				w.serve(t)
				assert.Equal(t, []string{"offered", "waiting"}, []string{w.state(t, "bob"), w.state(t, "cid")},
					step+name)
				w.requireAgreed(t)
				_, code := w.buys(t, "eve", "0", 1)
				assert.Equal(t, lua.SoldOut, code)
				_, code = w.buys(t, "bob", "0", 1)
				assert.Equal(t, lua.Placed, code)
			}
		}
		users := map[string]int{}
		var rows []string
		require.NoError(t, stores.DB.Write.SelectContext(t.Context(), &rows,
			`SELECT subject FROM events WHERE type = 'waitlist.offered'`))
		for _, entry := range rows {
			users[entry]++
			assert.Equal(t, 1, users[entry], "an offer is told once")
		}
		assert.Len(t, users, 12)
	})
}

func TestTheEndOfTheListGivesOfferedUnitsBack(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for name, ends := range map[string]string{
			"offline":     `UPDATE activities SET state = 'offline' WHERE activity_id = ?`,
			"over":        `UPDATE activities SET ends_ms = 1 WHERE activity_id = ?`,
			"has no list": `UPDATE activities SET offer_within_s = 0 WHERE activity_id = ?`,
		} {
			w := open(t, stores, one())
			w.Place(t, "ann", 1)
			w.Move(t)
			w.joins(t, "bob", 1)
			w.joins(t, "cid", 1)
			w.raise(t, "0", 1)
			w.serve(t)
			require.Equal(t, "offered", w.state(t, "bob"), name)
			_, err := stores.DB.Write.ExecContext(t.Context(), ends, w.Activity)
			require.NoError(t, err)
			w.serve(t)
			assert.Empty(t, w.rows(t), name)
			assert.Equal(t, "1", w.Left(t, "0"), name)
			assert.Empty(t, w.redisList(t).Waits, name)
			w.requireAgreed(t)
		}
	})
}

// Two instances serve the list while buyers join, leave, buy, and return units, all at once.
func TestACrowdGetsNoMoreThanThereIs(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const units = 8
		w := open(t, stores, stage.Sale{Stock: map[string]int64{"0": units}, Limit: 1})
		orders := make([]*order.Order, units)
		for i := range orders {
			orders[i] = w.Place(t, "first"+name(i), 1)
		}
		w.Move(t)
		other := w.Start(t, nil)
		ctx := context.WithoutCancel(t.Context())
		errs := kit.AtOnce(48, func(i int) error {
			switch {
			case i < units:
				return w.Canceller.Cancel(ctx, orders[i].User, orders[i].Number, "")
			case i%8 == 0:
				_, err := other.Offerer.Serve(ctx, w.Activity)
				return err
			case i%8 == 1:
				_, err := w.Offerer.Serve(ctx, w.Activity)
				return err
			}
			v, err := w.join(t, name(i/2), "0", 1) //nolint:contextcheck // it has the context of the test
			if err == nil && i%5 == 0 {
				err = w.list.Leave(ctx, name(i/2), v.EntryID)
			}
			if code := codeOf(err); code == "not_sold_out" || code == "not_found" {
				err = nil
			}
			return err
		})
		for _, err := range errs {
			require.NoError(t, err)
		}
		w.settle(t)
		w.serve(t)
		w.requireAgreed(t)
		rows := w.rows(t)
		kit.AtOnce(len(rows), func(i int) error {
			for range 2 {
				if _, err := w.TryPlace(ctx, w.Order(rows[i].User, "0", 1)); err != nil {
					return err
				}
			}
			return nil
		})
		w.Move(t)
		w.serve(t)
		w.requireAgreed(t)
		bought := map[string]int64{}
		for _, e := range rows {
			bought[e.User] = 0
		}
		assert.LessOrEqual(t, w.Sold(t), int64(units))
	})
}
