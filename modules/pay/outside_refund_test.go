package pay

import (
	"context"
	"strconv"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// refundedOutside reports a refund that was made at the bank, under an event of its own.
func (w *moneyWorld) refundedOutside(ctx context.Context, transaction, number string, amount int64) error {
	return w.reports(ctx, Notification{
		Kind: KindRefundedOutside, TransactionID: transaction, RefundNumber: number, Amount: amount,
	})
}

// paysBack is a refund at the bank that nobody here asked for.
func (w *moneyWorld) paysBack(transaction string, amount int64) {
	w.bank.mu.Lock()
	defer w.bank.mu.Unlock()
	w.bank.back[transaction] += amount
}

func TestARefundMadeAtTheGatewayIsBookedOnceAndFlagged(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		o := w.paidOrder(t)
		transaction := "txn-" + o.Number.String()
		ctx := context.WithoutCancel(t.Context())
		w.paysBack(transaction, 300)
		kit.Crowd(48, func(int) { // it is created, updated, and each of both delivered many times at once
			assert.NoError(t, w.refundedOutside(ctx, transaction, "re_1", 300))
		})
		assert.EqualValues(t, 1, w.count(t, `SELECT COUNT(*) FROM refunds WHERE reason = ? AND status = 'done'
			AND order_number = ? AND outside_id = 're_1'`, ReasonOutside, o.Number))
		assert.EqualValues(t, 1, w.count(t, `SELECT COUNT(*) FROM events WHERE type = 'refund.done'`))
		assert.EqualValues(t, 1, w.count(t, `SELECT COUNT(*) FROM events WHERE type = 'order.refunded'`))
		p := w.payment(t, transaction)
		assert.EqualValues(t, 300, p.Refunded)
		assert.Equal(t, Paid, p.Status)
		assert.Equal(t, ReasonOutside, p.Flag)

		more := o.TotalAmount - 299
		_, err := w.ops.Refund(ctx, Operator{Name: "eve"}, "more", o.Number, RefundRequest{Amount: &more, Force: true})
		assert.Equal(t, order.CodeRefundTooLarge, problem.CodeOf(err))
		w.addsUp(t, "a part was refunded at the gateway")

		w.paysBack(transaction, o.TotalAmount-300)
		require.NoError(t, w.refundedOutside(ctx, transaction, "re_2", o.TotalAmount-300))
		assert.Equal(t, Refunded, w.payment(t, transaction).Status)
		assert.Zero(t, w.count(t, `SELECT COUNT(*) FROM vouchers WHERE status = 'active'`), "all are void")
		w.addsUp(t, "all was refunded at the gateway")
		_, err = w.ops.Retry(ctx, order.Number(w.count(t, `SELECT MAX(refund_number) FROM refunds`)))
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "there is nothing to send")
	})
}

func TestARefundAtTheGatewayOfSeveralOrdersIsBookedOnThePayment(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		first := w.place(t, 0, order.Item{SKU: "lamp", Quantity: 1, Price: 100})
		second := w.place(t, 0, order.Item{SKU: "card", Quantity: 2, Price: 100})
		require.NoError(t, w.pays(t.Context(), w.begin(t, first, second), "t1", 300))

		require.NoError(t, w.refundedOutside(t.Context(), "t1", "re_1", 150))
		assert.EqualValues(t, 1, w.count(t, `SELECT COUNT(*) FROM refunds WHERE order_number = 0 AND amount = 150`))
		assert.Zero(t, w.count(t, `SELECT SUM(refunded_amount) FROM orders`), "nobody knows which order it is of")
		assert.EqualValues(t, 150, w.payment(t, "t1").Refunded)
		_, err := w.ops.Refund(t.Context(), Operator{Name: "eve"}, "key", second.Number, RefundRequest{})
		assert.Equal(t, order.CodeRefundTooLarge, problem.CodeOf(err), "150 are left of the payment, not 200")

		require.NoError(t, w.refundedOutside(t.Context(), "t1", "re_2", 150))
		assert.EqualValues(t, 2, w.count(t, `SELECT COUNT(*) FROM orders WHERE status = 'refunded'`))
		assert.Equal(t, Refunded, w.payment(t, "t1").Status)
		assert.EqualValues(t, 300, w.count(t, `SELECT SUM(amount) FROM refunds`))
	})
}

func TestARefundAtTheGatewayThatFailsIsTakenBack(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		w.paidOf(t, "t1", "lamp", 1)
		require.NoError(t, w.refundedOutside(t.Context(), "t1", "re_1", 100))
		require.Equal(t, Refunded, w.payment(t, "t1").Status)
		for range 2 {
			require.NoError(t, w.processor.Process(t.Context(), "bank", Notification{
				Kind: KindRefundFailed, EventID: "evt_1", TransactionID: "t1", RefundNumber: "re_1", Reason: "expired",
			}))
		}
		p := w.payment(t, "t1")
		assert.Equal(t, Paid, p.Status)
		assert.Zero(t, p.Refunded)
		assert.Equal(t, ReasonRefundFailed, p.Flag)
		retried, err := w.ops.RetryAll(t.Context(), RetryRequest{})
		require.NoError(t, err)
		assert.Zero(t, retried.Retried, "it is not one of ours to send")
	})
}

func TestAReportOfOurOwnRefundBooksNothingAndEndsTheWait(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		o := owe(t, stores, Config{}, errWorks)
		s := o.reporter(Config{})
		done, _ := o.run(t)
		require.Zero(t, done)
		require.NoError(t, s.Process(t.Context(), "slow", Notification{
			Kind: KindRefundedOutside, EventID: "evt_1", TransactionID: "t1", RefundNumber: "78", Amount: 1299,
			Currency: "EUR",
		}))
		assert.Empty(t, o.payment(t).Flag)
		done, _ = o.run(t)
		assert.Equal(t, 1, done, "it is asked for at once, although a minute is not over")
		assert.EqualValues(t, 1299, o.payment(t).Refunded)
	})
}

func TestARefundAtTheGatewayOfMoneyThatNeverCameIsFlagged(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		p := w.begin(t, w.place(t, 0, order.Item{SKU: "lamp", Quantity: 1, Price: 100}))
		refund := Notification{
			Kind: KindRefundedOutside, EventID: "evt_1", TransactionID: "t1", PayNumber: p.Number, RefundNumber: "re_1",
			Amount: 100, Currency: "CNY",
		}
		for range 4 {
			assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(w.processor.Process(t.Context(), "bank", refund)),
				"the report of the money may be under way")
		}
		require.NoError(t, w.processor.Process(t.Context(), "bank", refund))
		p, err := SelectPayment(t.Context(), stores.DB.Write, p.Number)
		require.NoError(t, err)
		assert.Equal(t, ReasonOutside, p.Flag)
		assert.Zero(t, p.Refunded)
	})
}

func TestARefundAtTheGatewayOfAnUnknownPaymentIsBooked(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return InsertPayment(t.Context(), tx, &Payment{
				Number: 5, Task: "unknown.x", Channel: "bank", Status: Paid, Amount: 100, Currency: "CNY",
				Transaction: "t1", Flag: ReasonUnknown,
			})
		}))
		_, err := stores.DB.Write.ExecContext(t.Context(), `INSERT INTO payment_transactions
			(channel, transaction_id, pay_number, amount, currency, at_ms) VALUES ('bank', 't1', 5, 100, 'CNY', 1)`)
		require.NoError(t, err)
		for i, want := range []Status{Paid, Refunded} {
			require.NoError(t, w.refundedOutside(t.Context(), "t1", "re_"+strconv.Itoa(i), 50))
			p := w.payment(t, "t1")
			assert.Equal(t, want, p.Status)
			assert.EqualValues(t, 50*(i+1), p.Refunded)
			assert.Equal(t, ReasonUnknown, p.Flag, "it says more")
		}
	})
}

// readingBank tells the amount of a refund when it is asked.
type readingBank struct {
	*bank
	amounts map[string]int64
}

func (b *readingBank) ReadRefund(_ context.Context, _, number string) (int64, error) {
	return b.amounts[number], nil
}

func TestTheAmountOfARefundIsReadAtTheGatewayOrTakenFromTheTotal(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		w.processor.gateways = Gateways{"bank": &readingBank{w.bank, map[string]int64{"known": 30}}}
		w.paidOf(t, "t1", "lamp", 1)
		for _, c := range []struct {
			number      string
			total, back int64
		}{{"known", 90, 30}, {"unknown", 50, 50}, {"unknown", 50, 50}, {"late", 40, 50}} {
			require.NoError(t, w.reports(t.Context(), Notification{
				Kind: KindRefundedOutside, TransactionID: "t1", RefundNumber: c.number, RefundedTotal: c.total,
			}))
			assert.Equal(t, c.back, w.payment(t, "t1").Refunded, c.number)
		}
	})
}

// Nobody knows which vouchers a part was for that was refunded at the gateway, so a person voids them.
func TestVouchersWhoseMoneyWentBackAtTheGatewayAreVoidedWithoutMoney(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		o := w.paidOf(t, "t1", "card", 2)
		w.paysBack("t1", 100)
		require.NoError(t, w.refundedOutside(t.Context(), "t1", "re_1", 100))
		require.EqualValues(t, 2, w.codes(t, "active"))

		none := int64(0)
		void := func(key string, items ...order.Units) error {
			_, err := w.ops.Refund(t.Context(), Operator{Name: "eve"}, key, o.Number,
				RefundRequest{Amount: &none, Items: items})
			return err
		}
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(void("nothing")))
		require.NoError(t, void("one", order.Units{SKU: "card", Quantity: 1}))
		assert.EqualValues(t, 1, w.codes(t, "active"))
		assert.EqualValues(t, 1, w.codes(t, "void"))
		w.settle(t)
		w.addsUp(t, "a voucher was voided")
		assert.EqualValues(t, 100, w.bank.kept(), "no money went back twice")
	})
}
