package server

import (
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"onrush/modules/redisdb"
	"onrush/web"
)

func TestProgramStartsWithoutItsStoresAndReportsIt(t *testing.T) {
	t.Parallel()
	cfg := Config{
		SQLConnections: 32, RedisURL: "redis://:geheim@127.0.0.1:1/0", MySQLDSN: "user:geheim@tcp(127.0.0.1:1)/onrush",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32), Lanes: 4, Addr: "127.0.0.1:0",
	}
	var log strings.Builder
	parts, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.NewTextHandler(&log, nil)), nil)
	require.NoError(t, err)
	t.Cleanup(closeStores)
	require.Error(t, parts.Prepare(t.Context()))
	require.ErrorIs(t, parts.DB.Write.PingContext(t.Context()), errNotPrepared,
		"nothing is written before the schema is checked")
	require.Equal(t, 1, strings.Count(log.String(), "SQL is unavailable"), log.String())
	require.Equal(t, 1, strings.Count(log.String(), "redis is unavailable"), log.String())
	require.NotContains(t, log.String(), "geheim")
	s, err := New(cfg, parts)
	require.NoError(t, err)
	t.Cleanup(s.quit)
	require.Equal(t, web.Ready{Status: "down", Unavailable: []string{"redis", "sql"}}, s.health.Ready())
	s.App.Handler() // builds the routes
	s.mounted.open.Store(true)
	for _, call := range [][2]string{
		{http.MethodGet, "/admin/api/v1/skus/lamp"},
		{http.MethodDelete, "/admin/api/v1/endpoints/one"},
		{http.MethodPost, "/admin/api/v1/refunds:retry"},
	} {
		var request fasthttp.Request
		request.Header.SetMethod(call[0])
		request.SetRequestURI(call[1])
		request.Header.Set("Idempotency-Key", "key")
		var answered fasthttp.RequestCtx
		answered.Init(&request, nil, nil)
		s.CallAsOperator(&answered, "olga")
		require.Equal(t, http.StatusServiceUnavailable, answered.Response.StatusCode(), call)
	}
}

func TestProgramStartsWhileSQLAcceptsConnectionsWithoutAnswering(t *testing.T) {
	t.Parallel()
	frozen, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts connections, as it does for a frozen server
	require.NoError(t, err)
	t.Cleanup(func() { _ = frozen.Close() })
	cfg := Config{
		SQLConnections: 32, RedisURL: "redis://127.0.0.1:1/0",
		MySQLDSN: "user@tcp(" + frozen.Addr().String() + ")/onrush", JWTSecret: strings.Repeat("j", 32),
		PathSecret: strings.Repeat("p", 32), Lanes: 4, Addr: "127.0.0.1:0",
	}
	began := time.Now()
	parts, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler), nil)
	require.NoError(t, err)
	t.Cleanup(closeStores)
	require.NotNil(t, parts.Prepare, "the schema is checked when it answers")
	require.Less(t, time.Since(began), 10*time.Second)
}

func TestMalformedDSNIsRefused(t *testing.T) {
	t.Parallel()
	cfg := Config{
		SQLConnections: 32, RedisURL: "redis://127.0.0.1:1/0", MySQLDSN: "mysql://user:geheim@host/onrush",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32), Lanes: 4,
	}
	_, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler), nil)
	require.ErrorIs(t, err, ErrConfig)
	require.NotContains(t, err.Error(), "geheim")
	require.Nil(t, closeStores)
}

// miniInfo serves a Redis that answers what a test sets: its INFO, which is a version or a refusal, and
// maxmemory-policy. With an empty INFO the Redis is not available yet. sets counts the values that were written to it.
func miniInfo(t *testing.T) (addr string, info, policy *atomic.Value, sets *atomic.Int64) {
	t.Helper()
	server, err := miniserver.NewServer("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(server.Close)
	info, policy, sets = &atomic.Value{}, &atomic.Value{}, &atomic.Int64{}
	info.Store("")
	policy.Store("noeviction")
	ready := func(c *miniserver.Peer, answer func()) {
		if info.Load() == "" {
			c.WriteError("LOADING Redis is loading the dataset in memory")
			return
		}
		answer()
	}
	for name, answer := range map[string]miniserver.Cmd{
		"PING": func(c *miniserver.Peer, _ string, _ []string) { ready(c, func() { c.WriteInline("PONG") }) },
		"SET": func(c *miniserver.Peer, _ string, _ []string) {
			sets.Add(1)
			c.WriteInline("OK")
		},
		"INFO": func(c *miniserver.Peer, _ string, _ []string) {
			if answer := info.Load().(string); strings.HasPrefix(answer, "NOPERM") {
				c.WriteError(answer)
				return
			}
			ready(c, func() {
				c.WriteBulk("redis_version:" + info.Load().(string) + "\r\n" +
					"maxmemory_policy:" + policy.Load().(string) + "\r\n")
			})
		},
	} {
		require.NoError(t, server.Register(name, answer))
	}
	return server.Addr().String(), info, policy, sets
}

func TestARedisThatComesAfterTheStartIsRefusedAsAtTheStart(t *testing.T) {
	t.Parallel()
	addr, info, policy, sets := miniInfo(t)
	cfg := Config{
		SQLConnections: 32, RedisURL: "redis://" + addr + "/0", MySQLDSN: "user@tcp(127.0.0.1:1)/onrush",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32), Lanes: 4,
	}
	var log strings.Builder
	parts, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.NewTextHandler(&log, nil)), nil)
	require.NoError(t, err)
	t.Cleanup(closeStores)
	write := func() error { return parts.Redis.Set(t.Context(), "k", "v", 0).Err() }
	require.Error(t, write(), "it is not there yet")
	info.Store("6.2.14")
	for range 3 {
		require.ErrorIs(t, write(), redisdb.ErrOld)
	}
	info.Store("7.0.15")
	policy.Store("allkeys-lru")
	require.ErrorIs(t, write(), redisdb.ErrEvicts)
	require.Zero(t, sets.Load())
	policy.Store("noeviction")
	require.NoError(t, write())
	require.EqualValues(t, 1, sets.Load())
	require.Equal(t, 1, strings.Count(log.String(), "6.2.14"), log.String())
	require.Equal(t, 1, strings.Count(log.String(), "allkeys-lru"), log.String())
}

func TestARedisThatIsTooOldIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	addr, info, _, _ := miniInfo(t)
	info.Store("6.2.14")
	cfg := Config{
		SQLConnections: 32, RedisURL: "redis://" + addr + "/0", MySQLDSN: "user@tcp(127.0.0.1:1)/onrush",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32), Lanes: 4,
	}
	_, _, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler), nil)
	require.ErrorIs(t, err, ErrConfig)
	require.ErrorIs(t, err, redisdb.ErrOld)
	require.ErrorContains(t, err, "6.2.14")
}

func TestALoginOfRedisThatMayNotRunINFOIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	addr, info, _, _ := miniInfo(t)
	info.Store("NOPERM User shop has no permissions to run the 'info' command")
	cfg := Config{
		SQLConnections: 32, RedisURL: "redis://" + addr + "/0", MySQLDSN: "user@tcp(127.0.0.1:1)/onrush",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32), Lanes: 4,
	}
	_, _, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler), nil)
	require.ErrorIs(t, err, ErrConfig)
	require.ErrorContains(t, err, "+info")
}
