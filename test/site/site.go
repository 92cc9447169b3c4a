// Package site runs the whole program in a test, on stores of the test kit, with buyers and operators
// who call it over HTTP.
package site

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/app/tracing"
	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/redisdb"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/web"
	"onrush/web/client"
)

// Secrets of the instances under test; long enough for the checks at start.
const (
	JWTSecret  = "test-jwt-secret-of-more-than-32-bytes"
	pathSecret = "test-path-secret-of-more-than-32-bytes"
)

// ShopOrigin is the origin of a shop's pages, which may call the instances under test.
const ShopOrigin = "https://shop.example"

// Site is one instance of the program.
type Site struct {
	Stores  *kit.Stores
	Server  *server.Server
	URL     string
	Scripts *lua.Scripts

	client *http.Client
	stop   context.CancelFunc
	served chan error
	once   sync.Once

	metrics     sync.Once
	metricsAddr string
	stopMetrics func() error // nil: nothing listens
}

// Option configures an instance.
type Option func(*settings)

type settings struct {
	cfg   server.Config
	parts server.Parts
	idle  bool

	reachable bool
}

// Faults makes this instance fail between two steps.
func Faults(f order.Faults) Option { return func(s *settings) { s.parts.Faults = f } }

// Time sets the time that the instance uses instead of the stores' time. Since the time of Redis passes
// as well, submits get a deadline of minutes.
func Time(now func() time.Time) Option {
	return func(s *settings) {
		s.parts.Now, s.parts.Clock = now, clock.Fixed(now)
		s.parts.PlaceWithin = 5 * time.Minute
	}
}

// Now sets the instance's own clock; sales still use the stores' time.
func Now(now func() time.Time) Option { return func(s *settings) { s.parts.Now = now } }

// Seeded makes the instance's ids and random numbers the same in each run, but for secrets.
func Seeded(seed uint64) Option {
	return func(s *settings) {
		random, mu := kit.Rand(seed), &sync.Mutex{}
		s.parts.NewID = kit.IDs(seed)
		s.parts.Random = func() uint64 {
			mu.Lock()
			defer mu.Unlock()
			return random.Uint64()
		}
	}
}

// Log gives the instance another log.
func Log(log *slog.Logger) Option { return func(s *settings) { s.parts.Log = log } }

// Traced shows the instance's work in traces: its stores are opened by them.
func Traced(traces *tracing.Traces) Option { return func(s *settings) { s.parts.Traces = traces } }

// Replica gives the instance a replica of its SQL store to read from.
func Replica(r *sqldb.Replica) Option { return func(s *settings) { s.parts.Replica = r } }

// Configured changes the instance's configuration.
func Configured(change func(cfg *server.Config)) Option { return func(s *settings) { change(&s.cfg) } }

// Idle builds the instance with its routes, but no mover and no job runs unless the test runs it:
// Server.Mover.RunOnce, Job.
func Idle() Option { return func(s *settings) { s.idle = true } }

// Reachable gives the instance its own address as its public URL, so that the sandbox notifies it.
func Reachable() Option { return func(s *settings) { s.reachable = true } }

// Start runs an instance over stores until the test ends.
func Start(t testing.TB, stores *kit.Stores, opts ...Option) *Site {
	t.Helper()
	set := &settings{
		cfg: server.Config{
			JWTSecret: JWTSecret, PathSecret: pathSecret, Lanes: 4, SQLConnections: 32, Dev: true, RedisURL: "set",
			MySQLDSN: "set", SandboxSecret: SandboxSecret, PublicURL: "http://127.0.0.1:1", PublicActivities: true,
			CORSOrigins: []string{ShopOrigin}, Pages: true, MetricsAddr: "127.0.0.1:0",
			ImageHosts: []string{"https://img.example", "https://shop.example", "https://example.com"},
		},
		parts: server.Parts{
			DB: stores.DB, Redis: stores.Redis, Keys: stores.Keys, Now: time.Now, NewID: server.NewID,
			Random: rand.Uint64,
			Log:    slog.New(slog.NewTextHandler(logTo{t}, &slog.HandlerOptions{Level: slog.LevelWarn})),
		},
	}
	for _, opt := range opts {
		opt(set)
	}
	if set.parts.Traces != nil {
		trace(t, stores, &set.parts)
	}
	pools, err := server.OpenPools(set.parts.DB, set.cfg.SQLConnections)
	require.NoError(t, err)
	set.parts.Pools = pools
	if stores.MySQLDSN != "" {
		t.Cleanup(pools.Close)
	}
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	if set.reachable {
		set.cfg.PublicURL = "http://" + ln.Addr().String()
	}
	srv, err := server.New(set.cfg, set.parts)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	s := &Site{
		Stores: stores, Server: srv, URL: "http://" + ln.Addr().String(), Scripts: lua.New(stores.Redis, stores.Keys),
		client: &http.Client{
			Transport: &http.Transport{MaxConnsPerHost: 256, MaxIdleConnsPerHost: 256},
			Timeout:   30 * time.Second,
		},
		stop: stop, served: make(chan error, 1),
	}
	if set.idle {
		srv.Preheat(t.Context())
		go func() { s.served <- srv.App.Listener(ln) }()
		go func() { <-ctx.Done(); _ = srv.App.ShutdownWithTimeout(time.Second) }()
	} else {
		go func() { s.served <- srv.Serve(ctx, ln) }()
		s.awaitStores()
	}
	t.Cleanup(func() { s.Stop(t) })
	return s
}

// awaitStores waits until the program has reached its stores, as a load balancer would. It gives up after some seconds,
// since a test may have taken them away.
func (s *Site) awaitStores() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/readyz", http.NoBody)
		if err != nil {
			return
		}
		answer, err := s.client.Do(req)
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ctx.Done():
		case <-again.C:
		}
	}
}

// trace opens the stores again, so that calls have spans.
func trace(t testing.TB, stores *kit.Stores, parts *server.Parts) {
	t.Helper()
	rdb, err := redisdb.Connect(stores.RedisURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = rdb.Close() })
	parts.Traces.Redis(rdb)
	db, err := sqldb.ConnectMySQL(stores.MySQLDSN, 16, nil, parts.Traces.SQL())
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	parts.Redis, parts.DB = rdb, db
}

// Stop stops the instance gracefully. It may be called more than once.
func (s *Site) Stop(t testing.TB) {
	t.Helper()
	s.once.Do(func() {
		s.client.CloseIdleConnections() // the server would wait for those that were opened and not used
		s.metrics.Do(func() {})         // and nothing listens from now on
		if s.stopMetrics != nil {
			require.NoError(t, s.stopMetrics())
		}
		s.stop()
		if err := <-s.served; err != nil {
			t.Logf("the instance stopped: %v", err)
		}
		s.client.CloseIdleConnections()
	})
}

// Job runs one job of the instance once.
func (s *Site) Job(t testing.TB, name string) int {
	t.Helper()
	for _, j := range s.Server.Jobs {
		if j.Name == name {
			n, err := j.RunOnce(context.WithoutCancel(t.Context()))
			require.NoError(t, err, name)
			return n
		}
	}
	require.FailNow(t, "no such job", name)
	return 0
}

// Number numbers all committed events, as the instance's loop does.
func (s *Site) Number(t testing.TB) {
	t.Helper()
	_, err := s.Server.Sequencer.RunOnce(context.WithoutCancel(t.Context()))
	require.NoError(t, err)
}

// TryJob runs one job of the instance once and ignores its error.
func (s *Site) TryJob(t testing.TB, name string) {
	t.Helper()
	for _, j := range s.Server.Jobs {
		if j.Name == name {
			if _, err := j.RunOnce(context.WithoutCancel(t.Context())); err != nil {
				t.Logf("%s: %v", name, err)
			}
			return
		}
	}
	require.FailNow(t, "no such job", name)
}

// Drain moves all queued orders into SQL.
func (s *Site) Drain(t testing.TB) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	require.Eventually(t, func() bool {
		if _, err := s.Server.Mover.Drain(ctx); err != nil {
			t.Logf("drain: %v", err)
			return false
		}
		for lane := 1; lane <= 4; lane++ {
			n, err := s.Stores.Redis.LLen(ctx, s.Stores.Keys.Queue(lane)).Result()
			if err != nil || n > 0 {
				return false
			}
		}
		return true
	}, 60*time.Second, 10*time.Millisecond, "the queues don't empty")
}

// Audit returns the drifts that the audit finds, as text; "" means no drift.
func (s *Site) Audit(t testing.TB, activity string) string {
	t.Helper()
	audit, err := s.Server.Auditor.Audit(context.WithoutCancel(t.Context()), activity)
	require.NoError(t, err)
	if audit.OK {
		return ""
	}
	text, err := json.Marshal(audit)
	require.NoError(t, err)
	return string(text)
}

// Answer is the answer to a call.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON reads the body into a map, or into v.
func (a Answer) JSON(t testing.TB) map[string]any {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal(a.Body, &m), string(a.Body))
	return m
}

// Kept returns the body without `"replayed": true`. It is the same for each request with the same Idempotency-Key.
func (a Answer) Kept(t testing.TB) map[string]any {
	t.Helper()
	body := a.JSON(t)
	if body["replayed"] == true {
		delete(body, "replayed")
	}
	return body
}

// Task returns Kept of a submit's answer without refresh_after_ms, which depends on the queue.
func (a Answer) Task(t testing.TB) map[string]any {
	t.Helper()
	task := a.Kept(t)
	delete(task, "refresh_after_ms")
	return task
}

// Into reads the body into v.
func (a Answer) Into(t testing.TB, v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(a.Body, v), string(a.Body))
}

// Code returns the code of a problem, or "".
func (a Answer) Code() string {
	var p struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(a.Body, &p) // no problem: no code
	return p.Code
}

// Person calls the instance with a token; an empty one calls without.
type Person struct {
	site  *Site
	Name  string
	token string

	header http.Header // is sent beside the token
}

// Buyer is a user with a token, who is in some segments.
func (s *Site) Buyer(t testing.TB, name string, in ...string) *Person {
	t.Helper()
	return s.person(t, name, web.RoleUser, in...)
}

// Operator is an admin with a token.
func (s *Site) Operator(t testing.TB) *Person {
	t.Helper()
	return s.person(t, "operator", web.RoleAdmin)
}

// Token returns what the person sends to say who they are.
func (p *Person) Token() string { return p.token }

// Holder calls with a key instead of a token.
func (s *Site) Holder(key string) *Person { return &Person{site: s, token: key} }

// Stranger has no token.
func (s *Site) Stranger() *Person { return &Person{site: s} }

func (s *Site) person(t testing.TB, name string, role web.Role, in ...string) *Person {
	t.Helper()
	token, err := s.Server.Auth.Sign(name, role, 24*time.Hour, in...)
	require.NoError(t, err)
	return &Person{site: s, Name: name, token: token}
}

// At lets the person call another instance.
func (p *Person) At(s *Site) *Person { return &Person{site: s, Name: p.Name, token: p.token} }

// Try calls; a call that gets no answer is an error. key, if not "", is the Idempotency-Key; body,
// if not nil, is sent as JSON (a string or bytes as they are).
func (p *Person) Try(ctx context.Context, method, path, key string, body any) (Answer, error) {
	if text, is := body.(string); is {
		body = []byte(text)
	}
	r := client.Request{Method: method, Path: path, Token: p.token, Key: key, Body: body, Header: p.header}
	req, err := r.To(ctx, p.site.URL)
	if err != nil {
		return Answer{}, err
	}
	res, err := p.site.client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	return Answer{Status: res.StatusCode, Header: res.Header, Body: data}, err
}

// From returns the person as one whose requests were made from the version of an answer.
func (p *Person) From(a Answer) *Person {
	return p.with("If-Match", a.Header.Get("ETag"))
}

// Behind returns the person as one who calls from an address through a proxy.
func (p *Person) Behind(address string) *Person {
	return p.with("X-Forwarded-For", address)
}

// In returns the person as one whose requests belong to a trace, by its W3C context.
func (p *Person) In(trace string) *Person {
	return p.with("Traceparent", trace)
}

func (p *Person) with(name, value string) *Person {
	other := *p
	other.header = http.Header{}
	maps.Copy(other.header, p.header)
	if value != "" {
		other.header.Set(name, value)
	}
	return &other
}

// Call calls and fails the test if there is no answer.
func (p *Person) Call(t testing.TB, method, path, key string, body any) Answer {
	t.Helper()
	a, err := p.Try(context.WithoutCancel(t.Context()), method, path, key, body)
	require.NoError(t, err)
	return a
}

// logTo writes the log of an instance into the test's log.
type logTo struct{ t testing.TB }

func (l logTo) Write(p []byte) (int, error) {
	defer func() { _ = recover() }() // the test may have ended before the instance
	l.t.Log(string(bytes.TrimRight(p, "\n")))
	return len(p), nil
}

// Open calls a route and returns its answer while that is being written.
func (p *Person) Open(t testing.TB, path string) *http.Response {
	t.Helper()
	r := client.Request{Method: http.MethodGet, Path: path, Token: p.token}
	req, err := r.To(context.WithoutCancel(t.Context()), p.site.URL)
	require.NoError(t, err)
	res, err := p.site.client.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	require.Equal(t, http.StatusOK, res.StatusCode)
	return res
}
