package e2e

import (
	"context"
	"crypto/rand"
	"database/sql/driver"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// paySale is a sale with a buyer who pays.
type paySale struct {
	*site.Site
	activity string
	buyer    *site.Person
}

func newPaySale(t *testing.T, stores *kit.Stores, sale site.Sale, opts ...site.Option) *paySale {
	t.Helper()
	s := site.Start(t, stores, append([]site.Option{site.Idle()}, opts...)...)
	return &paySale{Site: s, activity: s.Open(t, sale), buyer: s.Buyer(t, "buyer")}
}

// order places one order and returns its number.
func (w *paySale) order(t *testing.T) string {
	t.Helper()
	a := w.buyer.Buy(t, w.activity, "sku", rand.Text())
	require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
	return a.Placed(t).OrderNumber
}

// payment starts a payment of orders and returns the correct notification of it.
func (w *paySale) payment(t *testing.T, orders ...string) site.Payment {
	t.Helper()
	m := w.buyer.BeginPayment(t, rand.Text(), orders...)
	p := site.Payment{
		Number: m.PayNumber, Transaction: "txn-" + rand.Text(), Amount: m.Amount,
		Currency: m.Currency,
	}
	w.Money(t, p)
	return p
}

func (w *paySale) notify(t *testing.T, p site.Payment) site.Answer {
	t.Helper()
	a, err := w.Notify(context.WithoutCancel(t.Context()), p)
	require.NoError(t, err)
	return a
}

// notifyAgain repeats a notification until it is acknowledged, as gateways do: while the lock of a crashed
// instance is valid, the answer is 503.
func (w *paySale) notifyAgain(t *testing.T, p site.Payment) {
	t.Helper()
	require.Eventually(t, func() bool {
		status := w.notify(t, p).Status
		return status == http.StatusOK || !assert.Equal(t, http.StatusServiceUnavailable, status)
	}, eventually, soon)
}

func (w *paySale) status(t *testing.T, order string) string {
	t.Helper()
	a := w.buyer.Insist(http.MethodGet, "/api/v1/orders/"+order, "", nil)
	return site.Read[client.Order](t, http.StatusOK, a).Status
}

func (w *paySale) paid(t *testing.T, p site.Payment) (status string, refunded int64) {
	t.Helper()
	m := w.buyer.GetPayment(t, p.Number)
	return m.Status, m.RefundedAmount
}

// settle runs the jobs that complete returns and refunds, and audits the sale. The clocks of two instances differ by up
// to the duration of a call, so a refund that another one has just entered may not be due at once.
func (w *paySale) settle(t *testing.T) {
	t.Helper()
	w.Drain(t)
	w.Job(t, "settle_stock")
	require.Eventually(t, func() bool {
		const query = `SELECT COUNT(*) FROM refunds WHERE status = 'pending' AND next_try_ms BETWEEN ? AND ?`
		now, early := time.Now(), 0
		err := w.Stores.DB.Read.GetContext(t.Context(), &early, query,
			now.Add(-100*time.Millisecond).UnixMilli(), now.Add(time.Second).UnixMilli())
		return err == nil && early == 0
	}, 10*time.Second, 10*time.Millisecond)
	w.Job(t, "send_refunds")
	assert.Empty(t, w.Audit(t, w.activity))
}

// refunds counts the refunds of a payment that reached the gateway, and their amount.
func (w *paySale) refunds(t *testing.T, p site.Payment) (n int, amount int64) {
	t.Helper()
	row := struct {
		N      int   `db:"n"`
		Amount int64 `db:"amount"`
	}{}
	const query = `SELECT COUNT(*) AS n, COALESCE(SUM(r.amount), 0) AS amount FROM sandbox_refunds r
		JOIN sandbox_transactions t ON t.transaction_id = r.transaction_id WHERE t.pay_number = ?`
	require.NoError(t, w.Stores.DB.Read.GetContext(t.Context(), &row, query, p.Number))
	return row.N, row.Amount
}

func TestFiftyEqualNotificationsPayOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		order := w.order(t)
		p := w.payment(t, order)
		p.Event = "the-event"
		answers := make([]int, 50)
		kit.Crowd(len(answers), func(i int) {
			if a, err := w.Notify(t.Context(), p); err == nil {
				answers[i] = a.Status
			}
		})
		for _, status := range answers {
			assert.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, status)
		}
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		assert.Equal(t, "paid", w.status(t, order))
		w.settle(t)
		n, _ := w.refunds(t, p)
		assert.Zero(t, n, "nothing goes back")
		var transactions int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &transactions,
			`SELECT COUNT(*) FROM payment_transactions`))
		assert.Equal(t, 1, transactions)
	})
}

func TestOfThreeOrdersTheCancelledOneIsRefundedInPart(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		orders := []string{w.order(t), w.order(t), w.order(t)}
		p := w.payment(t, orders...)
		w.buyer.CancelOrder(t, orders[1])
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		assert.Equal(t, "paid", w.status(t, orders[0]))
		assert.Equal(t, "cancelled", w.status(t, orders[1]))
		assert.Equal(t, "paid", w.status(t, orders[2]))
		w.settle(t)
		n, amount := w.refunds(t, p)
		assert.Equal(t, 1, n)
		assert.Equal(t, p.Amount/3, amount)
		status, refunded := w.paid(t, p)
		assert.Equal(t, "paid", status)
		assert.Equal(t, p.Amount/3, refunded)
	})
}

func TestWrongNotificationDoesNotChangeTheOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		order := w.order(t)
		p := w.payment(t, order)

		forged := p
		forged.Secret = "whsec_YW5vdGhlci1zZWNyZXQtb2YtMzItYnl0ZXMtaGVyZSE="
		assert.Equal(t, http.StatusUnauthorized, w.notify(t, forged).Status)
		old := p
		old.At = time.Now().Add(-10 * time.Minute)
		assert.Equal(t, http.StatusUnauthorized, w.notify(t, old).Status)
		unknown := p
		unknown.Number = "391274776258044657"
		assert.Equal(t, http.StatusServiceUnavailable, w.notify(t, unknown).Status,
			"an unknown payment is not acknowledged")
		assert.Equal(t, "unpaid", w.status(t, order))

		for _, wrong := range []struct {
			flag string
			p    site.Payment
		}{
			{"wrong_amount", site.Payment{
				Number: p.Number, Transaction: "txn-amount", Amount: p.Amount - 1, Currency: p.Currency,
			}},
			{"wrong_currency", site.Payment{
				Number: p.Number, Transaction: "txn-currency", Amount: p.Amount, Currency: "USD",
			}},
		} {
			w.Money(t, wrong.p)
			require.Equal(t, http.StatusOK, w.notify(t, wrong.p).Status)
			assert.Equal(t, "unpaid", w.status(t, order), "%s pays nothing", wrong.flag)
			flagged := w.Operator(t).ListAdminPayments(t, "flagged=true")
			require.Len(t, flagged, 1)
			assert.Equal(t, wrong.flag, flagged[0].Flag)
			assert.Empty(t, w.Operator(t).ListAdminPayments(t, "flagged=false"))
			assert.Len(t, w.Operator(t).ListAdminPayments(t, ""), 1)
		}

		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		assert.Equal(t, "paid", w.status(t, order), "the right money pays")
		w.settle(t)
		n, amount := w.refunds(t, p)
		assert.Equal(t, 2, n, "both wrong ones go back whole")
		assert.Equal(t, 2*p.Amount-1, amount)
	})
}

func TestMoneyReportedTwicePaysOnceAndOtherMoneyIsRefunded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		order := w.order(t)
		p := w.payment(t, order)
		p.Event = "first"
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status, "the event again")
		second := p
		second.Event = "second"
		require.Equal(t, http.StatusOK, w.notify(t, second).Status, "another event of the same transaction")
		w.settle(t)
		n, _ := w.refunds(t, p)
		assert.Zero(t, n)

		other := site.Payment{Number: p.Number, Transaction: "txn-other", Amount: p.Amount, Currency: p.Currency}
		w.Money(t, other)
		require.Equal(t, http.StatusOK, w.notify(t, other).Status)
		w.settle(t)
		n, amount := w.refunds(t, p)
		assert.Equal(t, 1, n, "the other transaction goes back whole")
		assert.Equal(t, p.Amount, amount)
		status, refunded := w.paid(t, p)
		assert.Equal(t, "paid", status, "and what was rightly paid stays paid")
		assert.Zero(t, refunded)
		assert.Equal(t, "paid", w.status(t, order))
	})
}

func TestQueryJustBeforeTheWebhookPaysOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		order := w.order(t)
		p := w.payment(t, order)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE payments SET ask_ms = 1, expires_ms = 1`)
		require.NoError(t, err)
		require.Equal(t, 1, w.Job(t, "query_payments"))
		assert.Equal(t, "paid", w.status(t, order))
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		w.settle(t)
		n, _ := w.refunds(t, p)
		assert.Zero(t, n)
	})
}

func TestUnpaidPaymentIsClosedAndLateMoneyStillPays(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		order := w.order(t)
		m := w.buyer.BeginPayment(t, "k", order)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE payments SET ask_ms = 1, expires_ms = 1`)
		require.NoError(t, err)
		w.Job(t, "query_payments")
		p := site.Payment{
			Number: m.PayNumber, Transaction: "late", Amount: m.Amount,
			Currency: "CNY",
		}
		status, _ := w.paid(t, p)
		assert.Equal(t, "closed", status)
		w.Money(t, p)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		assert.Equal(t, "paid", w.status(t, order), "a closed payment decides nothing: the order does")
		w.settle(t)
	})
}

func TestPaymentsKeepTheirKeysAndOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		one, two := w.order(t), w.order(t)
		first := w.buyer.Pay(t, "k1", one)
		require.Equal(t, http.StatusCreated, first.Status, string(first.Body))
		again := w.buyer.Pay(t, "k1", one)
		assert.Equal(t, first.Kept(t), again.Kept(t))
		assert.Equal(t, "idempotency_key_reused", w.buyer.Pay(t, "k1", two).Code())

		next := w.buyer.Pay(t, "k2", one, two)
		require.Equal(t, http.StatusCreated, next.Status, string(next.Body))
		number := parsed[client.Payment](first).PayNumber
		assert.Equal(t, "closed", w.buyer.GetPayment(t, number).Status,
			"a new payment closes the pending one before it")

		assert.Equal(t, http.StatusNotFound, w.Buyer(t, "mallory").Pay(t, "k", one).Status)
		assert.Equal(t, http.StatusNotFound,
			w.Buyer(t, "mallory").Call(t, http.MethodGet, "/api/v1/payments/"+number, "", nil).Status)
		w.buyer.CancelOrder(t, two)
		assert.Equal(t, "not_payable", w.buyer.Pay(t, "k3", two).Code())
	})
}

func TestAPaidVoucherShowsItsCodeUntilItIsRefunded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{Kind: "voucher"})
		order := w.order(t)
		p := w.payment(t, order)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		assert.GreaterOrEqual(t, len(w.buyer.GetOrder(t, order).VoucherCode), 20)

		operator := w.Operator(t)
		operator.RefundOrder(t, order, rand.Text(), client.RefundRequest{})
		assert.Equal(t, http.StatusConflict,
			operator.Call(t, http.MethodPost, "/admin/api/v1/orders/"+order+"/refund", rand.Text(), nil).Status)
		shown := w.buyer.GetOrder(t, order)
		assert.Equal(t, "refunded", shown.Status)
		assert.Empty(t, shown.VoucherCode)
		w.settle(t)
		n, amount := w.refunds(t, p)
		assert.Equal(t, 1, n)
		assert.Equal(t, p.Amount, amount)
		status, _ := w.paid(t, p)
		assert.Equal(t, "refunded", status)
		var what []string
		for _, line := range operator.ListAdminOrders(t, "order_number="+order).Items[0].Log {
			what = append(what, line.What+" by "+line.Who)
		}
		assert.Equal(t, []string{"placed by buyer", "paid by gateway:sandbox", "refunded by operator:operator"}, what)
	})
}

func TestEarlierPaymentWhoseWebhookWasLostIsFoundByTheQuery(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		order := w.order(t)
		unheard := w.payment(t, order) // its money is there, its webhook never comes
		next := w.buyer.Pay(t, "again", order)
		require.Equal(t, http.StatusCreated, next.Status, string(next.Body))
		status, _ := w.paid(t, unheard)
		require.Equal(t, "closed", status)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE payments SET ask_ms = 1, expires_ms = 1`)
		require.NoError(t, err)
		w.Job(t, "query_payments")
		assert.Equal(t, "paid", w.status(t, order))
		status, _ = w.paid(t, unheard)
		assert.Equal(t, "paid", status)
		assert.Zero(t, w.Job(t, "query_payments"), "nothing is asked twice")
		w.settle(t)
	})
}

func TestFreeOrderIsPaidImmediatelyWithoutAGateway(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Now())
		broken := true
		fault := func(step string) error {
			if broken && step == "pay_before_commit" {
				return driver.ErrBadConn
			}
			return nil
		}
		w := newPaySale(t, stores, site.Sale{Free: true, Kind: catalogue.Voucher}, site.Time(clock.Now),
			site.Faults(fault))
		first, second, third := w.order(t), w.order(t), w.order(t)
		for _, o := range []string{first, second, third} {
			a := w.buyer.Pay(t, "key-"+o, o)
			require.Equal(t, http.StatusServiceUnavailable, a.Status, string(a.Body))
			assert.Equal(t, "unpaid", w.status(t, o))
		}
		broken = false
		m := w.buyer.BeginPayment(t, "key-"+first, first)
		assert.Equal(t, "paid", m.Status)
		assert.Nil(t, m.Next)
		assert.Zero(t, m.Amount)
		shown := w.buyer.GetOrder(t, first)
		assert.Equal(t, "paid", shown.Status)
		assert.NotEmpty(t, shown.VoucherCode)

		w.buyer.CancelOrder(t, third)
		clock.Advance(20 * time.Minute) // and the buyer never asks again
		assert.Equal(t, 2, w.Job(t, "query_payments"))
		assert.Equal(t, "paid", w.status(t, second))
		assert.Equal(t, "cancelled", w.status(t, third))
		w.settle(t)

		w.Operator(t).RefundOrder(t, first, rand.Text(), client.RefundRequest{})
		status, refunded := w.paid(t, site.Payment{Number: m.PayNumber})
		assert.Equal(t, "refunded", status)
		assert.Zero(t, refunded)
		w.settle(t)
		var sent int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &sent, `SELECT COUNT(*) FROM sandbox_refunds`))
		assert.Zero(t, sent)
	})
}

// Money that came for orders which it could not pay is refunded, and money of nobody's payment waits for a person.
func TestRevenueCountsOnlyMoneyThatPaidOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{Price: 900})
		op, since := w.Operator(t), time.Now().Add(-time.Hour)
		kept, cancelled, alone := ordinary(t, w.buyer, "k1"), ordinary(t, w.buyer, "k2"), ordinary(t, w.buyer, "k3")
		both := w.payment(t, kept.OrderNumber, cancelled.OrderNumber)
		late := w.payment(t, alone.OrderNumber)
		w.buyer.CancelOrder(t, cancelled.OrderNumber)
		w.buyer.CancelOrder(t, alone.OrderNumber)
		require.Equal(t, http.StatusOK, w.notify(t, late).Status)
		assert.Empty(t, op.GetRevenue(t, since), "the order was cancelled")
		require.Equal(t, http.StatusOK, w.notify(t, both).Status)
		stranger := site.Payment{Number: "7", Transaction: "txn-stranger", Amount: 5000, Currency: "CNY"}
		require.Eventually(t, func() bool { return w.notify(t, stranger).Status == http.StatusOK }, eventually, soon)
		paid := kept.TotalAmount
		assert.Equal(t, []client.Revenue{{Currency: "CNY", PaidAmount: paid, Payments: 1, NetAmount: paid}},
			op.GetRevenue(t, since))
	})
}

// The revenue counts orders of sales and ordinary ones, with their freight, once they are paid.
func TestRevenueCountsOrdersOfSalesAndOrdinaryOnes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{Price: 900})
		op, since := w.Operator(t), time.Now().Add(-time.Hour)
		ofSale := w.order(t)
		w.Drain(t)
		common := ordinary(t, w.buyer, "k1")
		assert.Empty(t, op.GetRevenue(t, since))
		w.notify(t, w.payment(t, ofSale, common.OrderNumber))
		paid := 900 + common.TotalAmount
		want := []client.Revenue{{Currency: "CNY", PaidAmount: paid, Payments: 1, NetAmount: paid}}
		assert.Equal(t, want, op.GetRevenue(t, since))
		a := op.Call(t, http.MethodGet, admin+"/revenue?from=2020-01-01T00:00:00Z", "", nil)
		requireRefusal(t, a, http.StatusUnprocessableEntity, "invalid_request")
	})
}
