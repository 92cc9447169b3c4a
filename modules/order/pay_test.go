package order_test

import (
	"context"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestAnOrderIsPaidOnceByACrowd(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := context.WithoutCancel(t.Context())
		w := newCards(stores)
		n := w.Place(t, 2)
		won := 0
		for _, paid := range kit.AtOnce(48, func(int) bool {
			paid, err := w.Pay(ctx, n)
			assert.NoError(t, err)
			return paid
		}) {
			if paid {
				won++
			}
		}
		assert.Equal(t, 1, won)
		assert.Equal(t, "active active", w.Statuses(t, n), "each unit has a code")
		events, err := order.SelectLog(ctx, stores.DB.Read, []order.Number{n})
		require.NoError(t, err)
		assert.Len(t, events[n], 1)
	})
}

func TestAnOrderThatIsNotUnpaidIsNotPaid(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, w := stage.Open(t, stores, stage.Sale{}), newCards(stores)
		o := s.Place(t, "ann", 1)
		s.Move(t)
		require.NoError(t, s.Canceller.Cancel(t.Context(), o.User, o.Number, ""))
		paid, err := w.Pay(t.Context(), o.Number)
		require.NoError(t, err)
		assert.False(t, paid)
		assert.Equal(t, order.Cancelled, s.Stored(t)[o.Number])
		s.Balanced(t)
	})
}

func TestLockingOrdersTellsWhichOfThemAreUnpaid(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newCards(stores)
		paid, _ := w.Buy(t, 1)
		first, second := w.Place(t, 1), w.Place(t, 1)
		numbers := []order.Number{first, paid, second, 4711}
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			unpaid, err := order.LockOrders(t.Context(), tx, numbers)
			assert.ElementsMatch(t, []order.Number{first, second}, unpaid)
			return err
		}))
		unpaid, err := order.CountUnpaid(t.Context(), stores.DB.Read, numbers)
		require.NoError(t, err)
		assert.Equal(t, 2, unpaid)
	})
}
