package holds_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/needs"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/seckill/holds"
	"onrush/modules/seckill/waitlist"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestUnitsOfADeskAreForNobody(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, stage.Sale{}), t.Context()
		desk := w.makes(t, 3, "")
		assert.Equal(t, []string{"", "olga", "stand"}, []string{desk.User, desk.MadeBy, desk.Note})
		assert.Zero(t, desk.Until)
		assert.Equal(t, "7", w.Left(t, "0"))
		w.serve(t)
		assert.Equal(t, []holds.View{desk}, w.list(t))
		assert.Empty(t, w.events(t))
		w.requireAgreed(t)

		for _, user := range []string{"ann", "./" + desk.ID} {
			assert.Equal(t, lua.SoldOut, w.buys(t, user, 8), user)
		}
		assert.Equal(t, lua.Placed, w.buys(t, "ann", 7))
		_, err := w.make(t, 1, "")
		require.ErrorContains(t, err, "0 are left at this stock point")
		assert.Equal(t, "conflict", codeOf(err))
		assert.Equal(t, []holds.View{desk}, w.list(t), "a refused one leaves nothing")

		require.NoError(t, w.holds.Release(ctx, w.Activity, desk.ID))
		assert.Equal(t, "not_found", codeOf(w.holds.Release(ctx, w.Activity, desk.ID)))
		assert.Equal(t, "3", w.Left(t, "0"))
		assert.Empty(t, w.list(t))
		w.requireAgreed(t)
	})
}

func TestANamedBuyerTakesTheUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, stage.Sale{}), t.Context()
		bob, desk := w.makes(t, 4, "bob"), w.makes(t, 6, "")
		assert.Equal(t, []string{"bob"}, w.events(t))
		_, err := w.make(t, 1, "bob")
		require.ErrorContains(t, err, "waits for units of this sku already")
		assert.Equal(t, lua.SoldOut, w.buys(t, "ann", 1))
		assert.Equal(t, lua.Placed, w.buys(t, "bob", 3))
		assert.Equal(t, "1", w.Left(t, "0"), "the fourth is for anybody")
		assert.Equal(t, "conflict", codeOf(w.holds.Release(ctx, w.Activity, bob.ID)), "it was taken")
		w.serve(t)
		assert.Equal(t, "not_found", codeOf(w.holds.Release(ctx, w.Activity, bob.ID)))

		named, err := w.holds.Name(ctx, w.Activity, desk.ID, "cid")
		require.NoError(t, err)
		assert.Equal(t, "cid", named.User)
		again, err := w.holds.Name(ctx, w.Activity, desk.ID, "cid")
		require.NoError(t, err)
		assert.Equal(t, named, again)
		_, err = w.holds.Name(ctx, w.Activity, desk.ID, "dan")
		require.ErrorContains(t, err, "for another buyer")
		assert.Equal(t, []string{"bob", "cid"}, w.events(t))
		w.requireAgreed(t)
		assert.Equal(t, lua.Placed, w.buys(t, "cid", 6))
		w.Move(t)
		w.serve(t)
		assert.Empty(t, w.list(t))
		w.requireAgreed(t)
	})
}

func TestAHoldBecomesOneOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, stage.Sale{Limit: 5}), t.Context()
		desk, other := w.makes(t, 3, ""), w.makes(t, 7, "")
		body := func(quantity int64) *seckill.Submit {
			return &seckill.Submit{Choice: seckill.Choice{Quantity: quantity}}
		}
		_, err := w.holds.Order(ctx, w.Activity, desk.ID, "", body(0))
		require.ErrorContains(t, err, "user_id: is required")
		_, err = w.holds.Order(ctx, w.Activity, desk.ID, "bob", body(4))
		require.ErrorContains(t, err, "more than is set aside: 3")
		done, err := w.holds.Order(ctx, w.Activity, desk.ID, "bob", body(0))
		require.NoError(t, err)
		w.Move(t)
		assert.Equal(t, map[order.Number]order.Status{done.Order: order.Unpaid}, w.Stored(t))
		assert.EqualValues(t, 3, w.Sold(t))
		again, err := w.holds.Order(ctx, w.Activity, desk.ID, "bob", body(0))
		require.NoError(t, err)
		assert.Equal(t, done, again)

		_, err = w.holds.Order(ctx, w.Activity, other.ID, "cid", body(6))
		assert.Equal(t, "purchase_limit", codeOf(err))
		assert.Equal(t, []holds.View{other}, w.list(t), "it stays as it was")
		w.requireAgreed(t)
		_, err = w.holds.Name(ctx, w.Activity, other.ID, "dan")
		require.NoError(t, err)
		_, err = w.holds.Order(ctx, w.Activity, other.ID, "cid", body(5))
		require.ErrorContains(t, err, "for another buyer")
		_, err = w.holds.Order(ctx, w.Activity, other.ID, "", body(6))
		assert.Equal(t, "purchase_limit", codeOf(err))
		_, err = w.holds.Order(ctx, w.Activity, other.ID, "", body(5))
		require.NoError(t, err)
		assert.Equal(t, "2", w.Left(t, "0"))
		w.Move(t)
		w.requireAgreed(t)
	})
}

// The buyer may take the units just before an operator makes an order of them.
func TestAnOrderOfAHoldTakesNoOtherUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, stage.Sale{})
		bob := w.makes(t, 5, "bob")
		w.before = func() { assert.Equal(t, lua.Placed, w.buys(t, "bob", 5)) }
		_, err := w.holds.Order(t.Context(), w.Activity, bob.ID, "", &seckill.Submit{})
		require.ErrorContains(t, err, "were taken")
		assert.Equal(t, "conflict", codeOf(err))
		assert.Equal(t, "5", w.Left(t, "0"))
		w.Move(t)
		w.serve(t)
		w.requireAgreed(t)
	})
}

// The answer to an order may be lost, and the units are taken by then.
func TestARepeatedOrderOfAHoldFindsItsOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for user, again := range map[string]string{"": "bob", "bob": ""} {
			w := open(t, stores, stage.Sale{Limit: 3})
			hold := w.makes(t, 3, user)
			body := func() *seckill.Submit { return &seckill.Submit{} }
			lost := w.service(stage.CrashAt("hold_placed"))
			_, err := lost.Order(t.Context(), w.Activity, hold.ID, "bob", body())
			require.ErrorIs(t, err, stage.ErrCrash)
			_, err = w.holds.Order(t.Context(), w.Activity, hold.ID, "cid", body())
			require.ErrorContains(t, err, "for another buyer")
			done, err := w.holds.Order(t.Context(), w.Activity, hold.ID, again, body())
			require.NoError(t, err)
			w.Move(t)
			assert.Equal(t, map[order.Number]order.Status{done.Order: order.Unpaid}, w.Stored(t))
			assert.Empty(t, w.list(t))
			w.requireAgreed(t)
		}
	})
}

// The job may delete a hold that was ordered before its request is repeated.
func TestARepeatedOrderOfAHoldThatIsGoneFindsItsOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, stage.Sale{})
		hold, released := w.makes(t, 3, ""), w.makes(t, 1, "")
		_, err := w.service(stage.CrashAt("hold_placed")).
			Order(t.Context(), w.Activity, hold.ID, "bob", &seckill.Submit{})
		require.ErrorIs(t, err, stage.ErrCrash)
		require.NoError(t, w.holds.Release(t.Context(), w.Activity, released.ID))
		w.serve(t)
		require.Empty(t, w.list(t))
		done, err := w.holds.Order(t.Context(), w.Activity, hold.ID, "bob", &seckill.Submit{})
		require.NoError(t, err)
		w.Move(t)
		assert.Equal(t, map[order.Number]order.Status{done.Order: order.Unpaid}, w.Stored(t))
		again, err := w.holds.Order(t.Context(), w.Activity, hold.ID, "bob", &seckill.Submit{})
		require.NoError(t, err, "SQL has the order")
		assert.Equal(t, done, again)
		for id, user := range map[string]string{hold.ID: "ann", released.ID: "bob", "none": "bob"} {
			_, err = w.holds.Order(t.Context(), w.Activity, id, user, &seckill.Submit{})
			assert.Equal(t, "not_found", codeOf(err), "%s for %s: %v", id, user, err)
		}
		w.requireAgreed(t)
	})
}

func TestOperatorsWhoOrderAHoldAtOnceMakeOneOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, stage.Sale{})
		hold := w.makes(t, 5, "bob")
		ctx := context.WithoutCancel(t.Context())
		for _, err := range kit.AtOnce(48, func(int) error {
			_, err := w.holds.Order(ctx, w.Activity, hold.ID, "", &seckill.Submit{})
			return err
		}) {
			if err != nil {
				assert.Contains(t, []string{"not_found", "conflict"}, codeOf(err), "%v", err)
			}
		}
		w.Move(t)
		assert.Len(t, w.Stored(t), 1)
		assert.Equal(t, "5", w.Left(t, "0"))
		assert.Empty(t, w.list(t))
		w.requireAgreed(t)
	})
}

// The buyer may take the units just before an operator releases them.
func TestUnitsThatWereTakenAreNotReleased(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), stage.Sale{})
	hold := w.makes(t, 5, "bob")
	taken := w.service(stage.At("hold_released", func() error {
		assert.Equal(t, lua.Placed, w.buys(t, "bob", 5))
		return nil
	}))
	err := taken.Release(t.Context(), w.Activity, hold.ID)
	require.ErrorContains(t, err, "were taken")
	assert.Equal(t, "5", w.Left(t, "0"))
	w.requireAgreed(t)
}

// A sale that needs holds is not sold by older builds any more.
func TestARefusedHoldChangesNoSale(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), stage.Sale{})
	before := w.Version
	_, err := w.holds.Make(t.Context(), "olga", w.Activity, holds.Wanted{SKU: "other", Point: "0", Quantity: 1})
	assert.Equal(t, "invalid_request", codeOf(err))
	assert.False(t, w.Know(t).Needs.Has(needs.Holds))
	assert.Equal(t, before, w.Version)
}

func TestUnitsOfADrawAreNotSetAside(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), stage.Sale{Mode: seckill.Draw, OfferWithinS: 60})
	_, err := w.make(t, 1, "bob")
	require.ErrorContains(t, err, "for those who are drawn")
	assert.Equal(t, "conflict", codeOf(err))
	assert.Empty(t, w.list(t))
}

func TestASaleThatCountsByAClaimHasNoOrderOfAnOperator(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), stage.Sale{LimitKey: func(user string) string { return user }})
	desk := w.makes(t, 1, "")
	_, err := w.holds.Order(t.Context(), w.Activity, desk.ID, "bob", &seckill.Submit{})
	require.ErrorContains(t, err, "counts by a claim")
	assert.Empty(t, w.list(t)[0].User)
}

func TestWhatCantBeSetAside(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		later := time.Now().Add(time.Hour / 2).UnixMilli()
		w, ctx := open(t, stores, stage.Sale{Waves: []lua.Wave{{Point: "0", AtMS: later, Quantity: 6}}}), t.Context()
		valid := holds.Wanted{SKU: stage.SKU, Point: "0", Quantity: 1}
		for field, change := range map[string]func(*holds.Wanted){
			"sku_id":   func(h *holds.Wanted) { h.SKU = "other" },
			"point_id": func(h *holds.Wanted) { h.Point = "9" },
			"until":    func(h *holds.Wanted) { h.UntilMS = 1 },
		} {
			want := valid
			change(&want)
			_, err := w.holds.Make(ctx, "olga", w.Activity, want)
			require.ErrorContains(t, err, field+": ")
		}
		_, err := w.make(t, 1_000_000_000, "")
		require.ErrorContains(t, err, "4 are left")
		_, err = w.make(t, 5, "")
		require.ErrorContains(t, err, "4 are left", "six are of a wave that opens later")
		_, err = w.holds.Make(ctx, "olga", "none", valid)
		assert.Equal(t, "not_found", codeOf(err))

		w.change(t, `UPDATE activities SET ends_ms = 1 WHERE activity_id = ?`, w.Activity)
		_, err = w.make(t, 1, "")
		require.ErrorContains(t, err, "has ended")
	})
}

func TestASaleHasAtMostMaxHolds(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), stage.Sale{})
	require.NoError(t, w.Stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
		for i := range holds.MaxHolds {
			id := fmt.Sprint("h", i)
			if err := waitlist.Insert(t.Context(), tx, waitlist.Entry{
				Activity: w.Activity, SKU: stage.SKU, User: waitlist.Desk(id), ID: id, Point: "0", Quantity: 1,
				Choice: "{}", UntilMS: lua.NoEnd, HeldBy: "olga",
			}); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err := w.make(t, 1, "")
	require.ErrorContains(t, err, "has 500 holds")
	w.change(t, `UPDATE waitlist SET until_ms = -until_ms WHERE entry_id = 'h0'`)
	w.holds.NewID = func() string { return "h0" }
	assert.Equal(t, "h0", w.makes(t, 1, "").ID, "a request that is repeated doesn't count itself")
}

// An instance of an older build would let nobody take the units, so it must not run beside.
func TestNoUnitsAreSetAsideBesideAnOlderBuild(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), stage.Sale{})
	before := w.Version
	*w.Fleet = stage.Builds{{Instance: "old", Version: "1.0", Abilities: []string{needs.Waitlist}}}
	_, err := w.make(t, 1, "")
	require.ErrorContains(t, err, "can't sell with holds")
	assert.Equal(t, before, w.Version)
	*w.Fleet = nil
	w.makes(t, 1, "")
	first := w.Version
	assert.Greater(t, first, before, "an older build that starts later is behind")
	w.makes(t, 1, "")
	assert.Equal(t, first, w.Version, "the sale is changed once")
}

func TestHoldsSurviveALostRedisAndEndWithTheSale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, ends := range []string{
			`UPDATE activities SET state = 'offline' WHERE activity_id = ?`,
			`UPDATE activities SET ends_ms = 1 WHERE activity_id = ?`,
		} {
			w := open(t, stores, stage.Sale{OfferWithinS: 60})
			desk, bob := w.makes(t, 2, ""), w.makes(t, 3, "bob")
			w.Flush(t)
			w.Load(t)
			assert.Equal(t, "5", w.Left(t, "0"))
			w.serve(t)
			assert.ElementsMatch(t, []holds.View{desk, bob}, w.list(t))
			w.requireAgreed(t)

			w.change(t, `UPDATE activities SET offer_within_s = 0 WHERE activity_id = ?`, w.Activity)
			w.serve(t)
			assert.Len(t, w.list(t), 2, "holds don't need a waiting list")
			w.requireAgreed(t)
			w.change(t, ends, w.Activity)
			w.serve(t)
			assert.Empty(t, w.list(t))
			assert.Equal(t, "10", w.Left(t, "0"))
			w.requireAgreed(t)
		}
	})
}

// Buyers with early access may buy before the start.
func TestUnitsOfAnErasedBuyerComeBackBeforeTheStart(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, stage.Sale{})
		w.makes(t, 3, "bob")
		w.change(t, `UPDATE activities SET starts_ms = ? WHERE activity_id = ?`,
			time.Now().Add(30*time.Minute).UnixMilli(), w.Activity)
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return waitlist.Erase(t.Context(), tx, "bob")
		}))
		w.serve(t)
		assert.Equal(t, "10", w.Left(t, "0"))
		w.requireAgreed(t)
	})
}

// An instance that goes on beside a newer build leaves its sales alone.
func TestTheOffererLeavesASaleThatNeedsMoreAlone(t *testing.T) {
	t.Parallel()
	w := open(t, kit.OnEmbedded(t), stage.Sale{OfferWithinS: 60})
	desk := w.makes(t, 2, "")
	w.change(t, `UPDATE activities SET offer_within_s = 0, ends_ms = 1, needs = 'holds later' WHERE activity_id = ?`,
		w.Activity)
	w.serve(t)
	assert.Equal(t, []holds.View{desk}, w.list(t))
	w.change(t, `UPDATE activities SET needs = 'holds' WHERE activity_id = ?`, w.Activity)
	w.serve(t)
	assert.Empty(t, w.list(t))
}

func TestAHoldEndsAtItsTimeAlsoInAPause(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, stage.Sale{}), t.Context()
		_, err := w.Activities.Pause(ctx, w.Activity)
		require.NoError(t, err)
		until := time.Now().Add(time.Minute).UnixMilli()
		v, err := w.holds.Make(ctx, "olga", w.Activity, holds.Wanted{
			SKU: stage.SKU, Point: "0", Quantity: 1, UntilMS: until,
		})
		require.NoError(t, err)
		assert.EqualValues(t, until, v.Until)
		w.serve(t)
		assert.Len(t, w.list(t), 1)
		e := lua.Offer{Point: "0", Quantity: 1, UntilMS: 1, Entry: v.ID}
		require.NoError(t, stores.Redis.HSet(ctx, stores.Keys.Waitlist(w.Lane, w.Activity),
			lua.OfferField(stage.SKU, waitlist.Desk(v.ID)), e.String()).Err())
		w.serve(t)
		assert.Empty(t, w.list(t))
		assert.Equal(t, "10", w.Left(t, "0"))
		w.requireAgreed(t)
	})
}

// Whatever step a crash interrupts, the hold is there as a whole or not at all, and no unit is lost.
func TestACrashLosesNoUnit(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{
			"hold_begin", "hold_taken", "hold_made", "hold_named", "hold_released", "hold_placed",
		} {
			for name, between := range map[string]func(w *world){
				"nothing":                func(*world) {},
				"Redis loses everything": func(w *world) { w.Move(t); w.Flush(t); w.Load(t) },
			} {
				w, ctx := open(t, stores, stage.Sale{}), context.WithoutCancel(t.Context())
				desk := w.makes(t, 2, "")
				made := w.holds
				w.holds = w.service(stage.CrashAt(step))
				_, err := w.make(t, 3, "ann")
				if err == nil {
					_, err = w.holds.Name(ctx, w.Activity, desk.ID, "bob")
				}
				if err == nil {
					_, err = w.holds.Order(ctx, w.Activity, desk.ID, "bob", &seckill.Submit{})
				}
				if err == nil {
					err = w.holds.Release(ctx, w.Activity, desk.ID)
				}
				if step == "hold_released" { // the order was made
					other := w.makes(t, 1, "")
					err = w.holds.Release(ctx, w.Activity, other.ID)
				}
				require.ErrorIs(t, err, stage.ErrCrash, step)
				between(w)
				w.Balanced(t)
				w.serve(t)
				w.Balanced(t)
				w.change(t, `UPDATE waitlist SET joined_ms = joined_ms - 130000 WHERE until_ms < 0`)
				w.serve(t)
				w.serve(t)
				w.requireAgreed(t)
				w.holds = made
				want := map[string]int{"hold_made": 2, "hold_named": 2}
				for _, s := range []string{"hold_begin", "hold_taken", "hold_placed", "hold_released"} {
					want[s] = 1
				}
				if step == "hold_placed" && name != "nothing" {
					want[step] = 2 // the load gives the units that were taken back to the hold
				}
				assert.Len(t, w.list(t), want[step], "%s, %s: %+v", step, name, w.list(t))
			}
		}
	})
}

// The job and a load may come between any two steps of a request.
func TestWhatComesBetweenTheStepsLosesNoUnit(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for _, step := range []string{"hold_begin", "hold_taken"} {
			w := open(t, stores, stage.Sale{})
			w.makes(t, 1, "first") // the sale knows holds
			w.holds = w.service(stage.At(step, func() error { w.serve(t); return nil }))
			w.makes(t, 2, "")
			w.serve(t)
			assert.Len(t, w.list(t), 2, step)
			w.requireAgreed(t)

			w.holds = w.service(stage.At(step, func() error {
				w.LoseActivity(t)
				w.Load(t)
				return nil
			}))
			_, err := w.make(t, 2, "bob")
			assert.Equal(t, "unavailable", codeOf(err), step)
			w.requireAgreed(t)
			w.holds = w.service(nil)
			w.makes(t, 2, "bob")
			w.serve(t)
			w.requireAgreed(t)
			assert.Equal(t, []string{"5", "[bob first]"}, []string{w.Left(t, "0"), fmt.Sprint(w.namedUsers(t))})
		}
	})
}

// While Redis doesn't know the buyer yet, nobody has the units, and then the Offerer tells it.
func TestTheOffererTellsRedisTheBuyer(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, ctx := open(t, stores, stage.Sale{}), t.Context()
		desk := w.makes(t, 10, "")
		_, err := w.service(stage.CrashAt("hold_named")).Name(ctx, w.Activity, desk.ID, "bob")
		require.ErrorIs(t, err, stage.ErrCrash)
		assert.Equal(t, lua.SoldOut, w.buys(t, "bob", 10))
		w.serve(t)
		w.requireAgreed(t)
		assert.Equal(t, lua.Placed, w.buys(t, "bob", 10))
	})
}

// The job reads SQL, and then Redis; between these a hold may be made or named.
func TestTheOffererKeepsUnitsOfAHoldThatWasJustNamed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, stage.Sale{})
		ctx := context.WithoutCancel(t.Context())
		desk := w.makes(t, 4, "")
		var fresh holds.View
		offerer := w.Start(t, stage.At("waitlist_read", func() error {
			_, err := w.holds.Name(ctx, w.Activity, desk.ID, "bob")
			require.NoError(t, err)
			fresh = w.makes(t, 3, "") //nolint:contextcheck // the test's own is used
			_, err = w.service(stage.CrashAt("hold_named")).Name(ctx, w.Activity, fresh.ID, "cid")
			require.ErrorIs(t, err, stage.ErrCrash)
			return nil
		})).Offerer
		_, err := offerer.RunOnce(ctx)
		require.NoError(t, err)
		w.requireAgreed(t)
		assert.Equal(t, lua.Placed, w.buys(t, "bob", 4))
		assert.Equal(t, lua.Placed, w.buys(t, "cid", 3))
		assert.Equal(t, "3", w.Left(t, "0"))
	})
}

func TestManyOperatorsAtOnceSetAsideWhatThereIs(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, stage.Sale{})
		ctx := context.WithoutCancel(t.Context())
		var made, bought atomic.Int64
		w.makes(t, 1, "first") // so that all orders know the version
		errs := kit.AtOnce(48, func(i int) error {
			if i%4 == 0 {
				results, err := w.TryPlace(ctx, w.Order(fmt.Sprint("buyer", i), "0", 1))
				if err == nil && results[0].Code == lua.Placed {
					bought.Add(1)
				}
				return err
			}
			v, err := w.holds.Make(ctx, "olga", w.Activity, holds.Wanted{SKU: stage.SKU, Point: "0", Quantity: 1})
			switch {
			case err == nil && i%5 == 0:
				return w.holds.Release(ctx, w.Activity, v.ID)
			case err == nil && i%5 == 1:
				bought.Add(1)
				_, err = w.holds.Order(ctx, w.Activity, v.ID, fmt.Sprint("named", i), &seckill.Submit{})
			case err == nil:
				made.Add(1)
			case codeOf(err) == "conflict":
				err = nil
			}
			return err
		})
		for _, err := range errs {
			require.NoError(t, err)
		}
		w.serve(t)
		assert.LessOrEqual(t, made.Load()+bought.Load(), int64(9))
		assert.Len(t, w.list(t), 1+int(made.Load()))
		w.requireAgreed(t)
		w.Move(t)
		w.requireAgreed(t)
	})
}

func TestTheLogSaysWhoSetUnitsAside(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := open(t, stores, stage.Sale{})
		w.makes(t, 1, "") // the first changes the sale
		var calls atomic.Uint32
		ctx := oplog.NewRecorder(time.Now, func() uint32 { return calls.Add(1) }).By(t.Context(), "olga", "192.0.2.1")
		v, err := w.holds.Make(ctx, "olga", w.Activity, holds.Wanted{SKU: stage.SKU, Point: "0", Quantity: 2})
		require.NoError(t, err)
		_, err = w.holds.Name(ctx, w.Activity, v.ID, "bob")
		require.NoError(t, err)
		require.NoError(t, w.holds.Release(ctx, w.Activity, v.ID))
		var actions []string
		require.NoError(t, stores.DB.Write.SelectContext(ctx, &actions,
			`SELECT action FROM operator_log WHERE actor = 'olga' ORDER BY change_id`))
		assert.ElementsMatch(t,
			[]string{"activity.units_held", "activity.hold_named", "activity.hold_released"}, actions)
	})
}
