package server

import (
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/web"
)

func TestFewerLanesThanSalesUseAreRefused(t *testing.T) {
	t.Parallel()
	cfg := Config{DataDir: t.TempDir(), Lanes: 9}
	log := slog.New(slog.DiscardHandler)
	parts, closeStores, err := Open(t.Context(), &cfg, log)
	require.NoError(t, err)
	const insert = `INSERT INTO activities (activity_id, shop_id, title, starts_ms, ends_ms, pay_within_s,
		purchase_limit, permit_ratio, state, lane, created_ms, retired_ms)
		VALUES ('a', 's', 't', 1, 2, 900, -1, -1, 'published', 9, 1, 0)`
	_, err = parts.DB.Write.ExecContext(t.Context(), insert)
	require.NoError(t, err)
	closeStores()

	cfg.Lanes = 8
	_, _, err = Open(t.Context(), &cfg, log)
	require.ErrorIs(t, err, ErrConfig)
	require.ErrorContains(t, err, "ONRUSH_LANES")

	cfg.Lanes = 10
	_, closeStores, err = Open(t.Context(), &cfg, log)
	require.NoError(t, err)
	closeStores()
}

func TestProgramStartsWithoutItsStoresAndReportsIt(t *testing.T) {
	t.Parallel()
	cfg := Config{
		SQLConnections: 32, RedisURL: "redis://:geheim@127.0.0.1:1/0", MySQLDSN: "user:geheim@tcp(127.0.0.1:1)/onrush",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32), Lanes: 4, Addr: "127.0.0.1:0",
	}
	var log strings.Builder
	parts, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.NewTextHandler(&log, nil)))
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
	parts, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler))
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
	_, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler))
	require.ErrorIs(t, err, ErrConfig)
	require.NotContains(t, err.Error(), "geheim")
	require.Nil(t, closeStores)
}

func TestARedisThatIsTooOldIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	old, err := miniserver.NewServer("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(old.Close)
	for name, answer := range map[string]miniserver.Cmd{
		"PING": func(c *miniserver.Peer, _ string, _ []string) { c.WriteInline("PONG") },
		"INFO": func(c *miniserver.Peer, _ string, _ []string) { c.WriteBulk("# Server\r\nredis_version:6.2.14\r\n") },
		"CONFIG": func(c *miniserver.Peer, _ string, _ []string) {
			c.WriteStrings([]string{"maxmemory-policy", "noeviction"})
		},
	} {
		require.NoError(t, old.Register(name, answer))
	}
	cfg := Config{
		SQLConnections: 32, RedisURL: "redis://" + old.Addr().String() + "/0", MySQLDSN: "user@tcp(127.0.0.1:1)/onrush",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32), Lanes: 4,
	}
	_, _, err = Open(t.Context(), &cfg, slog.New(slog.DiscardHandler))
	require.ErrorIs(t, err, ErrConfig)
	require.ErrorIs(t, err, lua.ErrOld)
	require.ErrorContains(t, err, "6.2.14")
}
