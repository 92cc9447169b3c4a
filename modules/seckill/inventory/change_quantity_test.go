package inventory_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

// totalTo is a change of the stock to a total, made from a version of the sale.
func totalTo(s *stage.Stage, total, version int64) inventory.StockChange {
	return inventory.StockChange{
		Activity: s.Activity, SKU: stage.SKU, Point: catalogue.DefaultPoint, Quantity: &total, Version: version,
	}
}

func TestOneOfManyTotalsMadeFromAVersionIsSet(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{}) // of 10
		s.Place(t, "u", 2)
		read, err := s.Activities.Get(ctx, s.Activity)
		require.NoError(t, err)
		var set []inventory.StockChange
		for i, r := range kit.AtOnce(48, func(i int) (r struct {
			inventory.StockChange
			err error
		},
		) {
			r.StockChange, r.err = s.Changer.SetStock(ctx, totalTo(s, int64(11+i), read.Revision))
			return r
		}) {
			if r.err == nil {
				assert.EqualValues(t, 1+i, r.Delta)
				set = append(set, r.StockChange)
				continue
			}
			code := problem.CodeOf(r.err)
			assert.Contains(t, []problem.Code{problem.CodeStaleVersion, problem.CodeConflict}, code, "%v", r.err)
		}
		require.Len(t, set, 1)
		assert.Equal(t, inventory.ChangeDone, set[0].State)
		assert.Equal(t, *set[0].Quantity, totalOf(t, s))
		assert.Equal(t, fmt.Sprint(*set[0].Quantity-2), s.Left(t, ""))
		s.Balanced(t)

		same, err := s.Changer.SetStock(ctx, totalTo(s, *set[0].Quantity, 0))
		require.NoError(t, err)
		assert.Zero(t, same.Delta)
		_, err = s.Changer.SetStock(ctx, totalTo(s, *set[0].Quantity, read.Revision))
		assert.Equal(t, problem.CodeStaleVersion, problem.CodeOf(err), "although it would change nothing")
		_, err = s.Changer.SetStock(ctx, totalTo(s, 1, 0))
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "two are ordered")
		lowered, err := s.Changer.SetStock(ctx, totalTo(s, 2, 0))
		require.NoError(t, err)
		assert.Negative(t, lowered.Delta)
		assert.Equal(t, "0", s.Left(t, ""))
		s.Balanced(t)
	})
}

func TestATotalIsNotSetWhileAnotherChangeIsPending(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{}) // of 10
		_, err := s.Start(t, stage.CrashAt("change_begin")).Changer.Change(ctx, changeOf(s, "lower", -3))
		require.ErrorIs(t, err, stage.ErrCrash)
		_, err = s.Changer.SetStock(ctx, totalTo(s, 20, 0))
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		_, err = s.Changer.RunOnce(ctx)
		require.NoError(t, err)
		change, err := s.Changer.SetStock(ctx, totalTo(s, 20, 0))
		require.NoError(t, err)
		assert.EqualValues(t, 13, change.Delta)
		assert.Equal(t, "20", s.Left(t, ""))
		s.Balanced(t)
	})
}

func TestARefusedChangeMayBeTriedAgainWithItsIdempotencyKey(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{}) // of 10
		o := s.Place(t, "u", 8)
		lower := func() error {
			change := changeOf(s, "", -5)
			var err error
			if change.ID, err = s.Changer.NextID(ctx, s.Activity, "operator", "k"); err != nil {
				return err
			}
			_, err = s.Changer.Change(ctx, change)
			return err
		}
		for range 2 {
			assert.Equal(t, problem.CodeConflict, problem.CodeOf(lower()))
		}
		require.NoError(t, s.Canceller.Cancel(ctx, "u", o.Number, ""))
		for range 2 {
			require.NoError(t, lower(), "the units are back; once it is done it stays done")
		}
		assert.EqualValues(t, 5, totalOf(t, s))
		s.Balanced(t)
	})
}
