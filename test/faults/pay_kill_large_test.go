//go:build large

package faults

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/site"
)

// buyAndPay buys one unit, starts its payment and sends the gateway's notification; for every second
// buyer it cancels the order concurrently.
func (r *buyerGroup) buyAndPay(t *testing.T, i int) {
	user := fmt.Sprintf("buyer%d", i)
	r.buy(t, user)
	number := ""
	r.mu.Lock()
	for n, u := range r.accepted {
		if u == user {
			number = n
		}
	}
	r.mu.Unlock()
	if !assert.NotEmpty(t, number, "the order of %s", user) {
		return
	}
	who := r.p.inspector.Buyer(t, user)
	begun := r.p.insist(t, who, "/api/v1/payments", "pay",
		map[string]any{"order_numbers": []string{number}, "channel": "sandbox"})
	if !assert.Equal(t, http.StatusCreated, begun.Status, string(begun.Body)) {
		return
	}
	m := begun.JSON(t)
	money := site.Payment{
		Event: "event-" + user, Number: m["pay_number"].(string), Transaction: "txn-" + user,
		Amount: int64(m["amount"].(float64)), Currency: m["currency"].(string),
	}
	r.p.inspector.Money(t, money)
	var both sync.WaitGroup
	both.Go(func() { r.p.notify(t, money) })
	if i%2 == 0 {
		both.Go(func() {
			a := r.p.insist(t, who, "/api/v1/orders/"+number+"/cancel", "", nil)
			assert.Contains(t, []int{http.StatusOK, http.StatusConflict}, a.Status, string(a.Body))
		})
	}
	both.Wait()
}

// notify sends a notification as a gateway does, until it is acknowledged.
func (p *program) notify(t *testing.T, money site.Payment) {
	until(t, func() bool {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		instance := p.running()
		if instance == nil {
			return true
		}
		a, err := instance.Notify(ctx, money)
		return err == nil && a.Status == http.StatusOK
	})
}

func TestPaidOrdersAndPaymentsMatchWhenTheProgramIsKilled(t *testing.T) {
	t.Parallel()
	const buyers = 300
	p, _ := newProgram(t)
	activity := p.inspector.Open(t, site.Sale{Stock: map[string]int64{"0": buyers}})
	p.start(t)
	r := newBuyerGroup(p, activity)
	var done atomic.Int64
	var all sync.WaitGroup
	t.Cleanup(func() { p.giveUp(); all.Wait() })
	all.Go(func() {
		inParallel(buyers, 32, func(i int) { r.buyAndPay(t, i); done.Add(1) })
	})
	for kill := range 4 {
		waitFor(t, "enough payments", func() bool { return done.Load() >= int64(buyers*(kill+1)/5) })
		p.kill(t)
		p.start(t)
	}
	all.Wait()

	count := func(query string) (n int) {
		require.NoError(t, p.stores.DB.Write.GetContext(t.Context(), &n, query))
		return n
	}
	waitFor(t, "all refunds are back", func() bool {
		return count(`SELECT COUNT(*) FROM refunds WHERE status <> 'done'`) == 0
	})
	r.requireMoved(t)
	paid, cancelled := count(`SELECT COUNT(*) FROM orders WHERE status = 'paid'`),
		count(`SELECT COUNT(*) FROM orders WHERE status = 'cancelled'`)
	assert.Equal(t, buyers, paid+cancelled)
	assert.Equal(t, paid, count(`SELECT SUM(sold) FROM activity_stock`), "paid units are sold")
	assert.Equal(t, cancelled, count(`SELECT COUNT(*) FROM sandbox_refunds`), "cancelled orders were refunded once")
	t.Logf("%d paid, %d cancelled and refunded", paid, cancelled)
}
