package pay

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// disputed reports a step of the dispute dp_1 of a transaction, under an event of its own.
func (w *moneyWorld) disputed(ctx context.Context, transaction string, amount int64, step DisputeStep) error {
	step.ID = "dp_1"
	return w.reports(ctx, Notification{
		Kind: KindDisputed, TransactionID: transaction, Amount: amount, Reason: "fraudulent", Dispute: step,
	})
}

func TestADisputeHasOneRowAndOneEventPerStep(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		o := w.paidOrder(t)
		transaction := "txn-" + o.Number.String()
		ctx := context.WithoutCancel(t.Context())
		opened := DisputeStep{State: DisputeOpen, Status: "needs_response", DueMS: 9000, AtMS: 1000}
		reviewed := DisputeStep{State: DisputeOpen, Status: "under_review", DueMS: 9000, AtMS: 2000}
		lost := DisputeStep{State: DisputeLost, Status: "lost", AtMS: 3000}
		for _, step := range []DisputeStep{opened, reviewed, lost} {
			kit.Crowd(48, func(int) { // created, funds withdrawn, and each delivered many times at once
				assert.NoError(t, w.disputed(ctx, transaction, o.TotalAmount, step))
			})
		}
		require.NoError(t, w.disputed(ctx, transaction, o.TotalAmount, opened), "a late report")
		p := w.payment(t, transaction)
		disputes, err := SelectDisputes(ctx, stores.DB.Read, p.Number)
		require.NoError(t, err)
		require.Len(t, disputes, 1)
		assert.Equal(t, Dispute{
			Channel: "bank", ID: "dp_1", Payment: p.Number, Transaction: transaction, Amount: o.TotalAmount,
			Currency: "CNY", Reason: "fraudulent", State: DisputeLost, Status: "lost", EventMS: 3000,
			OpenedMS: testNow.UnixMilli(), ClosedMS: testNow.UnixMilli(),
		}, disputes[0])
		var events []string
		require.NoError(t, stores.DB.Read.SelectContext(ctx, &events,
			`SELECT type FROM events WHERE type LIKE 'dispute.%' ORDER BY id`))
		assert.Equal(t, []string{"dispute.opened", "dispute.updated", "dispute.closed"}, events)
		var data string
		require.NoError(t, stores.DB.Read.GetContext(ctx, &data,
			`SELECT data FROM events WHERE type = 'dispute.opened'`))
		for _, text := range []string{
			`"dispute_id":"dp_1"`, `"status":"needs_response"`, `"due_at":"1970-01-01T00:00:09.000Z"`,
			`"reason":"fraudulent"`, `"pay_number":"` + p.Number.String() + `"`,
		} {
			assert.Contains(t, data, text)
		}
		assert.Equal(t, ReasonDisputed, p.Flag)
	})
}

func TestVouchersAreHeldWhileTheirPaymentIsDisputedAndVoidWhenItIsLost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		o := w.paidOrder(t)
		transaction := "txn-" + o.Number.String()
		report := func(state DisputeState, status string, atMS int64) {
			t.Helper()
			require.NoError(t, w.disputed(t.Context(), transaction, o.TotalAmount,
				DisputeStep{State: state, Status: status, AtMS: atMS}))
		}
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE vouchers SET status = 'redeemed' WHERE unit = 1`)
		require.NoError(t, err)
		report(DisputeOpen, "needs_response", 1)
		assert.EqualValues(t, 9, w.codes(t, "disputed"))
		report(DisputeWon, "won", 2)
		assert.EqualValues(t, 9, w.codes(t, "active"), "the merchant kept the money")
		report(DisputeOpen, "needs_response", 3)
		report(DisputeLost, "lost", 4)
		assert.EqualValues(t, 9, w.codes(t, "lost"))
		assert.EqualValues(t, 1, w.codes(t, "redeemed"), "what was used was used")
		report(DisputeWon, "won", 5)
		assert.EqualValues(t, 9, w.codes(t, "active"), "the bank has changed its decision: the merchant has the money")
		assert.EqualValues(t, 5, w.count(t, `SELECT COUNT(*) FROM order_log WHERE what LIKE 'vouchers_%'`))
	})
}

func TestADisputeHoldsTheVouchersThatItsMoneyPaid(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		both := w.place(t, 0, order.Item{SKU: "card", Quantity: 2, Price: 100})
		alone := w.place(t, 0, order.Item{SKU: "card", Quantity: 3, Price: 100})
		require.NoError(t, w.pays(t.Context(), w.begin(t, both), "first", 200))
		require.NoError(t, w.pays(t.Context(), w.begin(t, both, alone), "second", 500)) // 200 of it go back
		w.settle(t)
		report := func(transaction string, state DisputeState, atMS int64) {
			t.Helper()
			step := DisputeStep{State: state, AtMS: atMS, Status: "x"}
			require.NoError(t, w.disputed(t.Context(), transaction, 500, step))
		}
		of := func(o *order.Order, status string) int64 {
			t.Helper()
			return w.count(t, `SELECT COUNT(*) FROM vouchers WHERE order_number = ? AND status = ?`, o.Number, status)
		}
		report("second", DisputeOpen, 1)
		assert.EqualValues(t, 3, of(alone, "disputed"))
		report("second", DisputeLost, 2)
		assert.EqualValues(t, 3, of(alone, "lost"))
		assert.EqualValues(t, 2, of(both, "active"), "other money paid it")
	})
}

func TestARefundVoidsVouchersThatALostDisputeHolds(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		o := w.paidOf(t, "t1", "card", 2)
		require.NoError(t, w.disputed(t.Context(), "t1", 100, DisputeStep{State: DisputeLost, Status: "lost", AtMS: 1}))
		_, err := w.ops.Refund(t.Context(), Operator{Name: "eve"}, "what the bank left", o.Number,
			RefundRequest{Items: []order.Units{{SKU: "card", Quantity: 1}}})
		require.NoError(t, err)
		require.NoError(t, w.disputed(t.Context(), "t1", 100, DisputeStep{State: DisputeWon, Status: "won", AtMS: 2}))
		assert.EqualValues(t, 1, w.codes(t, "void"), "its money went back")
		assert.EqualValues(t, 1, w.codes(t, "active"))
	})
}

func TestARefundOfADisputedPaymentIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newMoneyWorld(t, stores)
		o := w.paidOf(t, "t1", "lamp", 3)
		refund := func(key string, amount int64) error {
			_, err := w.ops.Refund(t.Context(), Operator{Name: "eve"}, key, o.Number, RefundRequest{Amount: &amount})
			return err
		}
		report := func(step DisputeStep) {
			t.Helper()
			require.NoError(t, w.disputed(t.Context(), "t1", 200, step))
		}
		report(DisputeStep{State: DisputeOpen, Status: "warning_needs_response", Refundable: true, AtMS: 1})
		require.NoError(t, refund("a refund ends an inquiry", 50))
		report(DisputeStep{State: DisputeOpen, Status: "needs_response", AtMS: 2})
		assert.Equal(t, CodeDisputed, problem.CodeOf(refund("more than is left", 51)))
		require.NoError(t, refund("what nobody disputes", 50))
		report(DisputeStep{State: DisputeLost, Status: "lost", AtMS: 3})
		assert.Equal(t, CodeDisputed, problem.CodeOf(refund("lost", 1)))
		report(DisputeStep{State: DisputeWon, Status: "won", AtMS: 4})
		require.NoError(t, refund("won after all", 200))
	})
}
