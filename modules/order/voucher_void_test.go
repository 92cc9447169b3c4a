package order_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/order/vouchers"
	"onrush/modules/problem"
	"onrush/test/kit"
	"onrush/test/stage"
)

// cards are orders of vouchers, which can be redeemed.
type cards struct {
	*stage.Cards
	*vouchers.Service
}

func newCards(stores *kit.Stores) cards {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return cards{
		stage.NewCards(stores, at), vouchers.NewService(vouchers.Deps{DB: stores.DB, Now: kit.NewClock(at).Now}),
	}
}

func TestRefundedUnitsVoidAsManyUnredeemedCodes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newCards(stores)
		ctx := t.Context()
		n, codes := w.Buy(t, 5)
		_, err := w.Redeem(ctx, "grace", "10.0.0.1", codes[4], "Till 1")
		require.NoError(t, err)
		refused := func(part order.Part) {
			t.Helper()
			err := w.Refund(ctx, n, part)
			assert.Equal(t, order.CodeVoucherRedeemed, problem.CodeOf(err), "%v", err)
		}
		refused(order.Part{})
		refused(order.Part{Amount: new(int64(1))})
		refused(stage.Units(5))
		require.NoError(t, w.Refund(ctx, n, stage.Units(2)))
		assert.Equal(t, "active active void void redeemed", w.Statuses(t, n))
		require.NoError(t, w.Refund(ctx, n, stage.Units(2)))
		refused(stage.Units(1))
		forced := stage.Units(1)
		forced.Force = true
		require.NoError(t, w.Refund(ctx, n, forced))
		assert.Equal(t, "void void void void redeemed", w.Statuses(t, n), "what was redeemed stays so")
		o, err := order.Select(ctx, stores.DB.Read, n)
		require.NoError(t, err)
		assert.Equal(t, order.Refunded, o.Status)
	})
}

func TestAnAmountThatVouchersWereBoughtForNeedsTheirNames(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newCards(stores)
		n, _ := w.Buy(t, 2)
		for _, amount := range []int64{1, 100, 199} {
			err := w.Refund(t.Context(), n, order.Part{Amount: &amount})
			assert.Equal(t, order.CodeVoucherNotNamed, problem.CodeOf(err), "both could be redeemed")
		}
		require.NoError(t, w.Refund(t.Context(), n, order.Part{Amount: new(int64(199)), Force: true}))
		assert.Equal(t, "active active", w.Statuses(t, n))
		require.NoError(t, w.Refund(t.Context(), n, order.Part{}))
		assert.Equal(t, "void void", w.Statuses(t, n))
	})
}

func TestARefundVoidsTheVouchersThatItNames(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newCards(stores)
		ctx := t.Context()
		n, codes := w.Buy(t, 4)
		_, others := w.Buy(t, 1)
		named := func(names ...string) order.Part {
			return order.Part{Items: []order.Units{{SKU: "card", Quantity: int64(len(names)), Vouchers: names}}}
		}
		_, err := w.Redeem(ctx, "grace", "10.0.0.1", codes[3], "Till 1")
		require.NoError(t, err)
		for name, part := range map[string]order.Part{
			"another order's": named(others[0]), "unknown": named("NONE"), "twice": named(codes[0], codes[0]),
			"lower case": named(strings.ToLower(codes[0])), "spaces": named(codes[0] + " "),
			"fewer": {Items: []order.Units{{SKU: "card", Quantity: 2, Vouchers: codes[:1]}}},
		} {
			assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(w.Refund(ctx, n, part)), name)
		}
		assert.Equal(t, order.CodeVoucherRedeemed, problem.CodeOf(w.Refund(ctx, n, named(codes[0], codes[3]))))
		assert.Equal(t, "active active active redeemed", w.Statuses(t, n))
		require.NoError(t, w.Refund(ctx, n, named(codes[0])))
		assert.Equal(t, "void active active redeemed", w.Statuses(t, n), "the first, not the last")
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(w.Refund(ctx, n, named(codes[0]))), "it is void")
		_, err = w.Redeem(ctx, "grace", "10.0.0.1", codes[0], "Till 1")
		assert.Equal(t, vouchers.CodeVoid, problem.CodeOf(err))
		_, err = w.Redeem(ctx, "grace", "10.0.0.1", codes[1], "Till 1")
		require.NoError(t, err, "the others stay redeemable")
	})
}
