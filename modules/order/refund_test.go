package order_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

// The errors name what the order lacks, and nothing is taken.
func TestARefundOfWhatAnOrderDoesNotHaveIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newCards(stores)
		unpaid := w.Place(t, 3)
		n, _ := w.Buy(t, 3)
		card := order.Units{SKU: "card", Quantity: 1}
		for name, refused := range map[string]struct {
			of   order.Number
			part order.Part
			code problem.Code
		}{
			"an unknown order":          {4711, order.Part{}, problem.CodeNotFound},
			"an order that is not paid": {unpaid, order.Part{}, problem.CodeConflict},
			"another sku": {
				n, order.Part{Items: []order.Units{{SKU: "lamp", Quantity: 1}}}, problem.CodeInvalidRequest,
			},
			"a sku twice": {n, order.Part{Items: []order.Units{card, card}}, problem.CodeInvalidRequest},
			"too many units": {
				n, order.Part{Amount: new(int64(1)), Items: stage.Units(4).Items}, order.CodeRefundTooLarge,
			},
			"too much money": {n, order.Part{Amount: new(int64(301)), Force: true}, order.CodeRefundTooLarge},
		} {
			assert.Equal(t, refused.code, problem.CodeOf(w.Refund(t.Context(), refused.of, refused.part)), name)
		}
		require.NoError(t, w.Refund(t.Context(), n, stage.Units(2)))
		o, err := order.Select(t.Context(), stores.DB.Read, n)
		require.NoError(t, err)
		assert.EqualValues(t, 200, o.RefundedAmount, "without an amount, units are refunded at their price")
		two := order.Part{Amount: new(int64(1)), Items: stage.Units(2).Items}
		assert.Equal(t, order.CodeRefundTooLarge, problem.CodeOf(w.Refund(t.Context(), n, two)), "one unit is left")
		require.NoError(t, w.Refund(t.Context(), n, order.Part{}), "the rest")
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(w.Refund(t.Context(), n, order.Part{})), "none is left")
	})
}

func TestFreeVouchersAreRefundedByUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newCards(stores)
		n, _ := w.Buy(t, 2)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE orders SET total_amount = 0, record =
			REPLACE(REPLACE(record, '"price":100', '"price":0'), '"total_amount":200', '"total_amount":0')`)
		require.NoError(t, err)
		for _, want := range []order.Status{order.Paid, order.Refunded} {
			require.NoError(t, w.Refund(t.Context(), n, stage.Units(1)))
			o, err := order.Select(t.Context(), stores.DB.Read, n)
			require.NoError(t, err)
			assert.Equal(t, want, o.Status)
		}
	})
}
