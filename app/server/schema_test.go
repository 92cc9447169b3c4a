package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/lua"
	"onrush/modules/site"
	"onrush/test/kit"
	"onrush/web"
)

func startWithoutSQL(t *testing.T, stores *kit.Stores) (Parts, *Server) {
	t.Helper()
	cfg := Config{
		SQLConnections: 32, RedisURL: stores.RedisURL, MySQLDSN: stores.MySQLDSN, Lanes: 4, Addr: "127.0.0.1:0",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32),
	}
	stores.SQLAway(t)
	parts, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler), nil)
	require.NoError(t, err)
	t.Cleanup(closeStores)
	require.NotNil(t, parts.Prepare)
	s, err := New(cfg, parts)
	require.NoError(t, err)
	t.Cleanup(s.quit)
	assert.Equal(t, "degraded", s.health.Ready().Status)
	stores.SQLBack(t)
	return parts, s
}

// requireForeign waits until the instance is not ready and says that the schema is why.
func requireForeign(t *testing.T, s *Server) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		ready := s.health.Ready()
		assert.Equal(c, "down", ready.Status)
		assert.Contains(c, ready.Unavailable, "schema: another schema")
	}, 20*time.Second, 100*time.Millisecond)
}

func TestAnInstanceThatFindsADatabaseOfAFormerVersionIsNotReadyAndChangesNothing(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t, kit.NoSchema(), kit.Breakable())
	kit.MakeFormerSchema(t, stores.DB)
	parts, s := startWithoutSQL(t, stores)
	for range 2 {
		err := parts.Prepare(t.Context())
		_, foreign := errors.AsType[*schema.ForeignError](err)
		require.True(t, foreign, "%v", err)
		require.ErrorContains(t, err, "run the version that made it")
	}
	requireForeign(t, s)
	var tables []string
	require.NoError(t, stores.DB.Read.SelectContext(t.Context(), &tables, `SHOW TABLES`))
	assert.Len(t, tables, 4)
	var checks int
	require.NoError(t, stores.DB.Read.GetContext(t.Context(), &checks, `SELECT COUNT(*) FROM write_checks`))
	assert.Zero(t, checks, "not even a check of writes")
}

// A wrong DSN may lead to an empty database, while the instance can reach it only later.
func TestAnInstanceThatFindsAnEmptyDatabaseBesideTheKeysOfASiteIsNotReady(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t, kit.NoSchema(), kit.Breakable())
	scripts := lua.New(stores.Redis, lua.Keys{Prefix: lua.DefaultPrefix})
	require.NoError(t, scripts.KeepSite(t.Context(), `{"id":"the other","lanes":16}`, false))
	parts, s := startWithoutSQL(t, stores)
	require.ErrorIs(t, parts.Prepare(t.Context()), site.ErrForeign)
	s.site.Load(t.Context())
	require.ErrorIs(t, s.site.CheckOwn(), site.ErrForeign)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Equal(c, "down", s.health.Ready().Status)
	}, 20*time.Second, 100*time.Millisecond)
}

// Another program changes a large table for minutes. An instance that starts meanwhile waits, and is not ready, so that
// a rollout waits, too.
func TestAnInstanceWaitsForTheProgramThatChangesTheTables(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t, kit.NoSchema())
	ctx := t.Context()
	conn, err := stores.DB.Write.Conn(ctx) // of the other program
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	var database string
	require.NoError(t, conn.QueryRowContext(ctx, `SELECT DATABASE()`).Scan(&database))
	lock := fmt.Sprintf("onrush_schema:%.16x", sha256.Sum256([]byte(database)))
	var got int
	require.NoError(t, conn.QueryRowContext(ctx, `SELECT GET_LOCK(?, 0)`, lock).Scan(&got))
	require.Equal(t, 1, got)

	cfg := Config{
		SQLConnections: 32, RedisURL: stores.RedisURL, MySQLDSN: stores.MySQLDSN, Lanes: 4, Addr: "127.0.0.1:0",
		JWTSecret: strings.Repeat("j", 32), PathSecret: strings.Repeat("p", 32),
	}
	book := &kit.Output{}
	parts, closeStores, err := Open(ctx, &cfg, slog.New(slog.NewTextHandler(book, nil)), nil)
	require.NoError(t, err)
	t.Cleanup(closeStores)
	s, err := New(cfg, parts)
	require.NoError(t, err)
	failed, err := s.Start(ctx)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Stop(context.WithoutCancel(ctx))) })
	assert.Equal(t, web.Ready{
		Status: "down", Unavailable: []string{"schema: schema is changed", "sql: schema is changed"},
	}, s.health.Ready())
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		said := strings.Count(book.String(), `level=WARN msg="another program changes the tables; until it has ended`)
		assert.GreaterOrEqual(c, said, 2, "at the start and while it waits: %s", book)
	}, 30*time.Second, 100*time.Millisecond)

	upgraded := make(chan error, 1)
	commandBook := &kit.Output{}
	go func() { upgraded <- UpgradeSchema(ctx, &cfg, slog.New(slog.NewTextHandler(commandBook, nil))) }()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Positive(c, strings.Count(commandBook.String(), "waiting for another program, which changes the tables"))
	}, 30*time.Second, 100*time.Millisecond)
	_, err = conn.ExecContext(ctx, `DO RELEASE_LOCK(?)`, lock)
	require.NoError(t, err)
	require.NoError(t, <-upgraded)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Equal(c, "ok", s.health.Ready().Status)
	}, 30*time.Second, 100*time.Millisecond)
	assert.Empty(t, failed)
}

// A failover or a restore may lead an instance that runs to another database.
func TestAnInstanceThatRunsSeesADatabaseWithAnotherSchema(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t, kit.Breakable())
	parts, s := startWithoutSQL(t, stores)
	require.NoError(t, parts.Prepare(t.Context()))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Equal(c, "ok", s.health.Ready().Status)
	}, 20*time.Second, 100*time.Millisecond)
	_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE schema_changes SET fingerprint = 'other'`)
	require.NoError(t, err)
	requireForeign(t, s)
}
