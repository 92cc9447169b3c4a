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
)

// events reads all events of the feed, page by page.
func events(t *testing.T, s *site.Site, query string) (found []map[string]any) {
	t.Helper()
	s.Number(t)
	operator, after := s.Operator(t), "0"
	for {
		page := must(t, http.StatusOK, operator.Call(t, http.MethodGet,
			"/admin/api/v1/events?limit=5&after="+after+query, "", nil))
		for _, e := range page["items"].([]any) {
			found = append(found, e.(map[string]any))
		}
		after = page["next_after"].(string)
		if page["more"] == false {
			return found
		}
	}
}

// courses are the types of the events of each order, in their order.
func courses(found []map[string]any) map[string][]string {
	byOrder := map[string][]string{}
	for _, e := range found {
		if o, ok := e["data"].(map[string]any)["order"].(map[string]any); ok {
			n := o["order_number"].(string)
			byOrder[n] = append(byOrder[n], e["type"].(string))
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
		refundNumber := must(t, http.StatusAccepted, w.Operator(t).Call(t, http.MethodPost,
			"/admin/api/v1/orders/"+refunded+"/refund", "refund", nil))["refund_number"]
		must(t, http.StatusOK, w.buyer.Call(t, http.MethodPost, "/api/v1/orders/"+cancelled+"/cancel", "", nil))
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
			o, ok := e["data"].(map[string]any)["order"].(map[string]any)
			if !ok {
				continue
			}
			status := map[string]string{
				"order.placed": "unpaid", "order.paid": "paid", "order.refunded": "refunded",
				"order.cancelled": "cancelled", "order.failed": "failed",
			}[e["type"].(string)]
			assert.Equal(t, status, o["status"])
			assert.Equal(t, "buyer", o["user_id"])
			assert.Equal(t, status == "paid" || status == "refunded", o["paid_at"] != nil, "%v", e)
			assert.Equal(t, status == "cancelled", o["cancelled_at"] != nil, "%v", e)
			assert.NotContains(t, o, "events")
			refund, told := e["data"].(map[string]any)["refund"].(map[string]any)
			require.Equal(t, status == "refunded", told)
			if told {
				assert.Equal(t, refundNumber, refund["refund_number"])
				assert.Equal(t, o["total_amount"], refund["amount"])
				assert.Equal(t, o["currency"], refund["currency"])
			}
		}
		flags := events(t, w.Site, "&types=payment.flagged,refund.failed")
		require.Len(t, flags, 1, "a notification that is repeated flags once")
		assert.Equal(t, "wrong_amount", flags[0]["data"].(map[string]any)["payment"].(map[string]any)["flag"])
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
		refund := func(key string, part any) {
			must(t, http.StatusAccepted, w.Operator(t).Call(t, http.MethodPost, admin+"/orders/"+order+"/refund", key,
				part))
		}
		states := func() (states []any) {
			for _, e := range events(t, w.Site, "&types=order.paid,order.refunded") {
				o := e["data"].(map[string]any)["order"].(map[string]any)
				assert.Equal(t, order, o["order_number"])
				assert.Equal(t, "buyer", o["user_id"])
				assert.EqualValues(t, 1000, o["total_amount"])
				assert.NotNil(t, o["paid_at"])
				refund, _ := e["data"].(map[string]any)["refund"].(map[string]any)
				states = append(states, []any{e["type"], o["status"], o["refunded_amount"], refund["amount"]})
			}
			return states
		}
		refund("1", map[string]any{"amount": 300, "reason": "a scratch"})
		refund("1", map[string]any{"amount": 300, "reason": "a scratch"}) // replayed: nothing happens
		first := []any{[]any{"order.paid", "paid", nil, nil}, []any{"order.refunded", "paid", 300.0, 300.0}}
		assert.Equal(t, first, states(), "before the gateway has sent it")
		refund("2", map[string]any{"amount": 50})
		w.settle(t)
		refund("rest", nil)
		refused := w.Operator(t).Call(t, http.MethodPost, admin+"/orders/"+order+"/refund", "late", nil)
		assert.Equal(t, http.StatusConflict, refused.Status)
		w.settle(t)
		assert.Equal(t, append(first, []any{"order.refunded", "paid", 350.0, 50.0},
			[]any{"order.refunded", "refunded", 1000.0, 650.0}),
			states(), "each as it was then, although the order is refunded now")
	})
}

// withRefundGivenUp is a sale with a payment whose refund the gateway refused too often.
func withRefundGivenUp(t *testing.T, stores *kit.Stores) (*paySale, site.Payment) {
	t.Helper()
	clock := kit.NewClock(time.Now())
	w := newPaySale(t, stores, site.Sale{}, site.Time(clock.Now))
	order := w.order(t)
	p := w.payment(t, order)
	must(t, http.StatusOK, w.buyer.Call(t, http.MethodPost, "/api/v1/orders/"+order+"/cancel", "", nil))
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
		found := events(t, w.Site, "&types=refund.failed")
		require.Len(t, found, 1)
		refund := found[0]["data"].(map[string]any)["refund"].(map[string]any)
		assert.Equal(t, "failed", refund["status"])
		assert.Equal(t, p.Number, refund["pay_number"])
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
			placed := must(t, http.StatusAccepted, buyer.Buy(t, activity, "sku", "k"+strconv.Itoa(i)))
			s.Drain(t)
			announce()
			if i == 0 {
				must(t, http.StatusOK, buyer.Call(t, http.MethodPost,
					"/api/v1/orders/"+placed["order_number"].(string)+"/cancel", "", nil))
				announce()
			}
		}
		gone := s.Open(t, site.Sale{StartsIn: time.Minute})
		must(t, http.StatusOK, s.Operator(t).Call(t, http.MethodPost, "/admin/api/v1/activities/"+gone+"/offline",
			"", nil))
		clock.Advance(24 * time.Hour)
		announce()
		announce()

		byActivity := map[string][]string{}
		for _, e := range events(t, s, "&types=activity.published,activity.started,activity.sold_out,activity.ended") {
			a := e["data"].(map[string]any)["activity"].(map[string]any)
			byActivity[a["activity_id"].(string)] = append(byActivity[a["activity_id"].(string)], e["type"].(string))
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
			name, start, more := stream.Next(t)
			require.True(t, more)
			assert.Equal(t, "start", name)
			assert.Equal(t, map[string]any{"missed": false}, start)
			placed := must(t, http.StatusAccepted, people[i].Buy(t, activity, "sku", "k"))
			for _, want := range []string{"order.placed", "order.cancelled"} {
				name, e, more := stream.Next(t)
				require.True(t, more)
				require.Equal(t, want, name)
				assert.Equal(t, placed["order_number"], e["data"].(map[string]any)["order_number"])
				if want == "order.placed" {
					must(t, http.StatusOK, people[i].Call(t, http.MethodPost,
						"/api/v1/orders/"+placed["order_number"].(string)+"/cancel", "", nil))
				}
			}
		}
		found := courses(events(t, instances[0], "&types=order.placed,order.cancelled"))
		require.Len(t, found, 2)
		for _, types := range found {
			assert.True(t, slices.Equal([]string{"order.placed", "order.cancelled"}, types))
		}
	})
}
