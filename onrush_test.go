package onrush_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/gofiber/fiber/v2"
	"github.com/golang-jwt/jwt/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush"
	"onrush/modules/loop"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

const (
	jwtSecret  = "a secret of tokens of more than 32 bytes"
	pathSecret = "a secret of paths of more than 32 bytes!"
)

// settings are those that a platform on real stores needs.
func settings(more ...string) map[string]string {
	all := map[string]string{
		"ONRUSH_JWT_SECRET": jwtSecret, "ONRUSH_PATH_SECRET": pathSecret, "ONRUSH_LANES": "2",
		"ONRUSH_SANDBOX_SECRET": "whsec_" + "c2FuZGJveC1zZWNyZXQtb2YtdGVzdHMtMzItYnl0ZXM=",
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// on returns the configuration of a platform on the stores of a test.
func on(t *testing.T, stores *kit.Stores, prefix string) onrush.Config {
	t.Helper()
	cfg := onrush.Config{
		Redis: stores.RedisURL, MySQL: stores.MySQLDSN, RedisPrefix: prefix, Settings: settings(),
		BaseURL: "http://127.0.0.1:1/sales", Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	if stores.MySQLDSN == "" {
		cfg.Redis, cfg.Dir = "", t.TempDir()
	}
	return cfg
}

// start starts a platform until the test ends.
func start(t *testing.T, cfg onrush.Config) *onrush.Platform {
	t.Helper()
	p, err := onrush.New(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Stop(context.Background())) })
	require.NoError(t, p.Start(t.Context()))
	return p
}

// sale opens a sale of a sku and returns its id.
func sale(t *testing.T, p *onrush.Platform, units int) string {
	t.Helper()
	require.NoError(t, p.Call(t.Context(), http.MethodPut, "/admin/api/v1/skus/lamp", map[string]any{
		"title": "Lamp", "shop_id": "shop", "kind": "virtual", "price": 200, "currency": "CNY", "stock": 1000,
	}, nil))
	var made struct {
		ID string `json:"activity_id"`
	}
	require.NoError(t, p.Call(t.Context(), http.MethodPost, "/admin/api/v1/activities", map[string]any{
		"title": "Sale", "shop_id": "shop", "starts_at": time.Now().Add(-time.Minute).Format(time.RFC3339),
		"ends_at": time.Now().Add(time.Hour).Format(time.RFC3339), "pay_within_s": 900,
		"skus": []any{map[string]any{
			"sku_id": "lamp", "flash_price": 100, "stock": []any{map[string]any{"point_id": "0", "quantity": units}},
		}},
	}, &made))
	require.Eventually(t, func() bool { // an instance on a busy machine may not know its site yet
		err := p.Call(t.Context(), http.MethodPost, "/admin/api/v1/activities/"+made.ID+"/publish", nil, nil)
		return err == nil
	}, 10*time.Second, 50*time.Millisecond)
	return made.ID
}

func token(t *testing.T, user string) string {
	t.Helper()
	signed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": user, "role": "user", "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte(jwtSecret))
	require.NoError(t, err)
	return signed
}

// shopper calls the routes below a URL as a buyer.
type shopper struct {
	t     *testing.T
	base  string
	token string
}

func (s *shopper) call(method, path, body string, into any) int {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", "key-of-"+path)
	res, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(s.t, err)
	if into != nil && res.StatusCode < 300 {
		require.NoError(s.t, json.Unmarshal(text, into), string(text))
	}
	s.t.Log(method, path, res.StatusCode, string(text))
	return res.StatusCode
}

// buys places an order and returns its number.
func (s *shopper) buys(activity string) string {
	s.t.Helper()
	var path struct {
		Path string `json:"path"`
	}
	require.Equal(s.t, http.StatusOK, s.call(http.MethodPost, "/api/v1/seckill/path",
		fmt.Sprintf(`{"activity_id":%q,"sku_id":"lamp"}`, activity), &path))
	var placed struct {
		Number string `json:"order_number"`
	}
	require.Equal(s.t, http.StatusAccepted,
		s.call(http.MethodPost, "/api/v1/seckill/"+path.Path+"/submit", `{"quantity":1}`, &placed))
	return placed.Number
}

// numbers are the orders of the buyer's list.
func (s *shopper) numbers() (numbers []string) {
	s.t.Helper()
	var list struct {
		Items []struct {
			Number string `json:"order_number"`
		} `json:"items"`
	}
	require.Equal(s.t, http.StatusOK, s.call(http.MethodGet, "/api/v1/orders", "", &list))
	for _, it := range list.Items {
		numbers = append(numbers, it.Number)
	}
	return numbers
}

// host serves a Fiber app on an address of its own, and returns its URL.
func host(t *testing.T, app *fiber.App) string {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- app.Listener(ln) }()
	t.Cleanup(func() {
		assert.NoError(t, app.ShutdownWithTimeout(5*time.Second))
		assert.NoError(t, <-done)
	})
	return "http://" + ln.Addr().String()
}

func TestABuyerOrdersFromAPlatformInAnotherProgram(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		p := start(t, on(t, stores, ""))
		activity := sale(t, p, 10)
		app := fiber.New(fiber.Config{DisableStartupMessage: true})
		app.Get("/own", func(c *fiber.Ctx) error { return c.SendString("the host's") })
		p.Mount(app.Group("/shop"), "/sales/")
		plain := httptest.NewServer(http.StripPrefix("/flash", p))
		t.Cleanup(plain.Close)
		root := host(t, app)
		for user, base := range map[string]string{"ada": root + "/shop/sales", "bob": plain.URL + "/flash"} {
			buyer := &shopper{t: t, base: base, token: token(t, user)}
			number := buyer.buys(activity)
			assert.Equal(t, []string{number}, buyer.numbers(), user)
			assert.Equal(t, http.StatusNotFound, buyer.call(http.MethodGet, "/api/v1/none", "", nil))
			assert.Equal(t, http.StatusNotFound, buyer.call(http.MethodGet, "/", "", nil), "the pages are off")
			assert.Equal(t, http.StatusOK, buyer.call(http.MethodGet, "/readyz", "", nil))
			assert.Equal(t, http.StatusRequestEntityTooLarge, buyer.call(http.MethodPost, "/api/v1/orders",
				`{"a":"`+strings.Repeat("x", 100<<10)+`"}`, nil))
		}
		other := &shopper{t: t, base: root, token: token(t, "ada")}
		assert.Equal(t, http.StatusOK, other.call(http.MethodGet, "/own", "", nil))
		assert.Equal(t, http.StatusNotFound, other.call(http.MethodGet, "/shop/salesman", "", nil))
		assert.Equal(t, http.StatusOK, other.call(http.MethodGet, "/shop/SALES/livez", "", nil))
	})
}

// The pages of a mounted platform refer to addresses below the path of BaseURL, which may begin as a route does, since
// Mount alone cuts it off.
func TestThePagesOfAMountedPlatformAreBelowItsPath(t *testing.T) {
	t.Parallel()
	cfg := on(t, kit.OnEmbedded(t), "")
	cfg.BaseURL, cfg.Settings["ONRUSH_PAGES"] = "http://127.0.0.1:1/api/sales", "true"
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	start(t, cfg).Mount(app, "/api/sales")
	visitor := &shopper{t: t, base: host(t, app)}
	read := func(path string) string {
		t.Helper()
		res, err := http.Get(visitor.base + path)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, res.StatusCode, path)
		return string(text)
	}
	for _, page := range []string{"", "/", "/admin", "/docs"} {
		references := regexp.MustCompile(`(?:href|src)="(/[^"]*)"`).FindAllStringSubmatch(read("/api/sales"+page), -1)
		require.NotEmpty(t, references, page)
		for _, reference := range references {
			require.True(t, strings.HasPrefix(reference[1], "/api/sales/"), reference[1])
			read(reference[1])
		}
	}
	const target = "http://shop.example/api/sales/livez"
	whole := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
	whole.RequestURI = target
	answer, err := app.Test(whole)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	assert.Equal(t, http.StatusOK, answer.StatusCode, "a target with a host, as a proxy may send it")
	assert.Contains(t, read("/api/sales/openapi.json"), `"servers":[{"url":"/api/sales"}]`)
}

func TestEventsComeOnceAndInOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		p := start(t, on(t, stores, ""))
		activity := sale(t, p, 3)
		web := httptest.NewServer(p)
		t.Cleanup(web.Close)
		number := (&shopper{t: t, base: web.URL, token: token(t, "ada")}).buys(activity)
		var types []string
		after := int64(0)
		require.Eventually(t, func() bool {
			found, next, err := p.Events(t.Context(), after, 1)
			require.NoError(t, err)
			for _, e := range found {
				assert.Greater(t, e.ID, after)
				types = append(types, e.Type)
				if e.Type == "order.placed" {
					assert.Contains(t, string(e.Data), number)
				}
			}
			after = next
			return len(types) > 0 && types[len(types)-1] == "order.placed"
		}, 20*time.Second, 20*time.Millisecond)
		assert.Equal(t, 1, strings.Count(strings.Join(types, " "), "order.placed"))
		_, _, err := p.Events(t.Context(), after+1000, 10)
		require.ErrorIs(t, err, onrush.ErrMissed)
		_, _, err = p.Events(t.Context(), 0, 0)
		require.ErrorContains(t, err, "limit")
	})
}

func TestCallAnswersWithProblemsAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		p := start(t, on(t, stores, ""))
		var problem *onrush.Problem
		require.ErrorAs(t, p.Call(t.Context(), http.MethodGet, "/admin/api/v1/skus/none", nil, nil), &problem)
		assert.Equal(t, []any{404, "not_found"}, []any{problem.Status, problem.Code})
		require.ErrorAs(t, p.Call(t.Context(), http.MethodPut, "/admin/api/v1/skus/x", []byte(`{"`), nil), &problem)
		assert.Equal(t, 422, problem.Status)
		sale(t, p, 3)
		keyed := onrush.WithKey(t.Context(), "made-once")
		body := map[string]any{
			"title": "Once", "shop_id": "shop", "starts_at": time.Now().Format(time.RFC3339),
			"ends_at": time.Now().Add(time.Hour).Format(time.RFC3339), "pay_within_s": 900,
			"skus": []any{map[string]any{
				"sku_id": "lamp", "flash_price": 100, "stock": []any{map[string]any{"point_id": "0", "quantity": 1}},
			}},
		}
		var first, second struct {
			ID string `json:"activity_id"`
		}
		require.NoError(t, p.Call(keyed, http.MethodPost, "/admin/api/v1/activities", body, &first))
		require.NoError(t, p.Call(keyed, http.MethodPost, "/admin/api/v1/activities", body, &second))
		assert.Equal(t, first, second)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, p.Call(ended, http.MethodGet, "/admin/api/v1/skus", nil, nil), context.Canceled)
	})
}

// TestStreamsOfAMountedPlatformEndWithIt follows a buyer's events through both ways into a platform.
func TestStreamsOfAMountedPlatformEndWithIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		p := start(t, on(t, stores, ""))
		app := fiber.New(fiber.Config{DisableStartupMessage: true})
		p.Mount(app, "/sales")
		plain := httptest.NewServer(p)
		t.Cleanup(plain.Close)
		var streams []*bufio.Reader
		for _, base := range []string{host(t, app) + "/sales", plain.URL} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/api/v1/me/events", nil)
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+token(t, "ada"))
			res, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			t.Cleanup(func() { _ = res.Body.Close() })
			require.Equal(t, http.StatusOK, res.StatusCode)
			lines := bufio.NewReader(res.Body)
			_, err = lines.ReadString('\n')
			require.NoError(t, err, "a stream sends its first line at once")
			streams = append(streams, lines)
		}
		require.NoError(t, p.Stop(t.Context()))
		for _, lines := range streams {
			_, err := io.ReadAll(lines)
			require.NoError(t, err)
		}
		late := &shopper{t: t, base: plain.URL, token: token(t, "ada")}
		assert.Equal(t, http.StatusServiceUnavailable, late.call(http.MethodGet, "/api/v1/orders", "", nil))
		require.ErrorIs(t, p.Start(t.Context()), onrush.ErrStopped)
		var problem *onrush.Problem
		require.ErrorAs(t, p.Call(t.Context(), http.MethodGet, "/admin/api/v1/skus", nil, nil), &problem)
		assert.Equal(t, http.StatusServiceUnavailable, problem.Status)
	})
}

// anotherDatabase returns the DSN of an empty database on the server of a test.
func anotherDatabase(t *testing.T, stores *kit.Stores) string {
	t.Helper()
	dsn, err := mysql.ParseDSN(stores.MySQLDSN)
	require.NoError(t, err)
	dsn.DBName += "_other"
	_, err = stores.DB.Write.ExecContext(t.Context(), "CREATE DATABASE "+dsn.DBName)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := stores.DB.Write.ExecContext(context.Background(), "DROP DATABASE "+dsn.DBName)
		assert.NoError(t, err)
	})
	return dsn.FormatDSN()
}

func TestTwoPlatformsShareARedis(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		if stores.MySQLDSN == "" {
			t.Skip("each embedded platform has a Redis of its own")
		}
		first := start(t, on(t, stores, "first"))
		second := on(t, stores, "second")
		second.MySQL = anotherDatabase(t, stores)
		other := start(t, second)
		inFirst, inSecond := sale(t, first, 10), sale(t, other, 10)
		for _, of := range []struct {
			platform *onrush.Platform
			activity string
		}{{first, inFirst}, {other, inSecond}} {
			web := httptest.NewServer(of.platform)
			t.Cleanup(web.Close)
			buyer := &shopper{t: t, base: web.URL, token: token(t, "ada")}
			number := buyer.buys(of.activity)
			assert.Equal(t, []string{number}, buyer.numbers())
		}
		keys, err := stores.Redis.Keys(t.Context(), "*").Result()
		require.NoError(t, err)
		for _, key := range keys {
			assert.Regexp(t, `^(first|second):`, key)
		}
	})
}

func TestStopLeavesNothingBehind(t *testing.T) { //nolint:paralleltest // it counts what the process has
	stopAgainAndAgain(t, 10)
}

// stopAgainAndAgain starts and stops a platform on the same stores, and counts goroutines and open files.
func stopAgainAndAgain(t *testing.T, times int) {
	t.Helper()
	kit.EachInTurn(t, func(t *testing.T, stores func() *kit.Stores) {
		metrics := prometheus.NewRegistry()
		cfg := on(t, stores(), "again")
		cfg.Metrics = metrics
		once := func() {
			p, err := onrush.New(t.Context(), cfg)
			require.NoError(t, err)
			require.NoError(t, p.Start(t.Context()))
			require.NoError(t, p.Call(t.Context(), http.MethodGet, "/admin/api/v1/skus", nil, nil))
			families, err := metrics.Gather()
			require.NoError(t, err)
			assert.Greater(t, len(families), 30)
			for _, f := range families {
				assert.NotRegexp(t, `^(go|process)_`, f.GetName())
			}
			require.NoError(t, p.Stop(t.Context()))
			require.NoError(t, p.Stop(t.Context()), "twice")
		}
		once() // what is made once for the process, and the tables
		before, files := settled(0, 0)
		for range times {
			once()
		}
		after, filesAfter := settled(before, files)
		if after > before || filesAfter > files {
			stacks := make([]byte, 1<<20)
			t.Logf("%s", stacks[:runtime.Stack(stacks, true)])
		}
		assert.LessOrEqual(t, after, before, "goroutines")
		assert.LessOrEqual(t, filesAfter, files, "open files")
		families, err := metrics.Gather()
		require.NoError(t, err)
		assert.Empty(t, families)
	})
}

// settled returns the numbers of goroutines and open files once they are no more than given or, if none are given,
// once they have not fallen for two seconds; after ten seconds at the latest.
func settled(goroutines, files int) (nowGoroutines, nowFiles int) {
	const tick, lasts, most = 20 * time.Millisecond, 100, 500
	least, since := math.MaxInt, 0
	for range most {
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			open = nil
		}
		nowGoroutines, nowFiles = runtime.NumGoroutine(), len(open)
		if nowGoroutines <= goroutines && nowFiles <= files {
			break
		}
		if since++; nowGoroutines+nowFiles < least {
			least, since = nowGoroutines+nowFiles, 0
		}
		if goroutines == 0 && since >= lasts {
			break
		}
		_ = loop.Wait(context.Background(), tick)
	}
	return nowGoroutines, nowFiles
}

func TestAConfigThatCanNotRunIsRefused(t *testing.T) {
	t.Parallel()
	for text, cfg := range map[string]onrush.Config{
		"neither Redis and MySQL nor Dir": {Settings: settings()},
		"Dir, the folder of embedded":     {Dir: t.TempDir(), Redis: "redis://127.0.0.1:1"},
		"ONRUSH_MYSQL_DSN is missing":     {Redis: "redis://127.0.0.1:1", Settings: settings()},
		"ONRUSH_REDIS_PREFIX":             {Dir: t.TempDir(), RedisPrefix: "A:b"},
		"is a field of Config":            {Dir: t.TempDir(), Settings: settings("ONRUSH_REDIS_URL", "redis://x")},
		"a program that listens":          {Dir: t.TempDir(), Settings: settings("ONRUSH_ADMIN_ADDR", ":1")},
		"did you mean ONRUSH_LANES?":      {Dir: t.TempDir(), Settings: settings("ONRUSH_LANE", "3")},
		"ONRUSH_LANES is 5000":            {Dir: t.TempDir(), Settings: settings("ONRUSH_LANES", "5000")},
	} {
		_, err := onrush.New(t.Context(), cfg)
		require.ErrorContains(t, err, text)
	}
}

// TestASecondSiteUnderOnePrefixIsRefused has two programs with one prefix and a database each.
func TestASecondSiteUnderOnePrefixIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		if stores.MySQLDSN == "" {
			t.Skip("each embedded platform has a Redis of its own")
		}
		start(t, on(t, stores, "shared"))
		cfg := on(t, stores, "shared")
		cfg.MySQL = anotherDatabase(t, stores)
		_, err := onrush.New(t.Context(), cfg)
		require.ErrorContains(t, err, "another site")
	})
}

// example builds and starts a program below examples, a module of its own, and returns its URL. stop ends it.
func example(t *testing.T, name string, env ...string) (url string, stop func()) {
	t.Helper()
	addr := freeAddress(t)
	started := runExample(t, buildExample(t, name), addr, env...)
	return "http://" + addr, func() {
		require.NoError(t, started.Process.Signal(os.Interrupt))
		require.NoError(t, started.Wait())
	}
}

// building lets one example be built at a time: each consists mostly of the same packages, which builds at the same
// time would compile each for itself.
var building sync.Mutex

// buildExample builds a program below examples, and returns its file.
func buildExample(t *testing.T, name string) (program string) {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	program = filepath.Join(t.TempDir(), name)
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", program, ".")
	build.Dir = filepath.Join("examples", name)
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	return ln.Addr().String()
}

// runExample starts a program, and waits until it listens.
func runExample(t *testing.T, program, addr string, env ...string) *exec.Cmd {
	t.Helper()
	started := exec.CommandContext(t.Context(), program)
	started.Dir, started.Env = t.TempDir(), append(env, "ADDR="+addr, "JWT_SECRET="+jwtSecret)
	started.Stdout, started.Stderr = t.Output(), t.Output()
	require.NoError(t, started.Start())
	require.Eventually(t, func() bool {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}, 30*time.Second, 20*time.Millisecond)
	return started
}

func TestTheExampleShopSells(t *testing.T) {
	t.Parallel()
	url, stop := example(t, "shop")
	buyer := &shopper{t: t, base: url, token: token(t, "ada")}
	assert.Equal(t, http.StatusOK, buyer.call(http.MethodGet, "/", "", nil))
	assert.Equal(t, http.StatusOK, buyer.call(http.MethodGet, "/sales/api/v1/activities", "", nil))
	assert.Empty(t, (&shopper{t: t, base: url + "/sales", token: buyer.token}).numbers())
	stop()
}

func TestTheExampleWithAGatewayOfItsOwnIsPaid(t *testing.T) {
	t.Parallel()
	url, stop := example(t, "payments", "CREDIT_SECRET=a secret of the shop's credit")
	admin, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": "op", "role": "admin", "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte(jwtSecret))
	require.NoError(t, err)
	operator := &shopper{t: t, base: url + "/sales", token: admin}
	require.Less(t, operator.call(http.MethodPut, "/admin/api/v1/skus/lamp",
		`{"title":"Lamp","shop_id":"shop","kind":"virtual","price":200,"currency":"CNY","stock":10}`, nil), 300)
	buyer := &shopper{t: t, base: url + "/sales", token: token(t, "ada")}
	var placed struct {
		Orders []struct {
			Number string `json:"order_number"`
		} `json:"orders"`
	}
	require.Less(t, buyer.call(http.MethodPost, "/api/v1/orders",
		`{"items":[{"sku_id":"lamp","quantity":1}]}`, &placed), 300)
	require.Len(t, placed.Orders, 1)
	number := placed.Orders[0].Number
	var payment struct {
		Next struct {
			RedirectURL string `json:"redirect_url"`
		} `json:"next"`
	}
	require.Less(t, buyer.call(http.MethodPost, "/api/v1/payments",
		`{"order_numbers":["`+number+`"],"channel":"credit"}`, &payment), 300)
	path, below := strings.CutPrefix(payment.Next.RedirectURL, url+"/credit/")
	require.True(t, below, payment.Next.RedirectURL)
	page := &shopper{t: t, base: url, token: buyer.token}
	assert.Equal(t, http.StatusOK, page.call(http.MethodGet, "/credit/"+path, "", nil))
	assert.Equal(t, http.StatusOK, page.call(http.MethodPost, "/credit/"+path, "", nil))
	var order struct {
		Status string `json:"status"`
	}
	require.Equal(t, http.StatusOK, buyer.call(http.MethodGet, "/api/v1/orders/"+number, "", &order))
	assert.Equal(t, "paid", order.Status)
	stop()
}

// TestTheAddressOfAClientPassesNetHTTP limits clients by their address, which a proxy in front of the host names.
func TestTheAddressOfAClientPassesNetHTTP(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		cfg := on(t, stores, "")
		cfg.Settings = settings("ONRUSH_TRUSTED_PROXIES", "127.0.0.1", "ONRUSH_LIMITS", "user=none,address=2/1h")
		web := httptest.NewServer(start(t, cfg))
		t.Cleanup(web.Close)
		from := func(address string) int {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/api/v1/orders", nil)
			require.NoError(t, err)
			req.Header.Set("Authorization", "Bearer "+token(t, "ada"))
			req.Header.Set("X-Forwarded-For", address)
			res, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			return res.StatusCode
		}
		assert.Equal(t, []int{200, 200, 429, 200}, []int{
			from("198.51.100.1"), from("198.51.100.1"), from("198.51.100.1"), from("198.51.100.2"),
		})
	})
}
