package pay

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// spacedBank refuses a refund within a minute after another one of the same transaction.
type spacedBank struct {
	*bank
	clock *kit.Clock
	last  time.Time
	tens  bool
}

func (b *spacedBank) RefundSpacing() time.Duration { return time.Minute }

func (b *spacedBank) Refund(ctx context.Context, r *Refund) error {
	if b.clock.Now().Before(b.last.Add(time.Minute)) {
		return errBounce
	}
	b.last = b.clock.Now()
	return b.bank.Refund(ctx, r)
}

func (b *spacedBank) CheckRefund(_ string, amount int64) error {
	if b.tens && amount%10 != 0 {
		return problem.Invalid("amount", "must end in 0")
	}
	return nil
}

func TestRefundsOfOneTransactionAreSentWithTheGatewaysPause(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		fake := kit.NewClock(testNow)
		spaced := &spacedBank{bank: w.bank, clock: fake}
		w.refunder.gateways, w.refunder.now = Gateways{"bank": spaced}, clock.Fixed(fake.Now).Now
		o := w.paidOrder(t)
		for i, amount := range []int64{7, 20, 30} {
			_, err := w.ops.Refund(t.Context(), byGrace, string(rune('a'+i)), o.Number, RefundRequest{Amount: &amount})
			require.NoError(t, err)
		}
		for sent := range 3 {
			for range 4 { // the job runs often
				_, err := w.refunder.RunOnce(t.Context())
				require.NoError(t, err)
			}
			assert.EqualValues(t, sent+1, w.count(t, `SELECT COUNT(*) FROM refunds WHERE status = 'done'`))
			assert.Zero(t, w.count(t, `SELECT SUM(attempts) FROM refunds`), "none was refused")
			fake.Advance(time.Minute)
		}
		w.addsUp(t, "at the end")
	})
}

func TestAnAmountThatTheGatewayNeverRefundsIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		w.ops.gateways = Gateways{"bank": &spacedBank{bank: w.bank, tens: true}}
		o := w.place(t, 0, order.Item{SKU: "lamp", Quantity: 1, Price: 100})
		require.NoError(t, w.pays(t.Context(), w.begin(t, o), "t1", 100))
		_, err := w.ops.Refund(t.Context(), byGrace, "odd", o.Number, RefundRequest{Amount: new(int64(15))})
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
		assert.Zero(t, w.count(t, `SELECT COUNT(*) FROM refunds`))
		assert.Zero(t, w.count(t, `SELECT SUM(refunded_amount) FROM orders`))
		_, err = w.ops.Refund(t.Context(), byGrace, "even", o.Number, RefundRequest{Amount: new(int64(20))})
		require.NoError(t, err)
		_, err = w.ops.Refund(t.Context(), byGrace, "rest", o.Number, RefundRequest{})
		require.NoError(t, err)
	})
}

func TestAPaymentNamesItsGoods(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		first := w.place(t, 0, order.Item{SKU: "lamp", Title: "Lamp", Quantity: 1, Price: 100})
		second := w.place(t, 0, order.Item{SKU: "card", Title: "礼品卡", Quantity: 2, Price: 100},
			order.Item{SKU: "lamp", Title: "Lamp", Quantity: 3, Price: 100})
		p := w.begin(t, first, second)
		for range 2 {
			goods, err := order.GoodsOf(t.Context(), stores.DB.Read, p.numbers())
			require.NoError(t, err)
			assert.Equal(t, "Lamp, 礼品卡 × 2, Lamp × 3", goods)
		}
	})
}
