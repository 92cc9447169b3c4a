package e2e

import (
	"crypto/rand"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestARefundThatTheGatewayRefusesIsGivenUpAndRetriedByAnOperator(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Now())
		w := newPaySale(t, stores, site.Sale{}, site.Time(clock.Now))
		order := w.order(t)
		p := w.payment(t, order)
		w.buyer.CancelOrder(t, order)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		_, err := stores.DB.Write.ExecContext(t.Context(), `DELETE FROM sandbox_transactions`)
		require.NoError(t, err, "the gateway doesn't know the money any more")

		operator := w.Operator(t)
		refund := func() client.Refund { return operator.ListRefunds(t, "")[0] }
		assert.Zero(t, w.Job(t, "send_refunds"))
		first := refund()
		assert.Equal(t, "pending", first.Status)
		assert.Equal(t, 1, first.Attempts)
		assert.Contains(t, first.LastError, "no such transaction")
		assert.Zero(t, w.Job(t, "send_refunds"))
		assert.Equal(t, 1, refund().Attempts, "it waits before it is sent again")
		for range 11 {
			clock.Advance(time.Hour)
			w.Job(t, "send_refunds")
		}
		given := refund()
		assert.Equal(t, "failed", given.Status)
		assert.Equal(t, 12, given.Attempts)
		clock.Advance(time.Hour)
		w.Job(t, "send_refunds")
		assert.Equal(t, 12, refund().Attempts, "it is not sent any more")

		w.Money(t, p)
		retry := "/admin/api/v1/refunds/" + given.RefundNumber + "/retry"
		require.Equal(t, http.StatusOK, operator.Call(t, http.MethodPost, retry, "", nil).Status)
		assert.Equal(t, 1, w.Job(t, "send_refunds"))
		assert.Equal(t, "done", refund().Status)
		n, amount := w.refunds(t, p)
		assert.Equal(t, 1, n)
		assert.Equal(t, p.Amount, amount)
		assert.Equal(t, http.StatusConflict, operator.Call(t, http.MethodPost, retry, "", nil).Status)
	})
}

func TestOperatorsWhoRefundOrdersOfOnePaymentAtOnceLeaveItRefunded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		operator := w.Operator(t)
		for range 10 {
			orders := []string{w.order(t), w.order(t), w.order(t)}
			p := w.payment(t, orders...)
			require.Equal(t, http.StatusOK, w.notify(t, p).Status)
			for i, a := range kit.AtOnce(len(orders), func(i int) site.Answer {
				return operator.Insist(http.MethodPost, "/admin/api/v1/orders/"+orders[i]+"/refund", rand.Text(), nil)
			}) {
				require.Equal(t, http.StatusAccepted, a.Status, "%d: %s", i, a.Body)
			}
			status, _ := w.paid(t, p)
			assert.Equal(t, "refunding", status, "all of its money is on its way back")
			w.settle(t)
			status, refunded := w.paid(t, p)
			assert.Equal(t, "refunded", status)
			assert.Equal(t, p.Amount, refunded)
		}
	})
}
