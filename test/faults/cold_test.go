package faults

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/modules/redisdb"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestAnInstanceThatStartsWithoutSQLSellsWhatIsLoaded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		warm := site.Start(t, stores, site.Idle())
		running := warm.Open(t, site.Sale{})
		soonOn := warm.Open(t, site.Sale{SKU: "later", StartsIn: 1 << 40})
		off := warm.Open(t, site.Sale{SKU: "other"})
		stale, err := stores.Redis.Get(t.Context(), stores.Keys.Sale(off)).Bytes()
		require.NoError(t, err)
		a := warm.Operator(t).Call(t, http.MethodPost, "/admin/api/v1/activities/"+off+"/offline", "", nil)
		require.Equal(t, http.StatusOK, a.Status, string(a.Body))

		stores.SQLAway(t)
		cold := site.Start(t, stores, site.Idle())
		alice := cold.Buyer(t, "alice")
		number := placed(t, alice.Buy(t, running, "sku", "k1"))
		refused := alice.Call(t, http.MethodPost, "/api/v1/seckill/path", "",
			map[string]any{"activity_id": off, "sku_id": "other"})
		assert.Equal(t, "offline", refused.Code())
		unknown := alice.Call(t, http.MethodGet, "/api/v1/activities/unknown", "", nil)
		assert.Equal(t, "unavailable", unknown.Code(), "it may exist")
		ids := []string{}
		for _, item := range get(t, alice, "/api/v1/activities")["items"].([]any) {
			ids = append(ids, item.(map[string]any)["activity_id"].(string))
		}
		assert.Equal(t, []string{running, soonOn}, ids)
		assert.Len(t, get(t, alice, "/api/v1/activities?state=running")["items"], 1)

		// A copy that is older than the sale's end by an operator brings nothing back.
		require.NoError(t, stores.Redis.Set(t.Context(), stores.Keys.Sale(off), stale, 0).Err())
		other := site.Start(t, stores, site.Idle())
		assert.Equal(t, "offline", other.Buyer(t, "bob").Buy(t, off, "other", "k1").Code())

		stores.SQLBack(t)
		waitFor(t, "SQL answers", func() bool { return stores.DB.Write.PingContext(t.Context()) == nil })
		cold.Drain(t)
		assert.Equal(t, "sql", get(t, alice, "/api/v1/orders/"+number)["source"])
		assert.Empty(t, cold.Audit(t, running))
	}, kit.Breakable())
}

func TestPathsAreGivenWhenSQLBecomesUnavailableAfterTheStart(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		running := site.Start(t, stores, site.Idle()).Open(t, site.Sale{})
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Sale(running)).Err())
		s := site.Start(t, stores, site.Idle())
		copied, err := stores.Redis.Exists(t.Context(), stores.Keys.Sale(running)).Result()
		require.NoError(t, err)
		assert.EqualValues(t, 1, copied, "a copy that is missing is written")
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Sale(running)).Err())
		stores.SQLAway(t)
		placed(t, s.Buyer(t, "alice").Buy(t, running, "sku", "k1"))
		stores.SQLBack(t)
	}, kit.Breakable())
}

// onStores is a configuration of the program over the stores of a test.
func onStores(stores *kit.Stores) server.Config {
	return server.Config{
		RedisURL: stores.RedisURL, MySQLDSN: stores.MySQLDSN, Lanes: 4, SQLConnections: 32, Addr: "127.0.0.1:0",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32),
	}
}

func TestProgramStartsWithoutSQLAndUsesItWhenItAnswers(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t, kit.Breakable(), kit.NoSchema())
	stores.SQLAway(t)
	cfg := onStores(stores)
	parts, closeStores, err := server.Open(t.Context(), &cfg, slog.New(slog.DiscardHandler), nil)
	require.NoError(t, err)
	t.Cleanup(closeStores)
	s, err := server.New(cfg, parts)
	require.NoError(t, err)
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()

	instance := site.Remote(t, "http://"+ln.Addr().String())
	down := func() []string {
		unavailable := []string{}
		if ok, state := ready(t, instance); !ok {
			for _, name := range []string{"redis", "sql"} {
				if state[name] == "down" {
					unavailable = append(unavailable, name)
				}
			}
		}
		return unavailable
	}
	assert.Equal(t, []string{"sql"}, down(), "it serves what needs no SQL")
	stores.SQLBack(t)
	waitFor(t, "all is well", func() bool { return len(down()) == 0 })
	waitFor(t, "jobs run on the new schema", func() bool {
		var runs int
		return stores.DB.Read.GetContext(t.Context(), &runs, `SELECT COUNT(*) FROM job_runs`) == nil && runs > 0
	})
	stop()
	require.NoError(t, <-served)
}

// The password of Redis was changed, or is wrong.
func TestAProgramThatRedisRefusesStartsWithoutItAndSaysSo(t *testing.T) {
	t.Parallel()
	stores, _ := ownRedis(t)
	running := site.Start(t, stores, site.Idle()).Open(t, site.Sale{})
	refused := *stores
	var err error
	refused.Redis, err = redisdb.Connect("redis://nobody:wrong@" + stores.RedisAddr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = refused.Redis.Close() })
	s := site.Start(t, &refused, site.Idle())
	s.Server.Preheat(t.Context())
	ok, checks := ready(t, s)
	assert.False(t, ok)
	assert.Equal(t, map[string]any{"redis": "down", "sql": "ok"}, checks)
	alice := s.Buyer(t, "alice")
	assert.Equal(t, "unavailable", alice.Buy(t, running, "sku", "key").Code())
	assert.True(t, get(t, alice, "/api/v1/orders")["partial"].(bool))
	for _, job := range s.Server.Jobs {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		assert.NotPanics(t, func() { _, _ = job.RunOnce(ctx) }, job.Name)
		cancel()
	}
}
