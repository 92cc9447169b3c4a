package inventory_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/problem"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

// retire ends the sale and retires it.
func retire(t *testing.T, s *stage.Stage) {
	t.Helper()
	endIn(t, s, -2*time.Hour)
	n, err := retirer(s, nil).RunOnce(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

func TestStockChangeOfARetiredSaleIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		retire(t, s)
		for key, delta := range map[string]int64{"raise": 5, "lower": -2} {
			_, err := s.Changer.Change(t.Context(), changeOf(s, key, delta))
			assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), key)
		}
		assert.EqualValues(t, 10, totalOf(t, s))
		assert.Zero(t, count(t, s, `SELECT COUNT(*) FROM stock_outbox`))
		_, err := s.Changer.RunOnce(t.Context())
		require.NoError(t, err)
	})
}

func TestConcurrentChangesAndRetiringLeaveNothingPending(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		endIn(t, s, -2*time.Hour)
		ctx := context.WithoutCancel(t.Context())
		kit.Crowd(48, func(i int) {
			if i%6 == 0 {
				_, _ = retirer(s, nil).RunOnce(ctx) // it waits while changes are pending
				return
			}
			_, err := s.Changer.Change(ctx, changeOf(s, string(rune('A'+i)), 1))
			if err != nil {
				assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "%v", err)
			}
		})
		require.Eventually(t, func() bool {
			_, err := s.Changer.RunOnce(ctx)
			_, retireErr := retirer(s, nil).RunOnce(ctx)
			return err == nil && retireErr == nil && retiredMS(t, s) != 0 //nolint:contextcheck // the test's own
		}, eventually, tick)
		done := count(t, s, `SELECT COUNT(*) FROM stock_outbox WHERE state = 'done'`)
		assert.Equal(t, 10+done, totalOf(t, s))
		assert.Zero(t, count(t, s, `SELECT COUNT(*) FROM stock_outbox WHERE state = 'pending'`))
	})
}

// leavePending notes a change that an older version took for a retired sale.
func leavePending(t *testing.T, s *stage.Stage, change inventory.StockChange) {
	t.Helper()
	for query, args := range map[string][]any{
		`UPDATE activity_stock SET total = total + ? WHERE activity_id = ? AND point_id = ?`: {
			max(change.Delta, 0), s.Activity, change.Point,
		},
		`INSERT INTO stock_outbox (outbox_id, kind, state, activity_id, sku_id, point_id, quantity, order_number,
			user_id, created_ms)
			VALUES (?, 'change', 'pending', ?, ?, ?, ?, 0, '', 1)`: {
			change.ID, s.Activity, change.SKU, change.Point, change.Delta,
		},
	} {
		_, err := s.Stores.DB.Write.ExecContext(t.Context(), query, args...)
		require.NoError(t, err)
	}
}

func TestJobAbandonsTheChangesOfRetiredSales(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.Place(t, "u", 3)
		s.Move(t)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE orders SET status = 'paid'`)
		require.NoError(t, err)
		retire(t, s)
		leavePending(t, s, changeOf(s, "raise", 5))
		leavePending(t, s, changeOf(s, "lower", -2))
		finished, err := s.Changer.RunOnce(t.Context())
		require.NoError(t, err, "the job doesn't fail")
		assert.Equal(t, 2, finished)
		assert.EqualValues(t, 10, totalOf(t, s))
		assert.EqualValues(t, 2, count(t, s, `SELECT COUNT(*) FROM stock_outbox WHERE state = 'abandoned'`))
		_, err = s.Changer.Change(t.Context(), changeOf(s, "raise", 5))
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "its key belongs to the abandoned change")
		finished, err = s.Changer.RunOnce(t.Context())
		require.NoError(t, err)
		assert.Zero(t, finished)
	})
}

func TestOperatorAbandonsAChangeOfASaleThatRedisLost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.Place(t, "u", 3)
		s.Move(t)
		s.Flush(t)
		for key, delta := range map[string]int64{"raise": 5, "lower": -2} {
			change := changeOf(s, key, delta)
			state, err := s.Changer.Change(t.Context(), change)
			require.NoError(t, err)
			require.Equal(t, inventory.ChangePending, state)
			list, total, err := s.Changer.Pending(t.Context(), s.Activity, api.Page{Page: 1, Size: 10})
			require.NoError(t, err)
			assert.EqualValues(t, 1, total)
			assert.Equal(t, inventory.SaleNotLoaded, list[0].Reason)
			assert.Equal(t, change.ID, list[0].ID)

			states := make([]inventory.ChangeState, 48)
			kit.Crowd(len(states), func(i int) {
				abandoned, err := s.Changer.Abandon(context.WithoutCancel(t.Context()), s.Activity, change.ID)
				assert.NoError(t, err)
				states[i] = abandoned.State
			})
			for _, state := range states {
				assert.Equal(t, inventory.ChangeAbandoned, state)
			}
			assert.EqualValues(t, 10, totalOf(t, s), "a raise is taken back once")
		}
		_, err := s.Changer.Abandon(t.Context(), s.Activity, inventory.ChangeID(s.Activity, "operator", "nothing"))
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		s.Load(t)
		assert.Equal(t, "7", s.Left(t, ""))
		s.Balanced(t)
	})
}

func TestChangeThatRedisAppliedIsCarriedOutAndNotAbandoned(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		crashing := s.Start(t, stage.At("change_stock", func() error { return stage.ErrCrash })).Changer
		for key, delta := range map[string]int64{"raise": 5, "lower": -2} {
			_, _ = crashing.Change(t.Context(), changeOf(s, key, delta))
			ch, err := s.Changer.Abandon(t.Context(), s.Activity, inventory.ChangeID(s.Activity, "operator", key))
			require.NoError(t, err)
			assert.Equal(t, inventory.ChangeDone, ch.State)
		}
		assert.EqualValues(t, 13, totalOf(t, s))
		assert.Equal(t, "13", s.Left(t, ""))
		s.Balanced(t)
	})
}
