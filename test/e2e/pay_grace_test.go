package e2e

import (
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// The times of the sales of these tests.
const (
	graceWithin = 10 * time.Minute
	grace       = 5 * time.Minute
)

// graceSale is a sale with a grace, and a clock that stands still.
type graceSale struct {
	*paySale
	clock *kit.Clock
}

func newGraceSale(t *testing.T, stores *kit.Stores, opts ...site.Option) *graceSale {
	t.Helper()
	clock := kit.NewClock(time.Now())
	sale := site.Sale{PayWithinS: int64(graceWithin / time.Second), PayGraceS: int64(grace / time.Second)}
	return &graceSale{newPaySale(t, stores, sale, append(opts, site.Time(clock.Now))...), clock}
}

// deadline returns the deadline of an order, as the order and the list of orders have it.
func (w *graceSale) deadline(t *testing.T, order string) time.Time {
	t.Helper()
	deadline := w.buyer.GetOrder(t, order).PayBefore
	list := w.buyer.ListOrders(t, "order_number="+order).Items
	require.Len(t, list, 1)
	assert.Equal(t, deadline, list[0].PayBefore)
	return deadline
}

// did returns what the log of an order has.
func (w *graceSale) did(t *testing.T, order string) (did []string) {
	t.Helper()
	for _, e := range w.buyer.GetOrder(t, order).Events {
		did = append(did, string(e.What))
	}
	return did
}

// money makes the gateway have the money of a payment, and returns its notification.
func (w *graceSale) money(t *testing.T, pay string) site.Payment {
	t.Helper()
	m := w.buyer.GetPayment(t, pay)
	p := site.Payment{
		Number: pay, Transaction: "txn-" + rand.Text(), Amount: m.Amount, Currency: m.Currency, At: w.clock.Now(),
	}
	w.Money(t, p)
	return p
}

func TestAPaymentUnderWayAtTheDeadlineExtendsItsOrdersOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newGraceSale(t, stores)
		one, other, idle := w.order(t), w.order(t), w.order(t)
		deadline := w.deadline(t, one)
		w.clock.Set(deadline.Add(-time.Minute))
		w.begin(t, "first", one, other)
		w.clock.Set(deadline.Add(time.Second))
		w.runMoneyJobs(t)
		assert.Equal(t, "cancelled", w.status(t, idle), "nobody has begun to pay it")
		for _, o := range []string{one, other} {
			assert.Equal(t, deadline.Add(grace), w.deadline(t, o))
			assert.Equal(t, []string{"placed", "pay_extended"}, w.did(t, o))
		}
		w.Number(t)
		assert.Len(t, w.Operator(t).ListEvents(t, "types=order.pay_extended"), 2)

		// The debit failed; another one pays.
		w.begin(t, "second", other)
		third := w.begin(t, "third", one)
		assert.Equal(t, http.StatusOK, w.notify(t, w.money(t, third)).Status)
		assert.Equal(t, "paid", w.status(t, one))

		// A payment is under way again at the end of the grace.
		w.clock.Set(deadline.Add(grace + time.Second))
		w.runMoneyJobs(t)
		w.clock.Advance(time.Minute)
		w.runMoneyJobs(t)
		assert.Equal(t, "cancelled", w.status(t, other))
		assert.Equal(t, deadline.Add(grace), w.deadline(t, other))
		assert.Equal(t, "paid", w.status(t, one))
	})
}

func TestMoneyThatComesAfterTheGraceIsRefunded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newGraceSale(t, stores)
		order := w.order(t)
		deadline := w.deadline(t, order)
		w.clock.Set(deadline.Add(-time.Minute))
		pay := w.begin(t, "key", order)
		for _, at := range []time.Duration{time.Second, grace + time.Second, grace + time.Minute} {
			w.clock.Set(deadline.Add(at))
			w.runMoneyJobs(t)
		}
		assert.Equal(t, "cancelled", w.status(t, order))
		late := w.money(t, pay)
		assert.Equal(t, http.StatusOK, w.notify(t, late).Status)
		w.settle(t)
		n, amount := w.refunds(t, late)
		assert.Equal(t, 1, n)
		assert.Equal(t, late.Amount, amount)
	})
}

func TestAnOrderIsNotExtendedWithoutAPaymentUnderWay(t *testing.T) {
	t.Parallel()
	const due = graceWithin + time.Second
	for name, row := range map[string]struct {
		at     time.Duration // when the jobs run
		before func(t *testing.T, w *graceSale, order string)
	}{
		"nobody has begun to pay": {due, func(*testing.T, *graceSale, string) {}},
		"the payment has expired": {due, func(t *testing.T, w *graceSale, order string) {
			pay := w.begin(t, "key", order)
			w.write(t, `UPDATE payments SET expires_ms = ? WHERE pay_number = ?`, w.deadline(t, order).UnixMilli(), pay)
		}},
		"the sale has no grace any more": {due, func(t *testing.T, w *graceSale, order string) {
			w.begin(t, "key", order)
			a := w.Operator(t).Call(t, http.MethodPatch, "/admin/api/v1/activities/"+w.activity, "",
				map[string]any{"pay_grace_s": 0})
			require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		}},
		"no gateway has begun it": {due, func(t *testing.T, w *graceSale, order string) {
			w.write(t, `UPDATE payments SET next_step = '' WHERE pay_number = ?`, w.begin(t, "key", order))
		}},
		"the grace is over": {due + grace, func(t *testing.T, w *graceSale, order string) {
			w.begin(t, "key", order)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				w := newGraceSale(t, stores)
				order := w.order(t)
				row.before(t, w, order)
				w.clock.Advance(row.at)
				w.runMoneyJobs(t)
				w.clock.Advance(2 * grace)
				w.runMoneyJobs(t)
				assert.Equal(t, []string{"placed", "cancelled"}, w.did(t, order))
			})
		})
	}
}

func (w *graceSale) write(t *testing.T, query string, args ...any) {
	t.Helper()
	_, err := w.Stores.DB.Write.ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
}

// TestNotificationsAndCancelsAndExtensionsOfAnOrderAtOnce has 48 of them at the deadline.
func TestNotificationsAndCancelsAndExtensionsOfAnOrderAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newGraceSale(t, stores)
		order := w.order(t)
		deadline := w.deadline(t, order)
		w.clock.Set(deadline.Add(-time.Minute))
		p := w.money(t, w.begin(t, "key", order))
		w.clock.Set(deadline.Add(time.Second))
		kit.Crowd(48, func(i int) {
			switch i % 3 {
			case 0:
				w.notify(t, p)
			case 1:
				w.TryJob(t, "cancel_unpaid")
			default:
				_, err := w.buyer.Try(context.WithoutCancel(t.Context()), http.MethodPost,
					"/api/v1/orders/"+order+"/cancel",
					"", nil)
				assert.NoError(t, err)
			}
		})
		w.notifyAgain(t, p)
		w.runMoneyJobs(t)
		did := w.did(t, order)
		assert.LessOrEqual(t, len(slices.DeleteFunc(slices.Clone(did), func(what string) bool {
			return what != "pay_extended"
		})), 1, "%v", did)
		n, _ := w.refunds(t, p)
		if w.status(t, order) == "paid" {
			assert.Zero(t, n)
		} else {
			assert.Equal(t, 1, n)
		}
	})
}

// graceModel is what an order must be.
type graceModel struct {
	deadline, expires time.Time // expires: when its payment ends; zero without one
	pay               string
	extended, over    bool
}

// TestTheGraceAgreesWithItsModel draws what happens around the deadlines of orders, in steps of half a minute.
func TestTheGraceAgreesWithItsModel(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newGraceSale(t, stores)
		seed := mathrand.Uint64()
		t.Logf("seed %d", seed)
		random := mathrand.New(mathrand.NewPCG(seed, 1))
		orders := map[string]*graceModel{}
		for range 6 {
			n := w.order(t)
			orders[n] = &graceModel{deadline: w.deadline(t, n)}
		}
		start := w.clock.Now()
		w.clock.Advance(graceWithin - 3*time.Minute)
		for i := 0; w.clock.Now().Before(start.Add(graceWithin + grace + 2*time.Minute)); i++ {
			for n, m := range orders {
				w.step(t, m, n, strconv.Itoa(i), random.IntN(8))
			}
			w.runMoneyJobs(t)
			for n, m := range orders {
				m.decide(w.clock.Now())
				assert.Equal(t, m.over, w.status(t, n) != "unpaid", "order %s at %v", n, w.clock.Now().Sub(start))
				assert.Equal(t, m.deadline, w.deadline(t, n))
			}
			w.clock.Advance(30 * time.Second)
		}
	})
}

// step begins a payment of an order, or pays the one that it has, or does nothing.
func (w *graceSale) step(t *testing.T, m *graceModel, n, key string, draw int) {
	t.Helper()
	now := w.clock.Now()
	switch {
	case m.over:
	case draw == 0 && now.Before(m.deadline):
		m.pay, m.expires = w.begin(t, n+"-"+key, n), m.deadline
		if !m.extended {
			m.expires = m.expires.Add(grace)
		}
	case draw == 1 && m.pay != "" && now.Before(m.expires):
		assert.Equal(t, http.StatusOK, w.notify(t, w.money(t, m.pay)).Status)
		m.over = true
	}
}

// decide is what the jobs must have done by now.
func (m *graceModel) decide(now time.Time) {
	if m.over || now.Before(m.deadline) {
		return
	}
	if !m.extended && m.expires.After(m.deadline) && now.Before(m.deadline.Add(grace)) {
		m.deadline, m.extended = m.deadline.Add(grace), true
		return
	}
	m.over = !now.Before(m.expires)
}
