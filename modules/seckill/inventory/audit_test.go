package inventory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

// auditOf returns the audit of the sale, and asserts that its figures add up.
func auditOf(t *testing.T, s *stage.Stage) *inventory.Audit {
	t.Helper()
	audit, err := s.Auditor.Audit(t.Context(), s.Activity)
	require.NoError(t, err)
	ok := true
	for _, it := range audit.Items {
		ok = ok && it.Drift == 0
		assert.Equal(t, it.Remaining+it.Placed+it.Sold+it.Returning-it.Total, it.Drift)
	}
	for _, total := range audit.Totals {
		ok = ok && total.Drift == 0
	}
	ok = ok && audit.BoughtWrong == 0
	assert.Equal(t, ok, audit.OK)
	assert.True(t, audit.Compared)
	return audit
}

func TestAuditAccountsForEveryUnit(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, saleOfTwoPoints())
		fillSale(t, s)
		assert.Equal(t, &inventory.Audit{
			OK: true, Compared: true,
			Items: []inventory.AuditItem{
				{SKU: "sku", Point: "p1", Total: 18, Remaining: 9, Placed: 1, Sold: 6, Returning: 2},
				{SKU: "sku", Point: "p2", Total: 5, Remaining: 2, Placed: 3},
			},
			Totals: []inventory.AuditTotal{{SKU: "sku", Remaining: 11, Points: 11}},
		}, auditOf(t, s))
	})
}

func TestAuditSeesEachKindOfDriftAndRepairEndsIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, saleOfTwoPoints())
		in := fillSale(t, s)
		ctx := t.Context()
		stock, held := stores.Keys.Stock(s.Lane, s.Activity), stores.Keys.Held(s.Lane, s.Activity)
		right := s.Hash(t, stores.Keys.Stock)
		holds := s.Hash(t, stores.Keys.Held)
		add := func(field string, n int64) { require.NoError(t, stores.Redis.HIncrBy(ctx, stock, field, n).Err()) }
		drop := func(o *order.Order) { require.NoError(t, stores.Redis.HDel(ctx, held, o.Number.String()).Err()) }
		for name, tc := range map[string]struct {
			harm  func()
			drift [3]int64 // of p1, of p2, of the total against the points
			after map[string]string
		}{
			"a unit too many at a point":  {func() { add("sku", 1); add("sku~p1", 1) }, [3]int64{1, 0, 0}, right},
			"units lost at a point":       {func() { add("sku", -3); add("sku~p2", -3) }, [3]int64{0, -3, 0}, right},
			"the total alone is too high": {func() { add("sku", 2) }, [3]int64{0, 0, 2}, right},
			"a point alone is too low":    {func() { add("sku~p1", -2) }, [3]int64{-2, 0, 2}, right},
			"one up, the other down": {
				func() { add("sku~p1", -2); add("sku~p2", 2) }, [3]int64{-2, 2, 0}, right,
			},
			"the hold of an unpaid order": {func() { drop(in.unpaid) }, [3]int64{}, right},
			"the hold of a queued order":  {func() { drop(in.queued) }, [3]int64{}, right},
			"the hold of a dead order":    {func() { drop(in.dead) }, [3]int64{}, right},
			"the hold of a paid order": {func() {
				stores.Redis.HSet(ctx, held, in.paid.Number.String(), "sku~p1~2~u")
			}, [3]int64{}, right},
			"the hold of an unknown order": {func() {
				stores.Redis.HSet(ctx, held, "12345", "sku~p1~2~u")
			}, [3]int64{}, right},
		} {
			tc.harm()
			audit := auditOf(t, s)
			drift := [3]int64{audit.Items[0].Drift, audit.Items[1].Drift, audit.Totals[0].Drift}
			assert.Equal(t, tc.drift, drift, name)
			repaired, err := s.Auditor.Repair(ctx, s.Activity)
			require.NoError(t, err)
			assert.True(t, repaired.OK, name)
			assert.Equal(t, tc.after, s.Hash(t, stores.Keys.Stock), name)
			assert.Equal(t, holds, s.Hash(t, stores.Keys.Held), name)
			s.Balanced(t)
		}

		// The hold of a return is what gives its units back; without one they are added at once.
		drop(in.returning)
		audit := auditOf(t, s)
		assert.EqualValues(t, -2, audit.Items[0].Drift)
		_, err := s.Auditor.Repair(ctx, s.Activity)
		require.NoError(t, err)
		_, err = s.Outbox.RunOnce(ctx)
		require.NoError(t, err)
		assert.Equal(t, "11", s.Left(t, "p1"))
		s.Balanced(t)
	})
}

func TestRepairOfACorrectSaleChangesNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, saleOfTwoPoints())
		fillSale(t, s)
		stock, held := s.Hash(t, stores.Keys.Stock), s.Hash(t, stores.Keys.Held)
		before := auditOf(t, s)
		after, err := s.Auditor.Repair(t.Context(), s.Activity)
		require.NoError(t, err)
		assert.Equal(t, before, after)
		assert.Equal(t, stock, s.Hash(t, stores.Keys.Stock))
		assert.Equal(t, held, s.Hash(t, stores.Keys.Held))
	})
}

func TestActivityThatIsNotLoadedIsNotAudited(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		_, err := s.Auditor.Audit(t.Context(), "nope")
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		s.Flush(t)
		_, err = s.Auditor.Audit(t.Context(), s.Activity)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		_, err = s.Auditor.Repair(t.Context(), s.Activity)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		stores.RedisAway(t)
		_, err = s.Auditor.Audit(t.Context(), s.Activity)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
	}, kit.Breakable())
}

// Repairs, audits, buyers, movers, cancels and stock changes all at once, with drift put in: never
// more is sold than there is, and the books are right at the end.
func TestRepairOfARunningSaleKeepsTheCounts(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const rounds = 12
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 2000}, Limit: 1000, Batch: 20})
		ctx := context.WithoutCancel(t.Context())
		var all sync.WaitGroup
		for buyer := range 3 {
			all.Go(func() {
				for range rounds {
					orders := make([]*order.Order, 10)
					for i := range orders {
						orders[i] = s.Order(fmt.Sprintf("buyer%d", buyer), "0", int64(1+i%2))
					}
					results, err := s.TryPlace(ctx, orders...)
					if err != nil {
						t.Error(err)
						return
					}
					for i, r := range results {
						if r.Code == lua.Placed && rand.N(3) == 0 {
							assert.NoError(t, s.Canceller.Cancel(ctx, orders[i].User, orders[i].Number, ""))
						}
					}
				}
			})
		}
		mover := s.Start(t, nil).Mover
		all.Go(func() {
			for range 3 * rounds {
				_, _, err := mover.MoveLane(ctx, s.Lane)
				assert.NoError(t, err)
			}
		})
		all.Go(func() {
			for i := range rounds {
				_, err := s.Changer.Change(ctx, changeOf(s, strconv.Itoa(i), int64(i%5-2)*3|1))
				assert.NoError(t, err)
			}
		})
		all.Go(func() {
			for range rounds {
				audit, err := s.Auditor.Audit(ctx, s.Activity)
				if assert.NoError(t, err) {
					assert.True(t, audit.OK, "%+v", audit)
				}
				audit, err = s.Auditor.Repair(ctx, s.Activity)
				if assert.NoError(t, err) {
					assert.True(t, audit.OK, "%+v", audit)
				}
			}
		})
		all.Wait()
		_, err := s.Outbox.RunOnce(ctx)
		require.NoError(t, err)
		s.Move(t)
		s.Balanced(t)
	})
}
