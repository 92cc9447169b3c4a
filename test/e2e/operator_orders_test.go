package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/client"
	"onrush/test/kit"
	"onrush/test/site"
)

// TestAnOperatorCancelsAnUnpaidOrderOnce: its unit returns once, however many operators and buyers cancel at once.
func TestAnOperatorCancelsAnUnpaidOrderOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 2}, PurchaseLimit: 1})
		alice, operator := s.Buyer(t, "alice"), s.Operator(t)
		number := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		path := admin + "/orders/" + number + "/cancel"
		why := client.ReasonRequest{Reason: "She called."}
		requireRefusal(t, operator.Call(t, http.MethodPost, path, "", why), http.StatusNotFound, "not_found")
		s.Drain(t)
		assert.Equal(t, http.StatusUnprocessableEntity,
			operator.Call(t, http.MethodPost, path, "", client.ReasonRequest{}).Status, "a reason is required")
		for i, a := range kit.AtOnce(48, func(i int) site.Answer {
			if i%6 == 0 {
				return alice.Insist(http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
			}
			return operator.Insist(http.MethodPost, path, "", why)
		}) {
			require.Equal(t, http.StatusOK, a.Status, "%d: %s", i, a.Body)
		}
		s.Job(t, "settle_stock")
		assert.Empty(t, s.Audit(t, activity))
		seen := operator.GetAdminOrder(t, number)
		assert.Equal(t, "cancelled", string(seen.Status))
		assert.Len(t, seen.Log, 2, "placed, and cancelled once")
		assert.LessOrEqual(t, len(operator.ListChanges(t, "order:"+number)), 1)
		again := alice.Buy(t, activity, "sku", "k2").Placed(t).OrderNumber // her limit is free again
		s.Drain(t)
		paid := alice.BeginPayment(t, "pay", again)
		answer, err := s.Notify(t.Context(), site.Payment{
			Number: paid.PayNumber, Transaction: "tx", Amount: paid.Amount, Currency: paid.Currency,
		})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.Status, string(answer.Body))
		requireRefusal(t, operator.Call(t, http.MethodPost, admin+"/orders/"+again+"/cancel", "", why),
			http.StatusConflict, "not_cancellable")
	})
}

// TestAnOperatorMarksAnOrderPaidOnce: the money came by another way, so the payment that the buyer has begun is closed,
// and money that comes by it later goes back.
func TestAnOperatorMarksAnOrderPaidOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Kind: "voucher"})
		alice, operator := s.Buyer(t, "alice"), s.Operator(t)
		number := alice.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		path := admin + "/orders/" + number + "/mark_paid"
		why := client.ReasonRequest{Reason: "Cash, receipt 17"}
		requireRefusal(t, operator.Call(t, http.MethodPost, path, "", why), http.StatusNotFound, "not_found")
		s.Drain(t)
		begun := alice.BeginPayment(t, "pay", number)
		codes := map[string]int{}
		mark := func(int) site.Answer { return operator.Insist(http.MethodPost, path, "", why) }
		for _, a := range kit.AtOnce(48, mark) {
			codes[fmt.Sprint(a.Status)]++
		}
		assert.Equal(t, map[string]int{"200": 1, "409": 47}, codes)
		seen := alice.GetOrder(t, number)
		assert.Equal(t, "paid", string(seen.Status))
		assert.Len(t, seen.Items[0].VoucherCodes, 1)
		changes := operator.ListChanges(t, "order:"+number)
		require.Len(t, changes, 1)
		assert.Equal(t, "order.marked_paid", changes[0].Action)
		s.Job(t, "query_payments")
		assert.Equal(t, "closed", string(alice.GetPayment(t, begun.PayNumber).Status))
		s.Money(
			t,
			site.Payment{Number: begun.PayNumber, Transaction: "late", Amount: begun.Amount, Currency: begun.Currency},
		)
		answer, err := s.Notify(t.Context(), site.Payment{
			Number: begun.PayNumber, Transaction: "late", Amount: begun.Amount, Currency: begun.Currency,
		})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.Status, string(answer.Body))
		s.Job(t, "send_refunds")
		refunds := operator.ListRefunds(t, "order_number="+number)
		require.Len(t, refunds, 1)
		assert.Equal(t, "done", string(refunds[0].Status))
		s.Job(t, "settle_stock")
		assert.Empty(t, s.Audit(t, activity))
	})
}
