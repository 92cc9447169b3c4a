package pay

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// crowd is how many requests run at once.
const crowd = 48

var byGrace = Operator{Name: "grace", ClientIP: "10.0.0.2"}

func TestACrowdOfRefundsOfOneOrderTakesExactlyItsTotal(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		ctx := context.WithoutCancel(t.Context())
		for range 3 {
			o := w.paidOrder(t) // 3077, of it 20 lamps
			var accepted, refused atomic.Int64
			refund := func(key string, req RefundRequest) {
				_, err := w.ops.Refund(ctx, byGrace, key, o.Number, req)
				switch problem.CodeOf(err) {
				case problem.Code{}:
					if err != nil {
						t.Error(err)
					}
					accepted.Add(1)
				case order.CodeRefundTooLarge, problem.CodeConflict:
					refused.Add(1)
				default:
					assert.NoError(t, err)
				}
			}
			kit.Crowd(crowd, func(i int) {
				req := RefundRequest{Amount: new(int64(90)), Items: []order.Units{{SKU: "card", Quantity: 1}}}
				if i%2 == 0 {
					req = RefundRequest{Items: []order.Units{{SKU: "lamp", Quantity: 1}}}
				}
				refund(o.Number.String()+"-"+strconv.Itoa(i), req)
			})
			assert.EqualValues(t, 20+10, accepted.Load(), "what fits is taken")
			assert.EqualValues(t, 4+14, refused.Load(), "48 are more than the order has")
			kit.Crowd(crowd, func(i int) { refund(o.Number.String()+"-rest-"+strconv.Itoa(i), RefundRequest{}) })
			w.settle(t)
			w.addsUp(t, "order "+o.Number.String())
			stored, err := order.Select(ctx, stores.DB.Read, o.Number)
			require.NoError(t, err)
			assert.Equal(t, order.Refunded, stored.Status)
			assert.EqualValues(t, 3077, stored.RefundedAmount)
		}
	})
}

func TestTheSameKeyRefundsOnceHoweverOftenItIsSentAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		ctx := context.WithoutCancel(t.Context())
		for round, req := range []RefundRequest{{}, {Amount: new(int64(100))}} {
			o, key := w.paidOrder(t), "key-"+strconv.Itoa(round)
			var numbers [crowd]order.Number
			kit.Crowd(crowd, func(i int) {
				r, err := w.ops.Refund(ctx, byGrace, key, o.Number, req)
				if assert.NoError(t, err) {
					numbers[i] = r.Number
				}
			})
			for _, n := range numbers {
				assert.Equal(t, numbers[0], n)
			}
			_, err := w.ops.Refund(ctx, byGrace, key, o.Number, RefundRequest{Amount: new(int64(101))})
			assert.Equal(t, problem.CodeIdempotencyKeyReused, problem.CodeOf(err))
			_, err = w.ops.Refund(ctx, byGrace, key, w.paidOrder(t).Number, req)
			assert.Equal(t, problem.CodeIdempotencyKeyReused, problem.CodeOf(err), "the key is of the other order")
			_, err = w.ops.Refund(ctx, Operator{Name: "linus"}, key, o.Number, RefundRequest{Amount: new(int64(1))})
			assert.NotEqual(t, problem.CodeIdempotencyKeyReused, problem.CodeOf(err), "it is another one's key")
		}
		w.settle(t)
		w.addsUp(t, "at the end")
	})
}

func TestManyOrdersAreRefundedWithAnErrorPerLine(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		ctx := context.WithoutCancel(t.Context())
		unpaid := w.place(t, 0, order.Item{SKU: "lamp", Quantity: 1, Price: 100})
		req := RefundOrdersRequest{Orders: []order.Number{unpaid.Number, 4711}, Reason: "withdrawn"}
		for range 4 {
			req.Orders = append(req.Orders, w.paidOrder(t).Number)
		}
		_, err := w.ops.Refund(ctx, byGrace, "part", req.Orders[3], RefundRequest{Amount: new(int64(77))})
		require.NoError(t, err)
		var answers [crowd]*RefundedOrders
		kit.Crowd(crowd, func(i int) {
			var err error
			answers[i], err = w.ops.RefundOrders(ctx, byGrace, "many", req)
			assert.NoError(t, err)
		})
		for _, answer := range answers {
			require.Equal(t, 4, answer.Refunded)
			require.Equal(t, 2, answer.Failed)
			require.Equal(t, &LineError{Code: "conflict", Detail: "The order is not paid."}, answer.Items[0].Error)
			require.Equal(t, "not_found", answer.Items[1].Error.Code)
			require.EqualValues(t, 3000, answer.Items[3].Refund.Amount, "what was left")
			for i := range answer.Items {
				first, again := answers[0].Items[i].Refund, answer.Items[i].Refund
				if first != nil {
					first.Replayed, again.Replayed = false, false
				}
				require.Equal(t, first, again)
			}
		}
		w.settle(t)
		w.addsUp(t, "at the end")
	})
}

func TestAnOrderPaidWithOthersIsRefundedForItsOwnPart(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		var orders []*order.Order
		for i := range int64(3) {
			orders = append(orders, w.place(t, i, order.Item{SKU: "lamp", Quantity: 1, Price: 100}))
		}
		p := w.begin(t, orders...)
		require.NoError(t, w.canceller.Cancel(t.Context(), "ada", orders[0].Number, ""))
		require.NoError(t, w.pays(t.Context(), p, "txn", p.Amount))
		_, err := w.ops.Refund(t.Context(), byGrace, "cancelled", orders[0].Number, RefundRequest{})
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "its money goes back by itself")
		for i, want := range []Status{Paid, Refunding} {
			n := orders[i+1].Number
			_, err = w.ops.Refund(t.Context(), byGrace, "more-"+n.String(), n, RefundRequest{Amount: new(int64(150))})
			assert.Equal(t, order.CodeRefundTooLarge, problem.CodeOf(err), "the money of the others")
			for _, key := range []string{"first-", "rest-"} {
				req := RefundRequest{}
				if key == "first-" {
					req.Amount = new(int64(60))
				}
				_, err = w.ops.Refund(t.Context(), byGrace, key+n.String(), n, req)
				require.NoError(t, err)
			}
			now, err := SelectPayment(t.Context(), stores.DB.Read, p.Number)
			require.NoError(t, err)
			assert.Equal(t, want, now.Status, "with %d of 3 orders refunded", i+2)
		}
		w.settle(t)
		w.addsUp(t, "at the end")
		now, err := SelectPayment(t.Context(), stores.DB.Read, p.Number)
		require.NoError(t, err)
		assert.Equal(t, Refunded, now.Status)
		assert.Equal(t, p.Amount, now.Refunded)
	})
}

func TestAPaymentKeepsARefundForWhatIsLeftOfEachOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		o := w.paidOrder(t)
		for i := range maxRefunds - 1 {
			_, err := w.ops.Refund(t.Context(), byGrace, strconv.Itoa(i), o.Number,
				RefundRequest{Amount: new(int64(1))})
			require.NoError(t, err, "refund %d", i)
		}
		_, err := w.ops.Refund(t.Context(), byGrace, "one more", o.Number, RefundRequest{Amount: new(int64(1))})
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		_, err = w.ops.Refund(t.Context(), byGrace, "rest", o.Number, RefundRequest{})
		require.NoError(t, err)
		w.settle(t)
		w.addsUp(t, "at the end")
	})
}

func TestAFailedPartOfARefundIsSentAgainAlone(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		o := w.paidOrder(t)
		first, err := w.ops.Refund(t.Context(), byGrace, "1", o.Number, RefundRequest{Amount: new(int64(77))})
		require.NoError(t, err)
		_, err = w.ops.Refund(t.Context(), byGrace, "2", o.Number, RefundRequest{})
		require.NoError(t, err)
		w.settle(t)
		payment := func() *Payment {
			p, err := SelectPayment(t.Context(), stores.DB.Read, first.Payment)
			require.NoError(t, err)
			return p
		}
		assert.Equal(t, Refunded, payment().Status)
		w.bank.back[first.Transaction] -= 77 // the buyer's card takes no money
		require.NoError(t, w.processor.Process(t.Context(), "bank", Notification{
			Kind: KindRefundFailed, EventID: "failed", TransactionID: first.Transaction,
			RefundNumber: first.Number.String(),
		}))
		assert.Equal(t, Refunding, payment().Status)
		assert.EqualValues(t, 3000, payment().Refunded)
		_, err = w.ops.Refund(t.Context(), byGrace, "3", o.Number, RefundRequest{Amount: new(int64(1))})
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "nothing is left of the order")
		_, err = w.ops.Retry(t.Context(), first.Number)
		require.NoError(t, err)
		w.settle(t)
		w.addsUp(t, "at the end")
		assert.Equal(t, Refunded, payment().Status)
	})
}
