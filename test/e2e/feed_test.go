package e2e

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// events reads all events of the feed that a query selects.
func events(t *testing.T, s *site.Site, query string) []client.PlatformEvent {
	t.Helper()
	s.Number(t)
	return s.Operator(t).ListEvents(t, query)
}

// courses are the types of the events of each order, in their order.
func courses(found []client.PlatformEvent) map[string][]string {
	byOrder := map[string][]string{}
	for _, e := range found {
		if n := e.Data.Order.OrderNumber; n != "" {
			byOrder[n] = append(byOrder[n], e.Type)
		}
	}
	return byOrder
}

func TestEachChangeOfAnOrderHasOneEventThatShowsTheOrderAsItWasThen(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		refunded, cancelled, due, ordered := w.order(t), w.order(t), w.order(t), w.order(t)
		w.Drain(t)
		require.Equal(t, http.StatusOK, w.notify(t, w.payment(t, refunded)).Status)
		refundNumber := w.Operator(t).RefundOrder(t, refunded, "refund", client.RefundRequest{}).RefundNumber
		w.buyer.CancelOrder(t, cancelled)
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE orders SET pay_before_ms = 1 WHERE number = ?`, due)
		require.NoError(t, err)
		require.Equal(t, 1, w.Job(t, "cancel_unpaid"))
		wrong := w.payment(t, ordered)
		wrong.Amount++
		for range 2 {
			require.Equal(t, http.StatusOK, w.notify(t, wrong).Status)
		}
		late := w.order(t)
		_, err = stores.DB.Write.ExecContext(t.Context(), `UPDATE activity_stock SET total = sold`)
		require.NoError(t, err)
		w.Drain(t)

		found := events(t, w.Site, "")
		assert.Equal(t, map[string][]string{
			refunded:  {"order.placed", "order.paid", "order.refunded"},
			cancelled: {"order.placed", "order.cancelled"},
			due:       {"order.placed", "order.cancelled"},
			ordered:   {"order.placed"},
			late:      {"order.failed"},
		}, courses(found))
		for _, e := range found {
			o, refund := e.Data.Order, e.Data.Refund
			if o.OrderNumber == "" {
				continue
			}
			status := map[string]string{
				"order.placed": "unpaid", "order.paid": "paid", "order.refunded": "refunded",
				"order.cancelled": "cancelled", "order.failed": "failed",
			}[e.Type]
			assert.Equal(t, status, o.Status)
			assert.Equal(t, "buyer", o.UserID)
			assert.Equal(t, status != "paid" && status != "refunded", o.PaidAt.IsZero(), "%v", e)
			assert.Equal(t, status != "cancelled", o.CancelledAt.IsZero(), "%v", e)
			if status == "refunded" {
				assert.Equal(t, []any{refundNumber, o.TotalAmount, o.Currency},
					[]any{refund.RefundNumber, refund.Amount, refund.Currency})
			} else {
				require.Zero(t, refund)
			}
		}
		flags := events(t, w.Site, "types=payment.flagged,refund.failed")
		require.Len(t, flags, 1, "a notification that is repeated flags once")
		assert.Equal(t, "wrong_amount", flags[0].Data.Payment.Flag)
	})
}

func TestRefundsInPartHaveEventsThatShowTheStatusAndAmountAfterEachOfThem(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{Price: 1000})
		order := w.order(t)
		w.Drain(t)
		p := w.payment(t, order)
		require.Equal(t, http.StatusOK, w.notify(t, p).Status)
		refund := func(key string, part client.RefundRequest) { w.Operator(t).RefundOrder(t, order, key, part) }
		type state struct {
			event, status    string
			refunded, amount int64
		}
		states := func() (states []state) {
			for _, e := range events(t, w.Site, "types=order.paid,order.refunded") {
				o := e.Data.Order
				assert.Equal(t, order, o.OrderNumber)
				assert.Equal(t, "buyer", o.UserID)
				assert.EqualValues(t, 1000, o.TotalAmount)
				assert.NotZero(t, o.PaidAt)
				states = append(states, state{e.Type, o.Status, o.RefundedAmount, e.Data.Refund.Amount})
			}
			return states
		}
		refund("1", client.RefundRequest{Amount: 300, Reason: "a scratch"})
		refund("1", client.RefundRequest{Amount: 300, Reason: "a scratch"}) // replayed: nothing happens
		first := []state{{"order.paid", "paid", 0, 0}, {"order.refunded", "paid", 300, 300}}
		assert.Equal(t, first, states(), "before the gateway has sent it")
		refund("2", client.RefundRequest{Amount: 50})
		w.settle(t)
		refund("rest", client.RefundRequest{})
		refused := w.Operator(t).Call(t, http.MethodPost, admin+"/orders/"+order+"/refund", "late", nil)
		assert.Equal(t, http.StatusConflict, refused.Status)
		w.settle(t)
		last := []state{{"order.refunded", "paid", 350, 50}, {"order.refunded", "refunded", 1000, 650}}
		assert.Equal(t, slices.Concat(first, last), states(),
			"each as it was then, although the order is refunded now")
	})
}

// withRefundGivenUp is a sale with a payment whose refund the gateway refused too often.
func withRefundGivenUp(t *testing.T, stores *kit.Stores) (*paySale, site.Payment) {
	t.Helper()
	clock := kit.NewClock(time.Now())
	w := newPaySale(t, stores, site.Sale{}, site.Time(clock.Now))
	order := w.order(t)
	p := w.payment(t, order)
	w.buyer.CancelOrder(t, order)
	require.Equal(t, http.StatusOK, w.notify(t, p).Status)
	_, err := stores.DB.Write.ExecContext(t.Context(), `DELETE FROM sandbox_transactions`)
	require.NoError(t, err, "the gateway doesn't know the money any more")
	for range 14 {
		w.Job(t, "send_refunds")
		clock.Advance(time.Hour)
	}
	return w, p
}

func TestARefundThatIsGivenUpHasOneEvent(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w, p := withRefundGivenUp(t, stores)
		found := events(t, w.Site, "types=refund.failed")
		require.Len(t, found, 1)
		assert.Equal(t, "failed", found[0].Data.Refund.Status)
		assert.Equal(t, p.Number, found[0].Data.Refund.PayNumber)
	})
}

func TestASaleIsAnnouncedOnceForEachOccasion(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Now())
		instances := []*site.Site{
			site.Start(t, stores, site.Idle(), site.Time(clock.Now)),
			site.Start(t, stores, site.Idle(), site.Time(clock.Now)),
		}
		s := instances[0]
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 1}})
		announce := func() {
			done := kit.AtOnce(8, func(i int) site.Answer {
				for _, j := range instances[i%2].Server.Jobs {
					if j.Name == "announce_sales" {
						_, err := j.RunOnce(t.Context())
						assert.NoError(t, err)
					}
				}
				return site.Answer{}
			})
			require.Len(t, done, 8)
		}
		announce()
		buyer := s.Buyer(t, "ada")
		for i := range 2 { // a unit that comes back is sold again
			placed := buyer.Buy(t, activity, "sku", "k"+strconv.Itoa(i)).Placed(t)
			s.Drain(t)
			announce()
			if i == 0 {
				buyer.CancelOrder(t, placed.OrderNumber)
				announce()
			}
		}
		gone := s.Open(t, site.Sale{StartsIn: time.Minute})
		s.Operator(t).TakeActivityOffline(t, gone)
		clock.Advance(24 * time.Hour)
		announce()
		announce()

		byActivity := map[string][]string{}
		for _, e := range events(t, s, "types=activity.published,activity.started,activity.sold_out,activity.ended") {
			id := e.Data.Activity.ActivityID
			byActivity[id] = append(byActivity[id], e.Type)
		}
		assert.Equal(t, []string{
			"activity.published", "activity.started", "activity.sold_out", "activity.sold_out", "activity.ended",
		}, byActivity[activity])
		assert.Equal(t, []string{"activity.published", "activity.ended"}, byActivity[gone])
	})
}

func TestABuyerHearsOfOwnOrdersOnAllInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		activity := instances[0].Open(t, site.Sale{})
		people := []*site.Person{instances[0].Buyer(t, "alice"), instances[0].Buyer(t, "bob")}
		streams := []*site.Stream{
			people[0].At(instances[1]).Follow(t, "/api/v1/me/events"), people[1].Follow(t, "/api/v1/me/events"),
		}
		for i, stream := range streams {
			name, start, more := site.Next[map[string]bool](t, stream)
			require.True(t, more)
			assert.Equal(t, "start", name)
			assert.Equal(t, map[string]bool{"missed": false}, start)
			placed := people[i].Buy(t, activity, "sku", "k").Placed(t)
			for _, want := range []string{"order.placed", "order.cancelled"} {
				name, e, more := site.Next[client.BuyerEvent](t, stream)
				require.True(t, more)
				require.Equal(t, want, name)
				assert.Equal(t, placed.OrderNumber, e.Data.OrderNumber)
				if want == "order.placed" {
					people[i].CancelOrder(t, placed.OrderNumber)
				}
			}
		}
		found := courses(events(t, instances[0], "types=order.placed,order.cancelled"))
		require.Len(t, found, 2)
		for _, types := range found {
			assert.True(t, slices.Equal([]string{"order.placed", "order.cancelled"}, types))
		}
	})
}
