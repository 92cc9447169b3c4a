package faults

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/doctor"
	"onrush/app/schema"
	"onrush/app/server"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web"
)

// asUser gives the stores a user of SQL with privileges, who is no administrator.
func asUser(t *testing.T, s *kit.Stores, privileges string) {
	t.Helper()
	for _, statement := range []string{
		"CREATE USER shop@'%' IDENTIFIED BY ''", "GRANT " + privileges + " ON *.* TO shop@'%'",
	} {
		_, err := s.DB.Write.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	s.MySQLDSN = strings.Replace(s.MySQLDSN, "root@", "shop@", 1)
}

// shopUser returns the stores as the user of asUser reaches them.
func shopUser(t *testing.T, s *kit.Stores) *kit.Stores {
	t.Helper()
	again := *s
	db, err := sqldb.OpenMySQL(t.Context(), s.MySQLDSN, 8)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	again.DB = db
	return &again
}

// readiness asks an instance for its /readyz until it says something else than ok, and for its metric of a store.
func readiness(t *testing.T, s *site.Site, store string) (status int, ready web.Ready, up string) {
	t.Helper()
	require.Eventually(t, func() bool {
		a := s.Stranger().Call(t, http.MethodGet, "/readyz", "", nil)
		a.Into(t, &ready)
		status = a.Status
		return ready.Status != "ok"
	}, 10*time.Second, 100*time.Millisecond)
	_, up, _ = strings.Cut(s.Metrics(t), fmt.Sprintf("onrush_store_up{store=%q} ", store))
	up, _, _ = strings.Cut(up, "\n")
	return status, ready, up
}

func diagnose(t *testing.T, s *kit.Stores, check string) string {
	t.Helper()
	secret := strings.Repeat("secret", 6)
	findings := doctor.New(&server.Config{
		RedisURL: s.RedisURL, MySQLDSN: s.MySQLDSN, JWTSecret: secret, PathSecret: secret, Lanes: 4, SQLConnections: 32,
	}, time.Now, http.DefaultClient).Run(context.WithoutCancel(t.Context()))
	for _, f := range findings {
		if f.Check == check {
			return string(f.Level) + " " + f.Detail
		}
	}
	return fmt.Sprint(findings)
}

const all = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX"

func TestAStoreThatTakesNoWritesIsNamedByReadinessMetricsAndDoctor(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]struct {
		options []kit.Option
		make    func(t *testing.T, own *kit.Owned)
		store   string
		says    string
	}{
		"SQL is read-only": {nil, func(t *testing.T, own *kit.Owned) {
			asUser(t, own.Stores, all)
			_, err := own.DB.Write.ExecContext(t.Context(), "SET GLOBAL read_only = 1")
			require.NoError(t, err)
		}, "sql", "read-only"},
		"the user of SQL may not insert": {nil, func(t *testing.T, own *kit.Owned) {
			asUser(t, own.Stores, "SELECT, UPDATE, DELETE")
		}, "sql", "no privilege"},
		"SQL writes statements to its binary log": {
			[]kit.Option{kit.SQLArgs("--log-bin=binlog", "--server-id=1", "--binlog-format=STATEMENT")},
			func(t *testing.T, own *kit.Owned) { asUser(t, own.Stores, all) }, "sql", "binlog_format=STATEMENT",
		},
		"Redis is a replica": {nil, func(t *testing.T, own *kit.Owned) {
			require.NoError(t, own.Redis.Do(t.Context(), "REPLICAOF", "127.0.0.1", "1").Err())
		}, "redis", "read-only"},
		"the memory of Redis is full": {nil, func(t *testing.T, own *kit.Owned) {
			require.NoError(t, own.Redis.ConfigSet(t.Context(), "maxmemory", "1mb").Err())
		}, "redis", "memory full"},
		"Redis waits for replicas": {nil, func(t *testing.T, own *kit.Owned) {
			require.NoError(t, own.Redis.ConfigSet(t.Context(), "min-replicas-to-write", "1").Err())
		}, "redis", "too few replicas"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := fault.options
			if strings.Contains(fault.says, "binlog") { // its own statements would be refused, too
				options = append(options, kit.NoSchema())
			}
			if fault.store == "sql" {
				kit.NotOnVitess(t, kit.NoUsers)
			}
			own := kit.Own(t, options...)
			if strings.Contains(fault.says, "binlog") {
				makeSchema(t, own)
			}
			fault.make(t, own)
			stores := own.Stores
			if fault.store == "sql" {
				stores = shopUser(t, own.Stores)
			}
			s := site.Start(t, stores, site.Log(slog.New(slog.DiscardHandler)))
			status, ready, up := readiness(t, s, fault.store)
			assert.Equal(t, http.StatusOK, status)
			assert.Equal(
				t,
				web.Ready{Status: "degraded", Unavailable: []string{fault.store + ": " + fault.says}},
				ready,
			)
			assert.Equal(t, "0", up)
			diagnosis := diagnose(t, stores, fault.store+" writes")
			assert.Contains(t, diagnosis, "failure it takes no writes: "+fault.says)
			assert.NotContains(t, diagnosis, "bad connection", "it is not why")
		})
	}
}

// makeSchema applies the schema while the server writes rows to its binary log.
func makeSchema(t *testing.T, own *kit.Owned) {
	t.Helper()
	_, err := own.DB.Write.ExecContext(t.Context(), "SET GLOBAL binlog_format = ROW")
	require.NoError(t, err)
	db := own.ConnectSQL(t)
	require.NoError(t, schema.Up(t.Context(), db))
	_, err = own.DB.Write.ExecContext(t.Context(), "SET GLOBAL binlog_format = STATEMENT")
	require.NoError(t, err)
}
