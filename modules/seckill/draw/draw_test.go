package draw_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/oplog"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/draw"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/waitlist"
	"onrush/test/kit"
	"onrush/test/stage"
)

func two() stage.Sale { return stage.Sale{Stock: map[string]int64{"0": 2}} }

// requireFair checks a result as docs/shop/integrate.md tells everybody to do it; it shares no code with the draw.
func requireFair(t testing.TB, seedHash string, r *result) {
	t.Helper()
	sum := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	require.Equal(t, seedHash, sum(r.Seed), "the seed is that which was promised")
	most := map[string]int64{} // that one behind was drawn for, by point
	for i, e := range slices.Backward(r.Items) {
		require.EqualValues(t, i+1, e.Rank)
		require.True(t, i == 0 || sum(r.Seed+"\n"+r.Items[i-1].EntryID) < sum(r.Seed+"\n"+e.EntryID))
		if e.Drawn {
			most[e.Point] = max(most[e.Point], e.Quantity)
		}
		require.True(t, e.Drawn || e.Left || e.Quantity > most[e.Point], "%+v was passed", e)
	}
}

func TestBuyersAreDrawnByTheSeedThatWasPromised(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, two())
		promised := w.result(t, 100)
		require.Len(t, promised.SeedHash, 64)
		w.many(t, 20)
		w.serve(t) // too early
		assert.Equal(t, draw.Entered, w.view(t, name(3)).State)
		before := w.result(t, 100)
		assert.EqualValues(t, 20, before.Entries)
		assert.Empty(t, before.Seed)
		assert.Empty(t, before.Items, "nobody knows the order")
		assert.Zero(t, before.ClosedAt)
		assert.Empty(t, w.waits(t))

		w.start(t)
		assert.Empty(t, w.result(t, 100).Seed, "until the entries are closed")
		_, code := w.buys(t, name(3), "0", 1)
		assert.Equal(t, lua.SoldOut, code, "nobody buys before the draw")
		w.serve(t)
		result := w.result(t, 7)
		require.Len(t, result.Items, 20)
		requireFair(t, promised.SeedHash, result)
		assert.EqualValues(t, 2, result.Drawn)
		_, err := w.enter(t, "late", "0", 1)
		assert.Equal(t, "draw_closed", codeOf(err))

		ranks := map[int64]string{}
		for i := range 20 {
			v := w.view(t, name(i))
			ranks[v.Rank] = name(i)
			assert.Equal(t, result.Items[v.Rank-1].EntryID, v.EntryID)
			assert.Equal(t, v.Rank <= 2, v.State == draw.Offered, v)
			assert.Equal(t, v.Rank <= 2, result.Items[v.Rank-1].Drawn)
		}
		require.Len(t, ranks, 20)
		for rank, want := range map[int64]lua.PlaceCode{1: lua.Placed, 3: lua.SoldOut} {
			_, code := w.buys(t, ranks[rank], "0", 1)
			assert.Equal(t, want, code, rank)
		}
		w.serve(t)
		assert.Equal(t, draw.Over, w.view(t, ranks[1]).State)

		// Who doesn't buy in time loses the unit to the next.
		w.lapse(t, w.offers(t)[0])
		w.serve(t)
		assert.Equal(t, draw.Over, w.view(t, ranks[2]).State)
		assert.Equal(t, draw.Offered, w.view(t, ranks[3]).State)
		_, code = w.buys(t, ranks[3], "0", 1)
		assert.Equal(t, lua.Placed, code)
		w.Move(t)
		w.Balanced(t)
		w.ahead = 3 * time.Hour
		assert.Equal(t, draw.Lost, w.view(t, ranks[4]).State)
	})
}

func TestUnitsThatNobodyEnteredForAreNotSoldInAnyOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, two())
		w.enters(t, "ann")
		w.start(t)
		w.serve(t)
		for _, again := range []func(){
			func() {},
			func() { w.serve(t) },
			func() { w.Flush(t); w.Load(t) },
			func() { w.LoseActivity(t); w.Load(t) },
		} {
			again()
			_, code := w.buys(t, "bob", "0", 1)
			assert.Equal(t, lua.SoldOut, code)
		}
		_, err := w.list.Join(t.Context(), seckill.Wisher{User: "bob"}, w.Activity, stage.SKU,
			seckill.Choice{Quantity: 1, PickupPoint: "0"})
		assert.Equal(t, "no_waitlist", codeOf(err), "nobody overtakes the draw")
		_, code := w.buys(t, "ann", "0", 1)
		assert.Equal(t, lua.Placed, code)
		w.Balanced(t)
	})
}

func TestABuyerHasOneEntryAndOneLot(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, two()), t.Context()
		ann := w.enters(t, "ann")
		assert.Equal(t, ann, w.enters(t, "ann"))
		assert.NotContains(t, ann.EntryID, "ann")
		require.NoError(t, w.draw.Leave(ctx, "ann", w.Activity, ann.EntryID))
		assert.Equal(t, "not_found", codeOf(w.draw.Leave(ctx, "ann", w.Activity, ann.EntryID)))
		assert.Zero(t, w.result(t, 10).Entries)
		assert.Equal(t, ann.EntryID, w.enters(t, "ann").EntryID, "nobody draws again")
		assert.Equal(t, "not_found", codeOf(w.draw.Leave(ctx, "bob", w.Activity, ann.EntryID)))

		// A household has one entry.
		w.keys = map[string]string{"bob": "home", "cid": "home"}
		w.enters(t, "bob")
		_, err := w.enter(t, "cid", "0", 1)
		assert.Equal(t, "purchase_limit", codeOf(err))
		assert.EqualValues(t, 2, w.result(t, 10).Entries)

		// Another sale has other ids and another seed.
		was := w.result(t, 10).SeedHash
		w.Activity, w.Lane = w.Publish(t)
		assert.NotEqual(t, ann.EntryID, w.enters(t, "ann").EntryID)
		assert.NotEqual(t, was, w.result(t, 10).SeedHash)
	})
}

// A buyer whose limit key has other values later has one entry, and doesn't stop the draw.
func TestABuyerWithTwoDevicesHasOneEntry(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, two())
		ann, err := w.entersWith(t, "ann", "d1")
		require.NoError(t, err)
		again, err := w.entersWith(t, "ann", "d2")
		require.NoError(t, err)
		assert.Equal(t, ann, again)
		_, err = w.entersWith(t, "bob", "d1")
		assert.Equal(t, "purchase_limit", codeOf(err))
		_, err = w.entersWith(t, "bob", "d2")
		require.NoError(t, err, "nobody has entered with it")
		for _, err := range kit.AtOnce(48, func(i int) error {
			_, err := w.entersWith(t, "cid", name(i))
			return err
		}) {
			require.NoError(t, err)
		}
		assert.EqualValues(t, 3, w.result(t, 10).Entries)
		w.start(t)
		w.serve(t)
		assert.Len(t, w.waits(t), 3)
	})
}

// An entry that can't be listed, or can't be listed now, keeps nobody else from being drawn.
func TestWhoIsInTheWaitingListAlreadyStopsNoDraw(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, stage.Sale{Stock: map[string]int64{"0": 2, "1": 2}}), t.Context()
		w.many(t, 6)
		require.NoError(t, stores.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			return waitlist.Insert(ctx, tx, waitlist.Entry{
				Activity: w.Activity, SKU: stage.SKU, User: name(2), ID: "other", Point: "0", Quantity: 1,
				Choice: "{}", JoinedMS: 1, PassedMS: 2, UntilMS: 3,
			})
		}))
		e, err := waitlist.OfUser(ctx, stores.DB.Read, w.Activity, stage.SKU, name(2))
		require.NoError(t, err)
		assert.Equal(t, []int64{1, 2, 3}, []int64{e.JoinedMS, e.PassedMS, e.UntilMS}, "all of it is written")
		for i := 6; i < 8; i++ {
			_, err := w.enter(t, name(i), "1", 1)
			require.NoError(t, err)
		}
		w.start(t)
		_, err = w.Start(t, stage.CrashAt("draw_listed")).Drawer.Serve(ctx, w.Activity)
		require.ErrorIs(t, err, stage.ErrCrash)
		waits := w.waits(t)
		assert.Len(t, waits, 8, "at the other point, too")
		w.serve(t)
		assert.ElementsMatch(t, waits, append(w.waits(t), name(2)))
	})
}

// An instance that read the old start before an operator moved it closes no entries.
func TestEntriesStayOpenIfTheStartIsMovedInTime(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, two()), t.Context()
		ahead := draw.NewDrawer(draw.Deps{DB: stores.DB, Clock: clock.Fixed(time.Now)})
		_, err := ahead.Serve(ctx, w.Activity) // as it does for a sale that had started when it was selected
		require.NoError(t, err)
		w.enters(t, "ann")
		assert.Empty(t, w.result(t, 10).Seed)
		w.start(t)
		_, err = ahead.Serve(ctx, w.Activity)
		require.NoError(t, err)
		assert.NotEmpty(t, w.result(t, 10).Seed)
		assert.Len(t, w.waits(t), 1)
	})
}

func TestARunListsEntriesOnlyWhereThereAreSome(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		stock := map[string]int64{}
		for i := range 20 {
			stock[strconv.Itoa(i)] = 1
		}
		w, ctx := open(t, stores, stage.Sale{Stock: stock}), t.Context()
		w.many(t, 3)
		w.start(t)
		lists := 0
		drawer := draw.NewDrawer(draw.Deps{
			DB: stores.DB, Clock: clock.Fixed(time.Now),
			Faults: func(step string) error {
				if step == "draw_listed" {
					lists++
				}
				return nil
			},
		})
		for range 3 {
			_, err := drawer.Serve(ctx, w.Activity)
			require.NoError(t, err)
		}
		assert.Equal(t, 1, lists, "one transaction, for one of 20 points")
		assert.Len(t, w.waits(t), 3)
	})
}

// Many who are listed already are not read again.
func TestARunReadsOnlyThoseThatItLists(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, stage.Sale{Stock: map[string]int64{"0": 1, "1": 1}}), t.Context()
		require.NoError(t, stores.DB.InTx(ctx, func(tx *sqlx.Tx) error {
			for i := range 5000 {
				const insert = `INSERT INTO draw_entries (activity_id, sku_id, lot, entry_id, user_id, point_id,
					quantity, choice, entered_ms, listed, drawn_ms) VALUES (?, ?, ?, ?, ?, '0', 1, '{}', 1, ?, 0)`
				lot := fmt.Sprintf("%032x", i)
				if _, err := tx.ExecContext(ctx, insert, w.Activity, stage.SKU, lot, lot, lot, 1-i/4990); err != nil {
					return err
				}
			}
			return nil
		}))
		assert.Less(t, kit.RowsRead(t, stores.DB, func(q sqlx.QueryerContext) {
			places, next, err := draw.Unlisted(ctx, q, w.Activity, stage.SKU, "0")
			require.NoError(t, err)
			assert.Equal(t, []int{1, 10}, []int{places, next})
		}), 100)
	})
}

// A run that has listed many entries leaves the others to the next one.
func TestRunsTakeTurnsAmongDrawsAndPoints(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, stage.Sale{Stock: map[string]int64{"0": 1, "1": 1}}), t.Context()
		draws := []string{w.Activity, ""}
		draws[1], _ = w.Publish(t)
		slices.Sort(draws)
		for _, w.Activity = range draws {
			for i := range 4 {
				_, err := w.enter(t, name(i), strconv.Itoa(i%2), 1)
				require.NoError(t, err)
			}
			w.start(t)
		}
		drawer := draw.NewDrawer(draw.Deps{DB: stores.DB, Clock: clock.Fixed(time.Now)})
		drawer.ListPerRun(1)
		var counts []int
		for range 6 {
			_, err := drawer.RunOnce(ctx)
			require.NoError(t, err)
			for _, w.Activity = range draws {
				counts = append(counts, len(w.waits(t)))
			}
		}
		assert.Equal(t, []int{2, 0, 2, 2, 4, 2, 4, 4, 4, 4, 4, 4}, counts)
	})
}

func TestWhoLeavesAfterTheDrawGivesTheUnitsToTheNext(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, two()), t.Context()
		w.many(t, 6)
		w.start(t)
		w.serve(t)
		was := w.result(t, 10)
		offers := w.offers(t)
		require.Len(t, offers, 2)
		require.NoError(t, w.draw.Leave(ctx, offers[0].User, w.Activity, offers[0].Entry))
		// An erasure leaves nothing that names the buyer.
		require.NoError(t, stores.DB.InTx(ctx, func(tx *sqlx.Tx) error { return draw.Erase(ctx, tx, offers[1].User) }))
		w.serve(t)
		now := w.result(t, 10)
		requireFair(t, was.SeedHash, now)
		assert.Equal(t, was.Items[5], now.Items[5], "the order stays")
		assert.EqualValues(t, 4, now.Drawn)
		for _, e := range now.Items {
			assert.Equal(t, e.EntryID == offers[0].Entry || e.EntryID == offers[1].Entry, e.Left)
			assert.Equal(t, "0", e.Point)
		}
		for _, r := range w.rows(t) {
			assert.NotContains(t, []string{offers[0].User, offers[1].User}, r.User)
		}
		for _, o := range w.offers(t) {
			assert.NotContains(t, []string{offers[0].User, offers[1].User}, o.User)
		}
		assert.Len(t, w.offers(t), 2)
		assert.Empty(t, w.view(t, offers[0].User))
		w.Balanced(t)
	})
}

func TestTheSeedIsShownByNothingBeforeTheEntriesAreClosed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, two()), t.Context()
		copied, err := w.Activities.Clone(ctx, w.Activity, 0, 0)
		require.NoError(t, err)
		operator := oplog.NewRecorder(time.Now, rand.Uint32).By(ctx, "olga", "")
		_, err = w.Activities.Publish(operator, copied.ID, 0)
		require.NoError(t, err)
		w.Activity = copied.ID
		w.enters(t, "ann")
		var secret string
		require.NoError(t, stores.DB.Read.GetContext(ctx, &secret, `SELECT secret FROM draws WHERE activity_id = ?`,
			w.Activity))
		keys := stores.KeysLike(t, "*")
		require.NotEmpty(t, keys)
		texts, of := []string{}, 0
		for _, key := range keys {
			texts = append(texts, read(t, stores, key))
			if strings.Contains(key, w.Activity) {
				of++
			}
		}
		assert.GreaterOrEqual(t, of, 3, "of the sale: %v", keys)
		sale, err := w.Activities.Get(ctx, w.Activity)
		require.NoError(t, err)
		texts = append(texts, fmt.Sprintf("%+v %+v %+v", w.result(t, 10), w.view(t, "ann"), sale))
		var log []string
		require.NoError(t, stores.DB.Read.SelectContext(ctx, &log, `SELECT after_value FROM operator_log`))
		promised := w.result(t, 10).SeedHash
		assert.Contains(t, fmt.Sprint(log), promised, "operators can't change what they promised")
		w.start(t)
		w.serve(t)
		seed := w.result(t, 10).Seed
		require.NotEmpty(t, seed)
		for _, text := range slices.Concat(texts, log) {
			assert.NotContains(t, text, secret)
			assert.NotContains(t, text, seed)
		}
	})
}

func TestAClosedDrawIsNotOpenedAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, two()), t.Context()
		w.many(t, 4)
		w.start(t)
		w.serve(t)
		later := time.Now().Add(time.Hour).UnixMilli()
		_, err := w.Activities.Change(ctx, w.Activity, &admin.Change{StartsMS: &later})
		assert.Equal(t, "invalid_request", codeOf(err))
		// Even if an instance whose clock is behind had moved it.
		_, err = stores.DB.Write.ExecContext(ctx, `UPDATE activities SET starts_ms = ? WHERE activity_id = ?`, later,
			w.Activity)
		require.NoError(t, err)
		_, err = w.enter(t, "late", "0", 1)
		assert.Equal(t, "draw_closed", codeOf(err))
		none := int64(0)
		_, err = w.Activities.Change(ctx, w.Activity, &admin.Change{OfferWithinS: &none})
		assert.Equal(t, "invalid_request", codeOf(err), "a draw is made of offers")
		_, err = w.Activities.Change(ctx, w.Activity, &admin.Change{Eligible: &eligible.Settings{Code: true}})
		assert.Equal(t, "invalid_request", codeOf(err), "nobody enters with a code")

		// A copy is another draw, and a draw whose start is over isn't published.
		clone, err := w.Activities.Clone(ctx, w.Activity, later, later+1000)
		require.NoError(t, err)
		assert.Equal(t, seckill.Draw, clone.Mode)
		_, err = stores.DB.Write.ExecContext(ctx, `UPDATE activities SET starts_ms = 1 WHERE activity_id = ?`, clone.ID)
		require.NoError(t, err)
		_, err = w.Activities.Publish(ctx, clone.ID, 0)
		assert.Equal(t, "conflict", codeOf(err))
	})
}

func TestADrawThatWasTakenOfflineKeepsItsSeed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, two()), t.Context()
		w.many(t, 4)
		_, err := w.Activities.Offline(ctx, w.Activity)
		require.NoError(t, err)
		_, err = stores.DB.Write.ExecContext(ctx, `UPDATE activities SET starts_ms = 1 WHERE activity_id = ?`,
			w.Activity)
		require.NoError(t, err)
		w.serve(t)
		assert.Empty(t, w.result(t, 10).Seed)
		_, err = stores.DB.Write.ExecContext(ctx, `UPDATE activities SET retired_ms = 1 WHERE activity_id = ?`,
			w.Activity)
		require.NoError(t, err)
		_, err = w.Drawer.DeleteOld(ctx)
		require.NoError(t, err)
		assert.Empty(t, w.rows(t), "what retired sales had is deleted")
		_, err = draw.NewService(draw.Deps{DB: stores.DB, Clock: clock.Fixed(time.Now)}).Summary(ctx, w.Activity)
		assert.Equal(t, "not_found", codeOf(err))
	})
}

// What the waiting list has of a draw is left by the draw alone, which keeps the order.
func TestTheWaitingListShowsAndEndsNoEntryOfADraw(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, two()), t.Context()
		w.many(t, 3)
		w.start(t)
		w.serve(t)
		for i := range 3 {
			v := w.view(t, name(i))
			list, err := w.list.Mine(ctx, name(i), "")
			require.NoError(t, err)
			assert.Empty(t, list)
			assert.Equal(t, "not_found", codeOf(w.list.Leave(ctx, name(i), v.EntryID)))
			assert.Equal(t, v, w.view(t, name(i)))
		}
		assert.Len(t, w.waits(t), 3)
		assert.Len(t, w.offers(t), 2)
	})
}

// Of a crowd that enters while the entries are closed by two instances, each buyer is in the order or refused.
func TestEntriesAreClosedUnderACrowd(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, two()), t.Context()
		w.start(t)
		other := w.Start(t, nil)
		entered := make([]string, 48)
		for _, err := range kit.AtOnce(48, func(i int) error {
			switch i {
			case 20:
				_, err := w.Drawer.Serve(ctx, w.Activity)
				return err
			case 21:
				_, err := other.Drawer.Serve(ctx, w.Activity)
				return err
			}
			v, err := w.enter(t, name(i/2), "0", 1) //nolint:contextcheck // it has the context of the test
			if err == nil {
				entered[i] = v.EntryID
			}
			if codeOf(err) == "draw_closed" {
				err = nil
			}
			return err
		}) {
			require.NoError(t, err)
		}
		w.serve(t)
		in := map[string]bool{}
		for _, e := range w.result(t, 100).Items {
			in[e.EntryID] = true
		}
		for _, id := range entered {
			assert.True(t, id == "" || in[id], "who has entered takes part")
		}
		assert.Len(t, w.waits(t), len(in), "once")
	})
}

// Whatever step a crash interrupts, the next run completes the same draw.
func TestACrashChangesNoDraw(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"draw_closed", "draw_listed", "waitlist_offer", "waitlist_told"} {
			w, ctx := open(t, stores, two()), t.Context()
			w.many(t, 6)
			w.start(t)
			i := w.Start(t, stage.CrashAt(step))
			_, err := i.Drawer.Serve(ctx, w.Activity)
			if err == nil {
				_, err = i.Offerer.Serve(ctx, w.Activity)
			}
			require.ErrorIs(t, err, stage.ErrCrash, step)
			w.serve(t)
			w.serve(t)
			result := w.result(t, 3)
			requireFair(t, result.SeedHash, result)
			var drawn []bool
			for _, e := range result.Items {
				drawn = append(drawn, e.Drawn)
			}
			assert.Equal(t, []bool{true, true, false, false, false, false}, drawn, step)
			assert.Len(t, w.waits(t), 6)
			assert.Len(t, w.offers(t), 2)
			w.Balanced(t)
		}
	})
}
