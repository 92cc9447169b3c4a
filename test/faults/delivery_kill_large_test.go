//go:build large

package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/events"
	"onrush/test/kit"
	"onrush/test/site"
)

// oneRefused is the inverse of the probability that a receiver refuses a request.
const oneRefused = 100

// receiver is an endpoint that verifies signatures and refuses some requests at random.
type receiver struct {
	*httptest.Server

	mu       sync.Mutex
	random   *rand.Rand
	hook     *webhooks.Webhook
	requests int
	accepted map[string]int // how often, by event id
	first    []string       // ids of accepted events in the order in which they first came
	wrong    []string
}

func receive(t *testing.T, random *rand.Rand) *receiver {
	t.Helper()
	r := &receiver{random: random, accepted: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.answer))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the sender was killed in the middle of it
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	var event struct {
		ID string `json:"event_id"`
	}
	if err := r.hook.Verify(body, req.Header); err != nil {
		r.wrong = append(r.wrong, err.Error())
	}
	if err := json.Unmarshal(body, &event); err != nil || req.Header.Get("webhook-id") != "evt_"+event.ID {
		r.wrong = append(r.wrong, string(body))
	}
	if r.random.IntN(oneRefused) == 0 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if r.accepted[event.ID]++; r.accepted[event.ID] == 1 {
		r.first = append(r.first, event.ID)
	}
}

// got returns how many requests came.
func (r *receiver) got() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}

// has reports whether all events were accepted.
func (r *receiver) has(all []events.Event) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range all {
		if r.accepted[strconv.FormatInt(all[i].ID, 10)] == 0 {
			return false
		}
	}
	return true
}

// orderEvents reads all events of orders from the feed; none if some have no position yet.
func (p *program) orderEvents(t *testing.T) (found []events.Event) {
	t.Helper()
	if count(t, p.stores, `SELECT COUNT(*) FROM events WHERE position IS NULL`) > 0 {
		return nil
	}
	feed, after := events.NewFeed(p.stores.DB), int64(0)
	for {
		page, next, err := feed.Read(t.Context(), after, nil, 1000)
		require.NoError(t, err)
		if len(page) == 0 {
			return found
		}
		for _, e := range page {
			if strings.HasPrefix(e.Type, "order.") {
				found = append(found, e)
			}
		}
		after = next
	}
}

// killDeliverer kills the program, starts it again, and lets the lease of the killed one end at once, for which a new
// one waits 40 seconds otherwise.
func (p *program) killDeliverer(t *testing.T) {
	t.Helper()
	p.kill(t)
	_, err := p.stores.DB.Write.ExecContext(t.Context(), `UPDATE endpoints SET lease_until_ms = 1`)
	require.NoError(t, err)
	p.start(t)
}

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

func TestEachEventOfAnOrderIsDeliveredInTurnWhenTheProgramIsKilled(t *testing.T) {
	t.Parallel()
	const buyers, kills = 120, 5
	random := kit.Rand(11)
	p, _ := newProgram(t)
	p.env = append(p.env, "ONRUSH_EVENTS_ALLOW_PRIVATE=true")
	activity := p.inspector.Open(t, site.Sale{Stock: map[string]int64{"0": buyers}})
	p.start(t)
	to := receive(t, kit.Rand(12))
	to.mu.Lock() // what comes waits until the secret is known
	made := p.inspector.Operator(t).At(p.running()).Call(t, http.MethodPut, "/admin/api/v1/endpoints/erp", "",
		map[string]any{"url": to.URL})
	require.Equal(t, http.StatusCreated, made.Status, string(made.Body))
	var err error
	to.hook, err = webhooks.NewWebhook(made.JSON(t)["secret"].(string))
	to.mu.Unlock()
	require.NoError(t, err)

	r := newBuyerGroup(p, activity)
	var all sync.WaitGroup
	t.Cleanup(func() { p.giveUp(); all.Wait() })
	all.Go(func() { inParallel(buyers, 16, func(i int) { r.buyAndPay(t, i) }) })
	for range kills {
		after := to.got() + 1 + random.IntN(30) // requests, so that it is in the middle of a round
		waitFor(t, "enough deliveries", func() bool { return to.got() >= after })
		p.killDeliverer(t)
	}
	all.Wait()
	r.requireMoved(t)

	var want []events.Event
	waitFor(t, "all events are delivered", func() bool {
		want = p.orderEvents(t)
		return len(want) >= 2*buyers && to.has(want)
	})
	to.mu.Lock()
	defer to.mu.Unlock()
	assert.Empty(t, to.wrong)
	at, again := map[string]int{}, 0
	for i, id := range to.first {
		at[id] = i
		again += to.accepted[id] - 1
	}
	last := map[string]int{}
	for _, e := range want {
		now := at[strconv.FormatInt(e.ID, 10)]
		if before, ok := last[e.Subject]; ok {
			assert.Greater(t, now, before, "%s of %s came before an earlier event", e.Type, e.Subject)
		}
		last[e.Subject] = now
	}
	assert.Len(t, last, buyers)
	t.Logf("%d events, %d requests, %d repeated", len(want), to.requests, again)
}
