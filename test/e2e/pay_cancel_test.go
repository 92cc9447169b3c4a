package e2e

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// payRounds is how often pay and cancel run concurrently. ONRUSH_TEST_PAY_ROUNDS sets another number; it
// was run with 10,000 rounds.
func payRounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("ONRUSH_TEST_PAY_ROUNDS")
	switch {
	case text == "" && testing.Short():
		return 50
	case text == "":
		return 200
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

func TestAnOrderIsEitherPaidOrCancelledAndItsMoneyRefunded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		rounds := payRounds(t)
		w := newPaySale(t, stores, site.Sale{Stock: map[string]int64{"0": int64(rounds)}})
		other := site.Start(t, stores, site.Idle())
		const atOnce = 8
		slots := make(chan struct{}, atOnce)
		var all sync.WaitGroup
		for round := range rounds {
			if round%50 == 0 { // a buyer may begin fewer payments that are not paid than there are rounds
				w.buyer = w.Buyer(t, fmt.Sprintf("buyer%d", round/50))
			}
			buyer := w.buyer.At(other)
			order := w.order(t)
			p := w.payment(t, order)
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				var both sync.WaitGroup
				both.Go(func() {
					for range 20 { // as a gateway does, until it is acknowledged
						if a, err := w.Notify(t.Context(), p); err == nil && a.Status == http.StatusOK {
							return
						}
					}
					t.Errorf("payment %s was never acknowledged", p.Number)
				})
				both.Go(func() {
					// A webhook has more to do before it decides; a look at the order evens that out.
					for range round % 4 {
						_, err := buyer.Try(t.Context(), http.MethodGet, "/api/v1/orders/"+order, "", nil)
						assert.NoError(t, err) //nolint:testifylint // not the goroutine of the test
					}
					a, err := buyer.Try(t.Context(), http.MethodPost, "/api/v1/orders/"+order+"/cancel", "", nil)
					if assert.NoError(t, err) {
						assert.Contains(t, []int{http.StatusOK, http.StatusConflict, http.StatusServiceUnavailable},
							a.Status, string(a.Body))
					}
				})
				both.Wait()
			})
		}
		all.Wait()
		paid, cancelled := w.holdAccount(t, rounds)
		assert.NotZero(t, paid, "each side wins some rounds")
		assert.NotZero(t, cancelled, "each side wins some rounds")
		t.Logf("%d rounds: %d paid, %d cancelled and refunded", rounds, paid, cancelled)
	})
}

// holdAccount completes returns and refunds, and requires that status, units and money of each order
// agree.
func (w *paySale) holdAccount(t *testing.T, orders int) (paid, cancelled int) {
	t.Helper()
	w.Drain(t)
	w.Job(t, "settle_stock")
	for sent := 1; sent > 0; {
		sent = w.Job(t, "send_refunds")
	}
	assert.Empty(t, w.Audit(t, w.activity))
	count := func(query string) (n int) {
		require.NoError(t, w.Stores.DB.Read.GetContext(t.Context(), &n, query))
		return n
	}
	paid = count(`SELECT COUNT(*) FROM orders WHERE status = 'paid'`)
	cancelled = count(`SELECT COUNT(*) FROM orders WHERE status = 'cancelled'`)
	assert.Equal(t, orders, paid+cancelled, "each order is one or the other")
	assert.Equal(t, paid, count(`SELECT SUM(sold) FROM activity_stock`), "the paid are sold")
	assert.Equal(t, cancelled, count(`SELECT COUNT(*) FROM refunds WHERE status = 'done'`),
		"the cancelled are refunded")
	assert.Equal(t, cancelled, count(`SELECT COUNT(*) FROM sandbox_refunds`))
	assert.Zero(t, count(`SELECT COUNT(*) FROM payments p JOIN payment_orders po ON po.pay_number = p.pay_number
		JOIN orders o ON o.number = po.order_number WHERE (o.status = 'paid') <> (p.refunded_amount = 0)`),
		"never both, never neither")
	return paid, cancelled
}
