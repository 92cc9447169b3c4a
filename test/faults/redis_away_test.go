package faults

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

const (
	// answeredWithin is the maximum time of a submit while Redis is unavailable. It is compared with
	// the median of several, since other tests on the machine may delay one of them.
	answeredWithin = time.Second
	submits        = 5
)

// withoutRedis makes Redis unavailable to an instance and checks the guarantees: a buyer has one stored
// order and one that only Redis has.
func withoutRedis(t *testing.T, stores *kit.Stores, away, back func()) {
	t.Helper()
	s := site.Start(t, stores, site.Idle())
	activity := s.Open(t, site.Sale{})
	alice := s.Buyer(t, "alice")
	stored := placed(t, alice.Buy(t, activity, "sku", "stored"))
	s.Drain(t)
	cached := placed(t, alice.Buy(t, activity, "sku", "cached"))
	path := alice.Path(t, activity, "sku")

	away()
	waitFor(t, "redis is down", func() bool {
		ok, checks := ready(t, s)
		return !ok && checks["redis"] == "down" && checks["sql"] == "ok"
	})
	task := requireUnavailable(t, alice, path)
	sources, partial := list(t, alice)
	assert.True(t, partial, "partial")
	assert.Equal(t, map[string]string{stored: "sql"}, sources)
	assert.Equal(t, "sql", get(t, alice, "/api/v1/orders/"+stored)["source"])
	unknown := alice.Call(t, http.MethodGet, "/api/v1/orders/"+cached, "", nil)
	assert.Equal(t, "unavailable", unknown.Code(), "an order that Redis may have: %s", unknown.Body)
	cancelled := alice.Call(t, http.MethodPost, "/api/v1/orders/"+stored+"/cancel", "", nil)
	assert.Equal(t, http.StatusOK, cancelled.Status, "the cancel of a stored order: %s", cancelled.Body)

	back()
	waitFor(t, "redis is back", func() bool { ok, _ := ready(t, s); return ok })
	s.Job(t, "preheat") // loads what a Redis that was killed has lost
	again := alice.Submit(t, path, "away-0", map[string]any{"quantity": 1})
	number := placed(t, again)
	assert.Equal(t, task, again.JSON(t)["task_id"], "the task that the 503 named")
	assert.Equal(t, cached, placed(t, alice.Submit(t, path, "cached", map[string]any{"quantity": 1})),
		"the key from before")
	s.Drain(t)
	s.Job(t, "settle_stock")
	sources, partial = list(t, alice)
	assert.False(t, partial)
	assert.Equal(t, map[string]string{stored: "sql", cached: "sql", number: "sql"}, sources)
	assert.Equal(t, map[string]string{"sku": "98", "sku~0": "98"}, remaining(t, s, activity),
		"three taken, one cancelled")
	requireSound(t, stores, activity)
	assert.Empty(t, s.Audit(t, activity))
}

// requireUnavailable submits without Redis: each is refused in time, with a task that a retry
// finds; it returns the first one's.
func requireUnavailable(t *testing.T, p *site.Person, path string) (task string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), submits*10*time.Second)
	defer cancel()
	var took []time.Duration
	for range submits {
		began := time.Now()
		a, err := p.Try(ctx, http.MethodPost, "/api/v1/seckill/"+path+"/submit", "away-0",
			map[string]any{"quantity": 1})
		took = append(took, time.Since(began))
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, a.Status, string(a.Body))
		require.Equal(t, "unavailable", a.Code())
		task, _ = a.JSON(t)["task_id"].(string)
		require.NotEmpty(t, task)
	}
	slices.Sort(took)
	assert.Less(t, took[submits/2], answeredWithin, "the 503s took %s", took)
	return task
}

func TestWithoutRedisSubmitAnswersUnavailableAndListsShowSQL(t *testing.T) {
	t.Parallel()
	t.Run("cut off", func(t *testing.T) {
		t.Parallel()
		kit.Each(t, func(t *testing.T, stores *kit.Stores) {
			withoutRedis(t, stores, func() { stores.RedisAway(t) }, func() { stores.RedisBack(t) })
		}, kit.Breakable())
	})
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		stores, server := ownRedis(t, kit.FsyncAlways())
		withoutRedis(t, stores, func() { server.Kill(t) }, func() { server.Restart(t) })
	})
	t.Run("frozen", func(t *testing.T) {
		t.Parallel()
		stores, server := ownRedis(t)
		withoutRedis(t, stores, func() { server.Freeze(t) }, func() { server.Thaw(t) })
	})
}
