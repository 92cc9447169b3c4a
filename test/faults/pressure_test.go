package faults

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestNoMoreOrdersWaitInALaneThanItsQueueMayHold(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		const limit, buyers = 20, 80
		bounded := site.Configured(func(cfg *server.Config) { cfg.QueueLimit, cfg.Lanes = limit, 1 })
		instances := []*site.Site{
			site.Start(t, stores, site.Idle(), bounded), site.Start(t, stores, site.Idle(), bounded),
		}
		sale := instances[0].Open(t, site.Sale{})
		paths := make([]string, buyers)
		for i := range buyers {
			paths[i] = instances[i%2].Buyer(t, fmt.Sprintf("b%d", i)).Path(t, sale, "sku")
		}
		one := map[string]any{"quantity": 1}
		submit := func(i int) site.Answer {
			return instances[i%2].Buyer(t, fmt.Sprintf("b%d", i)).Ask(http.MethodPost,
				"/api/v1/seckill/"+paths[i]+"/submit", "k", one)
		}
		answers := kit.AtOnce(buyers, submit)
		placed := 0
		for i, a := range answers {
			if a.Status == http.StatusAccepted {
				placed++
				assert.Equal(t, http.StatusAccepted, submit(i).Status, "a replay is answered while the queue is full")
				continue
			}
			assert.Equal(t, "overloaded", a.Code(), string(a.Body))
			assert.NotEmpty(t, a.Header.Get("Retry-After"))
		}
		assert.Equal(t, limit, placed)
		length, err := stores.Redis.LLen(t.Context(), stores.Keys.Queue(1)).Result()
		require.NoError(t, err)
		assert.EqualValues(t, limit, length)

		instances[0].Drain(t)
		for i, a := range answers {
			if a.Status != http.StatusAccepted {
				assert.Equal(t, http.StatusAccepted, submit(i).Status, "the same key is placed once there is room")
				break
			}
		}
	})
}

// submitUntil submits until the answer has the code; submits that are placed count as well.
func submitUntil(t *testing.T, p *site.Person, path, code string) {
	t.Helper()
	last, try := "", 0
	require.Eventually(t, func() bool {
		try++
		last = p.Submit(t, path, fmt.Sprintf("try-%d", try), map[string]any{"quantity": 1}).Code()
		return last == code
	}, 20*time.Second, 5*time.Millisecond, "the answers don't become %q", code)
}

func TestPlacingIsRefusedBeforeTheMemoryOfRedisIsFull(t *testing.T) {
	t.Parallel()
	stores := onOwnRedis(t)
	s := site.Start(t, stores, site.Idle())
	sale := s.Open(t, site.Sale{Stock: map[string]int64{"0": 1 << 30}})
	buyer := s.Buyer(t, "anna")
	path := buyer.Path(t, sale, "sku")
	first := buyer.Submit(t, path, "first", map[string]any{"quantity": 1})
	require.Equal(t, http.StatusAccepted, first.Status, string(first.Body))

	nearlyFull := kit.UsedMemory(t, stores.Redis) * 100 / 93
	require.NoError(t, stores.Redis.ConfigSet(t.Context(), "maxmemory", strconv.FormatInt(nearlyFull, 10)).Err())
	submitUntil(t, buyer, path, "overloaded")
	require.NoError(t, stores.Redis.Set(t.Context(), "any", 1, 0).Err(), "Redis itself would still take it")
	replayed := buyer.Submit(t, path, "first", map[string]any{"quantity": 1})
	assert.Equal(t, http.StatusAccepted, replayed.Status, string(replayed.Body))

	unfill(t, stores)
	submitUntil(t, buyer, path, "")
	s.Drain(t)
	assert.Empty(t, s.Audit(t, sale))
}

func TestNothingIsPlacedWhileRedisMayEvictOrders(t *testing.T) {
	t.Parallel()
	stores := onOwnRedis(t)
	s := site.Start(t, stores, site.Idle())
	sale := s.Open(t, site.Sale{Stock: map[string]int64{"0": 1 << 30}})
	buyer := s.Buyer(t, "anna")
	path := buyer.Path(t, sale, "sku")
	first := buyer.Submit(t, path, "first", map[string]any{"quantity": 1})
	require.Equal(t, http.StatusAccepted, first.Status, string(first.Body))

	require.NoError(t, stores.Redis.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
	submitUntil(t, buyer, path, "unavailable")
	replayed := buyer.Submit(t, path, "first", map[string]any{"quantity": 1})
	assert.Equal(t, http.StatusAccepted, replayed.Status, string(replayed.Body))
	before := stores.Redis.LLen(t.Context(), stores.Keys.Queue(1)).Val()
	refused := buyer.Submit(t, path, "refused", map[string]any{"quantity": 1})
	assert.Equal(t, "unavailable", refused.Code())
	assert.Equal(t, before, stores.Redis.LLen(t.Context(), stores.Keys.Queue(1)).Val())

	require.NoError(t, stores.Redis.ConfigSet(t.Context(), "maxmemory-policy", "noeviction").Err())
	submitUntil(t, buyer, path, "")
}

// The instance's clock doesn't advance, so that only broken connections make it check the policy again.
func TestTheEvictionPolicyIsCheckedAfterAReconnect(t *testing.T) {
	t.Parallel()
	stores := onOwnRedis(t)
	now := time.Now()
	s := site.Start(t, stores, site.Idle(), site.Now(func() time.Time { return now }))
	sale := s.Open(t, site.Sale{})
	buyer := s.Buyer(t, "anna")
	path := buyer.Path(t, sale, "sku")
	first := buyer.Submit(t, path, "first", map[string]any{"quantity": 1})
	require.Equal(t, http.StatusAccepted, first.Status, string(first.Body))

	admin := stores.ConnectRedis(t)
	require.NoError(t, admin.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
	require.NoError(t, admin.Do(t.Context(), "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").Err())
	buyer.Submit(t, path, "reconnects", map[string]any{"quantity": 1})
	before := admin.LLen(t.Context(), stores.Keys.Queue(1)).Val()
	for i := range 20 {
		a := buyer.Submit(t, path, fmt.Sprintf("k%d", i), map[string]any{"quantity": 1})
		require.Equal(t, "unavailable", a.Code(), "submit %d: %s", i, a.Body)
	}
	assert.Equal(t, before, admin.LLen(t.Context(), stores.Keys.Queue(1)).Val())
}
