package inventory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/stage"
)

func TestAuditJobRepairsUnitsThatAreNowhereOrTwice(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, saleOfTwoPoints())
		fillSale(t, s)
		ctx, stock := t.Context(), stores.Keys.Stock(s.Lane, s.Activity)
		right, holds := s.Hash(t, stores.Keys.Stock), s.Hash(t, stores.Keys.Held)
		require.Equal(t, map[string]string{"sku": "11", "sku~p1": "9", "sku~p2": "2"}, right)
		repaired, err := s.Auditor.RunOnce(ctx)
		require.NoError(t, err)
		assert.Zero(t, repaired, "all is well")
		assert.Equal(t, right, s.Hash(t, stores.Keys.Stock))

		for name, tc := range map[string]struct {
			harm map[string]int64
		}{
			"units too many at a point":    {map[string]int64{"sku": 3, "sku~p1": 3}},
			"a point alone is too high":    {map[string]int64{"sku~p2": 1}},
			"units too many at all points": {map[string]int64{"sku": 3, "sku~p1": 1, "sku~p2": 2}},
			"units lost at a point":        {map[string]int64{"sku": -2, "sku~p2": -2}},
			"the total alone is too low":   {map[string]int64{"sku": -4}},
			"the total alone is too high":  {map[string]int64{"sku": 4}},
			"one point up, the other down": {map[string]int64{"sku~p1": -2, "sku~p2": 2}},
		} {
			for field, n := range tc.harm {
				require.NoError(t, stores.Redis.HIncrBy(ctx, stock, field, n).Err())
			}
			for again := range 2 {
				repaired, err := s.Auditor.RunOnce(ctx)
				require.NoError(t, err, name)
				assert.Equal(t, 1-again, repaired, name)
				require.Equal(t, right, s.Hash(t, stores.Keys.Stock), name)
			}
			require.Equal(t, holds, s.Hash(t, stores.Keys.Held), name)
		}
	})
}

func TestAuditJobContinuesAfterAnActivityThatIsNotLoaded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.LoseActivity(t)
		other, lane := s.Publish(t)
		require.NoError(t, stores.Redis.HIncrBy(t.Context(), stores.Keys.Stock(lane, other), "sku~0", 5).Err())
		repaired, err := s.Auditor.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, repaired)
		audit, err := s.Auditor.Audit(t.Context(), other)
		require.NoError(t, err)
		assert.True(t, audit.OK, "%+v", audit)
	})
}

func TestRepairKeepsTheTokensOfPaidOrdersThatAreNotConfirmedYet(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		for name, repair := range map[string]func(s *stage.Stage) error{
			"an operator's": func(s *stage.Stage) error {
				_, err := s.Auditor.Repair(t.Context(), s.Activity)
				return err
			},
			"the job's": func(s *stage.Stage) error {
				_, err := s.Auditor.RunOnce(t.Context())
				require.ErrorContains(t, err, "1 holds are stale", "an order that nobody knows: an operator decides")
				held := s.Hash(t, stores.Keys.Held)
				assert.Contains(t, held, "12345")
				return stores.Redis.HDel(t.Context(), stores.Keys.Held(s.Lane, s.Activity), "12345").Err()
			},
		} {
			s := stage.Open(t, stores, stage.Sale{})
			paid, unpaid := s.Place(t, "ann", 3), s.Place(t, "bob", 1)
			s.Move(t)
			pay(t, s, paid)
			stock := stores.Keys.Stock(s.Lane, s.Activity)
			require.NoError(t, stores.Redis.HIncrBy(t.Context(), stock, "sku~0", 2).Err()) // what makes the job repair
			require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Held(s.Lane, s.Activity), "12345",
				"sku~0~2~u").Err())
			require.NoError(t, repair(s), name)
			held := s.Hash(t, stores.Keys.Held)
			assert.Len(t, held, 2, "a hold without an order is dropped: %s", name)
			assert.Contains(t, held, paid.Number.String(), name)
			assert.Contains(t, held, unpaid.Number.String(), name)

			settle(t, s)
			requireConfirmed(t, s, paid, unpaid)
			assert.Equal(t, "6", s.Left(t, ""), name)
			_, err := stores.DB.Write.ExecContext(t.Context(),
				`UPDATE activities SET retired_ms = 1 WHERE activity_id = ?`, s.Activity)
			require.NoError(t, err) // the job leaves it alone from now on
		}
	})
}
