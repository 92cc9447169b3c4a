package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// one is the body of a submit of one unit.
var one = client.SubmitRequest{Quantity: 1}

// bought is a buyer who has placed an order and may ask for it again.
type bought struct {
	*site.Person

	path  string
	first site.Answer
}

// buyOnce lets a buyer place an order with the key "k1".
func buyOnce(t *testing.T, s *site.Site, activity, name string) bought {
	t.Helper()
	b := bought{Person: s.Buyer(t, name)}
	b.path = b.Path(t, activity, "sku")
	b.first = b.Submit(t, b.path, "k1", one)
	require.Equal(t, http.StatusAccepted, b.first.Status, string(b.first.Body))
	return b
}

// requireReplay asks for the order again.
func (b bought) requireReplay(t *testing.T, when string) {
	t.Helper()
	again := b.Submit(t, b.path, "k1", one)
	require.Equal(t, http.StatusAccepted, again.Status, "%s: %s", when, again.Body)
	require.Equal(t, b.first.Task(t), again.Task(t), when)
}

// requireRefusal expects a problem with a status and a code.
func requireRefusal(t *testing.T, a site.Answer, status int, code string) {
	t.Helper()
	require.Equal(t, code, a.Code(), "%d: %s", a.Status, a.Body)
	require.Equal(t, status, a.Status, string(a.Body))
	require.Equal(t, "application/problem+json", a.Header.Get("Content-Type"))
}

func TestARetryIsAnsweredAfterTheSaleWentOffline(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice := buyOnce(t, s, activity, "alice")
		s.Operator(t).TakeActivityOffline(t, activity)

		alice.requireReplay(t, "cached")
		requireRefusal(t, alice.Submit(t, alice.path, "k2", one), http.StatusConflict, "offline")
		s.Drain(t)
		alice.requireReplay(t, "stored")
		assert.Empty(t, s.Audit(t, activity))
	})
}

func TestARetryIsAnsweredAfterTheSaleHasEnded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice := buyOnce(t, s, activity, "alice")
		endNow(t, s, activity)

		alice.requireReplay(t, "cached")
		requireRefusal(t, alice.Submit(t, alice.path, "k2", one), http.StatusConflict, "ended")
		s.Drain(t)
		alice.requireReplay(t, "stored")
		stores.LoseRedis(t)
		alice.requireReplay(t, "stored, and forgotten by Redis")
		requireRefusal(t, alice.Submit(t, alice.path, "k2", one), http.StatusConflict, "ended")
	})
}

func TestARetryIsAnsweredWhileAllSalesAreStopped(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		alice := buyOnce(t, s, s.Open(t, site.Sale{}), "alice")
		changeSettings(t, s.Operator(t), map[string]any{"sales_stopped": true})

		alice.requireReplay(t, "cached")
		s.Drain(t)
		stores.LoseRedis(t)
		alice.requireReplay(t, "stored, and forgotten by Redis")
		requireRefusal(t, alice.Submit(t, alice.path, "k2", one), http.StatusConflict, "sales_stopped")
	})
}

// endNow moves the window of a sale so that it has just ended, and waits until buyers see it.
func endNow(t *testing.T, s *site.Site, activity string) {
	t.Helper()
	ends := time.Now().Add(-time.Millisecond).UnixMilli()
	_, err := s.Stores.DB.Write.ExecContext(t.Context(), `UPDATE activities SET ends_ms = ? WHERE activity_id = ?`,
		ends, activity)
	require.NoError(t, err)
	meta := s.Stores.Keys.Meta(site.Lane(t, s.Stores, activity), activity)
	require.NoError(t, s.Stores.Redis.HSet(t.Context(), meta, "ends_ms", ends).Err())
	buyer := s.Buyer(t, "onlooker")
	site.Poll(t, buyer, "/api/v1/activities/"+activity, func(a client.Activity) bool { return a.State == "ended" })
}

func TestARetryIsAnsweredAfterThePathHasExpired(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Now())
		s := site.Start(t, stores, site.Idle(), site.Time(clock.Now))
		activity := s.Open(t, site.Sale{EndsIn: 24 * time.Hour})
		alice := buyOnce(t, s, activity, "alice")

		// Whatever asks Redis corrects the instance's clock, so it goes wrong before each call.
		pass := func() { clock.Advance(3 * time.Minute) }
		pass()
		alice.requireReplay(t, "cached")
		pass()
		requireRefusal(t, alice.Submit(t, alice.path, "k2", one), http.StatusForbidden, "path_expired")
		pass()
		requireRefusal(t, alice.Call(t, http.MethodPost, "/api/v1/seckill/"+alice.path+"/confirm", "", one),
			http.StatusForbidden, "path_expired")
		pass()
		requireRefusal(t, alice.Submit(t, alice.path, "k1", client.SubmitRequest{Quantity: 2}),
			http.StatusUnprocessableEntity, "idempotency_key_reused")
		s.Drain(t)
		pass()
		alice.requireReplay(t, "stored")
		stores.LoseRedis(t)
		pass()
		alice.requireReplay(t, "stored, and forgotten by Redis")
		pass()
		requireRefusal(t, alice.Submit(t, alice.path, "k2", one), http.StatusForbidden, "path_expired")
	})
}

func TestRetryOfTheOrderOfTheLastUnitIsAnswered(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 1}, PurchaseLimit: 1})
		alice := buyOnce(t, s, activity, "alice")

		alice.requireReplay(t, "cached")
		s.Drain(t)
		alice.requireReplay(t, "stored")
		requireRefusal(t, alice.Submit(t, alice.path, "k2", one), http.StatusConflict, "purchase_limit")
		assert.Equal(t, "0", site.Stock(t, stores, activity)["sku"])
	})
}

// Redis has forgotten everything and nothing has loaded the sale again: SQL answers.
func TestRetryIsAnsweredWhenRedisHasLostTheSale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 3}})
		alice := buyOnce(t, s, activity, "alice")
		bob := s.Buyer(t, "bob")
		bobs := bob.Path(t, activity, "sku")
		s.Drain(t)
		stores.LoseRedis(t)

		alice.requireReplay(t, "forgotten")
		assert.Equal(t, "SUCCESS", alice.GetTask(t, alice.first.Placed(t).TaskID).Status)
		requireRefusal(t, alice.Submit(t, alice.path, "k1", client.SubmitRequest{Quantity: 2}),
			http.StatusUnprocessableEntity, "idempotency_key_reused")
		requireRefusal(t, bob.Submit(t, bobs, "k1", one), http.StatusServiceUnavailable, "unavailable")

		assert.Equal(t, 1, s.Job(t, "preheat"))
		alice.requireReplay(t, "loaded again")
		a := bob.Submit(t, bobs, "k1", one)
		require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
		assert.Equal(t, "1", site.Stock(t, stores, activity)["sku"])
		s.Drain(t)
		assert.Empty(t, s.Audit(t, activity))
	})
}
