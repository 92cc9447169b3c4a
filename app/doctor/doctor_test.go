package doctor_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/doctor"
	"onrush/app/server"
	"onrush/modules/pay"
	"onrush/modules/redisdb"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

const secret = "a secret of more than thirty-two bytes"

// settings returns a complete configuration on stores.
func settings(s *kit.Stores) *server.Config {
	return &server.Config{
		RedisURL: s.RedisURL, MySQLDSN: s.MySQLDSN, JWTSecret: secret, PathSecret: secret, Lanes: 16,
		SQLConnections: 32,
	}
}

// found returns the findings of a check, the worst first.
func found(findings []doctor.Finding, check string) (texts []string, worst doctor.Level) {
	for _, f := range findings {
		if f.Check != check {
			continue
		}
		texts = append(texts, f.Detail)
		if worst != doctor.Failure {
			worst = f.Level
		}
	}
	return texts, worst
}

func TestDoctorFindsNothingWrongWithGoodStores(t *testing.T) {
	t.Parallel()
	own := kit.Own(t, kit.FsyncAlways(), kit.FlushAtCommit())
	require.NoError(t, own.Redis.ConfigSet(t.Context(), "maxmemory", "500mb").Err())
	findings := doctor.New(settings(own.Stores), time.Now, http.DefaultClient).Run(t.Context())
	assert.False(t, doctor.Failed(findings), "%+v", findings)
	for _, check := range []string{
		"settings", "tokens", "redis", "redis memory", "redis persistence", "redis clock", "sql", "sql persistence",
		"schema", "sql clock", "redis writes", "redis scripts", "sql writes", "sql connections",
	} {
		texts, level := found(findings, check)
		assert.Len(t, texts, 1, check)
		assert.Equal(t, doctor.OK, level, "%s: %v", check, texts)
	}
	for _, f := range findings {
		assert.NotContains(t, f.Detail+f.Advice, secret)
	}
}

func TestDoctorFindsWhatIsWrongWithStores(t *testing.T) {
	t.Parallel()
	own := kit.Own(t, kit.NoSchema())
	for name, value := range map[string]string{"maxmemory-policy": "allkeys-lru", "appendonly": "no"} {
		require.NoError(t, own.Redis.ConfigSet(t.Context(), name, value).Err())
	}
	ahead := func() time.Time { return time.Now().Add(time.Hour) }
	cfg := settings(own.Stores)
	cfg.JWTSecret = "short"
	findings := doctor.New(cfg, ahead, http.DefaultClient).Run(t.Context())
	assert.True(t, doctor.Failed(findings))
	for check, want := range map[string]struct {
		level  doctor.Level
		detail string
	}{
		"tokens":            {doctor.Failure, "32"},
		"redis memory":      {doctor.Failure, "allkeys-lru"},
		"redis persistence": {doctor.Failure, "no append-only file"},
		"redis clock":       {doctor.Warning, "-1h0m"},
		"sql clock":         {doctor.Warning, "-1h0m"},
		"sql persistence":   {doctor.Warning, "innodb_flush_log_at_trx_commit"},
		"schema":            {doctor.Warning, "changes are missing"},
		"payments":          {doctor.Warning, "no channel"},
	} {
		texts, level := found(findings, check)
		assert.Equal(t, want.level, level, "%s: %v", check, texts)
		assert.Contains(t, strings.Join(texts, "\n"), want.detail, check)
	}
}

func TestDoctorFindsWhatSomebodyHasEditedInTheTables(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	_, err := stores.DB.Write.ExecContext(t.Context(), `ALTER TABLE orders MODIFY reason VARCHAR(32) NOT NULL`)
	require.NoError(t, err)
	texts, level := found(doctor.New(settings(stores), time.Now, http.DefaultClient).Run(t.Context()), "schema")
	assert.Equal(t, doctor.Failure, level)
	assert.Equal(t,
		[]string{"somebody has edited the tables: column orders.reason is varchar(32), not varchar(64)"}, texts)
}

func TestDoctorSaysWhatACrashOfRedisLoses(t *testing.T) {
	t.Parallel()
	own := kit.Own(t, kit.RedisOnly(), kit.FsyncEverySecond())
	cfg := settings(own.Stores)
	cfg.MySQLDSN = ""
	for _, row := range []struct {
		name, value, text string
		level             doctor.Level
	}{
		{"appendfsync", "always", "loses nothing", doctor.OK},
		{"appendfsync", "everysec", "about the last second of accepted orders", doctor.Warning},
		{"appendfsync", "no", "the operating system decides", doctor.Failure},
		{"appendonly", "no", "loses the orders that have not moved", doctor.Failure},
	} {
		require.NoError(t, own.Redis.ConfigSet(t.Context(), row.name, row.value).Err())
		findings := doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context())
		texts, level := found(findings, "redis persistence")
		assert.Equal(t, row.level, level, "%v", texts)
		if assert.Len(t, texts, 1) {
			assert.Contains(t, texts[0], row.text)
		}
	}
}

func TestDoctorNamesTheCommandsThatScriptsMayNotRun(t *testing.T) {
	t.Parallel()
	own := kit.Own(t, kit.RedisOnly(), kit.RedisArgs("--rename-command", "LPOS", "OTHER"))
	cfg := settings(own.Stores)
	cfg.MySQLDSN = ""
	for _, row := range []struct {
		rights []any
		text   string
	}{
		{nil, "redis refuses LPOS: "},
		{[]any{"-hset", "-zadd", "-unlink"}, "redis refuses UNLINK, HSET, LPOS, ZADD: "},
		{[]any{"+hset", "+zadd", "+unlink", "-evalsha"}, "redis refuses EVALSHA: NOPERM"},
		{[]any{"-eval"}, "redis refuses EVAL: NOPERM"},
	} {
		setUser := append([]any{"ACL", "SETUSER", "default"}, row.rights...)
		require.NoError(t, own.Redis.Do(t.Context(), setUser...).Err())
		findings := doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context())
		texts, level := found(findings, "redis scripts")
		assert.Equal(t, doctor.Failure, level, "%v", texts)
		assert.Contains(t, strings.Join(texts, "\n"), row.text)
	}
}

func TestDoctorSaysWhetherRedisHasItsReplicas(t *testing.T) {
	t.Parallel()
	own := kit.Own(t, kit.RedisOnly())
	cfg := settings(own.Stores)
	cfg.MySQLDSN = ""
	requireLevel := func(need int, want doctor.Level, text string) {
		t.Helper()
		cfg.RedisReplicas = need
		texts, level := found(doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()), "redis replicas")
		assert.Equal(t, want, level, "%v", texts)
		assert.Contains(t, strings.Join(texts, "\n"), text)
	}
	requireLevel(1, doctor.Failure, "every order is answered 503")
	kit.StartReplica(t, own.Stores, "")
	requireLevel(1, doctor.OK, "1 connected")
	requireLevel(0, doctor.Warning, "a failover may lose")
	requireLevel(2, doctor.Failure, "1 connected, ONRUSH_REDIS_REPLICAS is 2")
	cfg.RedisWaitAOF = true
	version, err := own.Redis.Info(t.Context(), "server").Result()
	require.NoError(t, err)
	if !redisdb.HasWaitAOF(redisdb.ParseInfo(version)["redis_version"]) {
		requireLevel(1, doctor.Failure, "has no WAITAOF")
	}
}

// Two replicas and the setting 1 are what docs/operating/availability.md recommends.
func TestDoctorTakesMoreReplicasThanOrdersWaitFor(t *testing.T) {
	t.Parallel()
	own := kit.Own(t, kit.RedisOnly())
	kit.StartReplica(t, own.Stores, "")
	kit.StartReplica(t, own.Stores, "")
	cfg := settings(own.Stores)
	cfg.MySQLDSN, cfg.RedisReplicas = "", 1
	require.EventuallyWithT(t, func(c *assert.CollectT) { // the second one reads the data
		texts, level := found(doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()), "redis replicas")
		assert.Equal(c, doctor.OK, level)
		assert.Contains(c, strings.Join(texts, "\n"), "2 connected, ONRUSH_REDIS_REPLICAS is 1")
	}, time.Minute, 50*time.Millisecond)
}

func TestDoctorSaysHowFullRedisIsAndByWhat(t *testing.T) {
	t.Parallel()
	own := kit.Own(t, kit.RedisOnly())
	cfg := settings(own.Stores)
	cfg.MySQLDSN = ""
	for i := range 40 {
		require.NoError(t, own.Redis.Set(t.Context(), fmt.Sprint("key-", i), strings.Repeat("x", 1<<20), 0).Err())
	}
	for percent, want := range map[int64]struct {
		level doctor.Level
		text  string
	}{
		20: {doctor.OK, "% of maxmemory"},
		85: {doctor.Warning, "keys in database 0) and"},
		95: {doctor.Failure, "no order is placed from 90 %"},
	} {
		info, err := own.Redis.Info(t.Context()).Result()
		require.NoError(t, err)
		limit := redisdb.MemoryOf(redisdb.ParseInfo(info)).Used * 100 / percent
		require.NoError(t, own.Redis.ConfigSet(t.Context(), "maxmemory", fmt.Sprint(limit)).Err())
		texts, level := found(doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()), "redis memory")
		assert.Equal(t, want.level, level, "%d %%: %v", percent, texts)
		assert.Contains(t, strings.Join(texts, "\n"), want.text)
	}
}

func TestDoctorSaysWhetherTheReplicaIsReadAndWhoIsThePrimary(t *testing.T) {
	t.Parallel()
	own := kit.OwnReplicated(t)
	cfg := settings(own.Stores)
	requireFinding := func(check string, want doctor.Level, text string) {
		t.Helper()
		texts, level := found(doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()), check)
		assert.Equal(t, want, level, "%v", texts)
		assert.Contains(t, strings.Join(texts, "\n"), text)
	}
	cfg.MySQLReadDSN = own.ReplicaDSN
	requireFinding("sql read replica", doctor.OK, "has what the primary has")
	requireFinding("sql log", doctor.Warning, "sync_binlog is 0")
	own.Lag(t, time.Hour)
	requireFinding("sql read replica", doctor.Warning, "the replica is behind") // doctor itself has written
	cfg.MySQLReadDSN = "user:hidden@tcp(127.0.0.1:1)/shop"
	requireFinding("sql read replica", doctor.Warning, "connect")
	cfg.MySQLReadDSN, cfg.MySQLDSN = "", own.ReplicaDSN
	requireFinding("sql replica", doctor.Warning, "repeats what another server commits")
	cfg.MySQLReadDSN = own.MySQLDSN
	requireFinding("sql read replica", doctor.Warning, "is behind")

	cfg = settings(kit.OnReal(t)) // without a log of changes
	cfg.MySQLReadDSN = cfg.MySQLDSN
	requireFinding("sql read replica", doctor.Warning, "keeps no log of changes")
}

func TestDoctorSaysWhetherCommitsWaitForAReplica(t *testing.T) {
	t.Parallel()
	own := kit.OwnPrimaries(t)
	requireFinding := func(want doctor.Level, text string) {
		t.Helper()
		findings := doctor.New(settings(own.Stores), time.Now, http.DefaultClient).Run(t.Context())
		texts, level := found(findings, "sql failover")
		assert.Equal(t, want, level)
		assert.Contains(t, strings.Join(texts, "\n"), text)
	}
	requireFinding(doctor.OK, "commits wait for a replica")
	own.Confirm(t, false) // as after the second server was promoted
	requireFinding(doctor.Warning, "commits don't wait for a replica")
	for _, f := range doctor.New(settings(own.Stores), time.Now, http.DefaultClient).Run(t.Context()) {
		if f.Check == "sql failover" {
			assert.Contains(t, f.Advice, "SET GLOBAL rpl_semi_sync_master_enabled = ON")
		}
	}
}

func TestDoctorSaysWhichStoreIsAway(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	for _, away := range []string{"redis", "sql"} {
		cfg := settings(s)
		if away == "redis" {
			cfg.RedisURL = "redis://user:hidden@127.0.0.1:1"
		} else {
			cfg.MySQLDSN = "user:hidden@tcp(127.0.0.1:1)/shop"
		}
		findings := doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context())
		for _, store := range []string{"redis", "sql"} {
			_, level := found(findings, store)
			assert.Equal(t, store == away, level == doctor.Failure, "%s away: %+v", away, findings)
		}
		for _, f := range findings {
			assert.NotContains(t, f.Detail, "hidden")
		}
	}
}

// A server that is stopped by SIGSTOP, or waits for its disk, takes connections: the kernel does so for it.
func TestDoctorTellsAStoreThatHangsFromOneThatIsAway(t *testing.T) {
	t.Parallel()
	frozen, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = frozen.Close() })
	proxy, err := net.Listen("tcp", "127.0.0.1:0") // without a server behind it
	require.NoError(t, err)
	t.Cleanup(func() { _ = proxy.Close() })
	go func() {
		for conn, err := proxy.Accept(); err == nil; conn, err = proxy.Accept() {
			_ = conn.Close()
		}
	}()
	for _, row := range []struct {
		addr, text, advice string
	}{
		{frozen.Addr().String(), "it takes connections and doesn't answer", "it hangs, is overloaded, or its disk is"},
		{proxy.Addr().String(), "it takes connections and closes them", "a proxy is before it"},
		{"127.0.0.1:1", "connection refused", "and that the server runs"},
	} {
		cfg := &server.Config{Lanes: 16, SQLConnections: 32}
		cfg.RedisURL, cfg.MySQLDSN = "redis://"+row.addr, "shop@tcp("+row.addr+")/shop"
		stores := 0
		for _, f := range doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()) {
			if f.Check == "redis" || f.Check == "sql" {
				stores++
				assert.Equal(t, doctor.Failure, f.Level)
				assert.Contains(t, f.Detail, row.text)
				assert.Contains(t, f.Advice, row.advice)
			}
		}
		assert.Equal(t, 2, stores)
	}
}

func TestDoctorSaysThatAFullRedisIsFull(t *testing.T) {
	t.Parallel()
	own := kit.Own(t)
	require.NoError(t, own.Redis.ConfigSet(t.Context(), "maxmemory", "1").Err())
	refused := 0
	for _, f := range doctor.New(settings(own.Stores), time.Now, http.DefaultClient).Run(t.Context()) {
		if strings.Contains(f.Detail, "OOM ") {
			refused++
			assert.Contains(t, f.Advice, "raise its maxmemory", f.Check)
		}
	}
	assert.Positive(t, refused)
}

// The driver calls a server that is read-only a bad connection.
func TestDoctorSaysThatTheSQLServerIsReadOnly(t *testing.T) {
	t.Parallel()
	own := kit.Own(t)
	for _, statement := range []string{
		"CREATE USER shop@'%' IDENTIFIED BY ''", // not an administrator, who may write all the same
		"GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, REFERENCES ON *.* TO shop@'%'",
		"SET GLOBAL read_only = 1",
	} {
		_, err := own.DB.Write.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	cfg := settings(own.Stores)
	cfg.MySQLDSN = strings.Replace(own.MySQLDSN, "root@", "shop@", 1)
	findings := doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context())
	texts, level := found(findings, "sql writes")
	assert.Equal(t, doctor.Failure, level, "%+v", findings)
	assert.Contains(t, strings.Join(texts, "\n"), "read_only = 1")
	for _, f := range findings {
		assert.NotContains(t, f.Detail, "bad connection", f.Check)
	}
}

func TestDoctorAsksTheWebhooks(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	answer := func(status int, body string) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, "/webhooks/pay/sandbox", r.URL.Path)
			assert.Zero(t, r.ContentLength, "the program logs no refusal")
			assert.NotEmpty(t, r.Header.Get(pay.ProbeHeader))
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(server.Close)
		return server
	}
	closed := answer(http.StatusOK, "")
	closed.Close()
	for url, want := range map[string]doctor.Level{
		answer(http.StatusUnauthorized, `{"type":"urn:onrush:problem:unauthorized"}`).URL: doctor.OK,
		answer(http.StatusNotFound, `<html>`).URL:                                         doctor.Failure,
		answer(http.StatusBadGateway, `<html>`).URL:                                       doctor.Warning,
		answer(http.StatusServiceUnavailable, `<html>`).URL:                               doctor.Warning,
		closed.URL:             doctor.Warning, // nothing listens yet
		"http://bad host":      doctor.Failure,
		"http://shop.invalid/": doctor.Failure,
	} {
		cfg := settings(s)
		cfg.SandboxSecret, cfg.PublicURL = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", url
		findings := doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context())
		texts, level := found(findings, "payments sandbox webhook")
		assert.Equal(t, want, level, "%s: %v", url, texts)
		_, level = found(findings, "payments sandbox")
		assert.Equal(t, doctor.Warning, level, "no money moves")
	}
}

func TestDoctorFindsASandboxSecretThatTheProgramRefuses(t *testing.T) {
	t.Parallel()
	cfg := &server.Config{Lanes: 16, DataDir: t.TempDir(), SandboxSecret: "secret of a sandbox"}
	findings := doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context())
	texts, level := found(findings, "payments sandbox")
	assert.Equal(t, doctor.Failure, level)
	assert.Contains(t, texts[0], "must be whsec_")
}

func TestDoctorNamesEachMissingSetting(t *testing.T) {
	t.Parallel()
	findings := doctor.New(&server.Config{RedisURL: "redis://127.0.0.1:1", Lanes: 16, SQLConnections: 32}, time.Now,
		http.DefaultClient).Run(t.Context())
	texts, level := found(findings, "settings")
	assert.Equal(t, doctor.Failure, level)
	for _, name := range []string{"ONRUSH_MYSQL_DSN", "ONRUSH_JWT_SECRET", "ONRUSH_PATH_SECRET"} {
		assert.Contains(t, texts[0], name)
	}
	embedded := &server.Config{Lanes: 16, DataDir: t.TempDir()}
	findings = doctor.New(embedded, time.Now, http.DefaultClient).Run(t.Context())
	assert.False(t, doctor.Failed(findings), "an embedded run needs no setting: %+v", findings)
	assert.Equal(t, "stores", findings[0].Check, "who forgot the file of settings must see it first")
	assert.Contains(t, findings[0].Advice, "--env-file")
}

func TestDoctorComparesConnectionsWithThePoolsOfTheInstances(t *testing.T) {
	t.Parallel()
	own := kit.Own(t)
	for most, want := range map[int]doctor.Level{500: doctor.OK, 60: doctor.Warning, 30: doctor.Failure} {
		_, err := own.DB.Write.ExecContext(t.Context(), fmt.Sprint("SET GLOBAL max_connections = ", most))
		require.NoError(t, err)
		findings := doctor.New(settings(own.Stores), time.Now, http.DefaultClient).Run(t.Context())
		texts, level := found(findings, "sql connections")
		assert.Equal(t, want, level, "%d: %v", most, texts)
	}
}

func TestDoctorFindsThatNoKeyOfTokensCanBeRead(t *testing.T) {
	t.Parallel()
	keys := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(keys.Close)
	cfg := &server.Config{Lanes: 16, DataDir: t.TempDir(), JWKS: keys.URL, JWTAudience: "shop"}
	texts, level := found(doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()), "tokens")
	assert.Equal(t, doctor.Failure, level, "%v", texts)
	assert.Contains(t, strings.Join(texts, " "), "404")
}

// A gateway that hangs is no matter of the proxy, the DNS or the certificate, and takes no time from the webhook.
func TestDoctorTellsAGatewayThatHangsFromOneThatIsAway(t *testing.T) {
	t.Parallel()
	hung := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client has gone
		<-r.Context().Done()
	}))
	t.Cleanup(hung.Close)
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"type":"urn:onrush:problem:unauthorized"}`))
	}))
	t.Cleanup(program.Close)
	cfg := &server.Config{RedisURL: "redis://127.0.0.1:1", MySQLDSN: "shop@tcp(127.0.0.1:1)/shop", Lanes: 16}
	cfg.PublicURL, cfg.Gateways = program.URL, map[string]string{"stripe": hung.URL}
	cfg.Stripe.SecretKey, cfg.Stripe.PublishableKey, cfg.Stripe.WebhookSecret = "sk_test_1", "pk_test_1", "whsec_1"
	findings := doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context())
	_, level := found(findings, "payments stripe webhook")
	assert.Equal(t, doctor.OK, level, "%+v", findings)
	for _, f := range findings {
		if f.Check == "payments stripe gateway" {
			assert.Contains(t, f.Detail, "takes connections, but doesn't answer")
			assert.NotContains(t, f.Advice, "DNS")
		}
	}

	cfg.PublicURL = hung.URL
	cfg.Gateways["stripe"] = "http://shop.invalid"
	for _, f := range doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()) {
		if f.Check == "payments stripe webhook" && f.Level == doctor.Failure {
			assert.Contains(t, f.Detail, "takes connections, but doesn't answer")
			assert.NotContains(t, f.Advice, "certificate")
		}
	}
}

// A gateway that knows the key answers that there is no such payment; one that doesn't refuses the key.
func TestDoctorAsksTheGatewayWhetherItTakesTheSettings(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "GET /v1/payment_intents/pi_0", r.Method+" "+r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		status, body := http.StatusNotFound, `{"error":{"type":"invalid_request_error","code":"resource_missing"}}`
		if r.Header.Get("Authorization") != "Bearer sk_test_right" {
			status, body = http.StatusUnauthorized, `{"error":{"type":"invalid_request_error"}}`
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(gateway.Close)
	for _, row := range []struct {
		key, url, text string
		level          doctor.Level
	}{
		{"sk_test_right", gateway.URL, "takes the settings", doctor.OK},
		{"sk_test_wrong", gateway.URL, "refuses the settings", doctor.Failure},
		{"sk_test_right", "http://127.0.0.1:1", "can't be reached", doctor.Failure},
	} {
		cfg := settings(s)
		cfg.Stripe.SecretKey, cfg.Stripe.PublishableKey, cfg.Stripe.WebhookSecret = row.key, "pk_test_1", "whsec_1"
		cfg.Gateways = map[string]string{"stripe": row.url}
		texts, level := found(doctor.New(cfg, time.Now, http.DefaultClient).Run(t.Context()), "payments stripe gateway")
		assert.Equal(t, row.level, level, "%v", texts)
		if assert.Len(t, texts, 1) {
			assert.Contains(t, texts[0], row.text)
			assert.NotContains(t, texts[0], row.key)
		}
	}
}
