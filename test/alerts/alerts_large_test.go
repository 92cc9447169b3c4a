//go:build large

package alerts

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/deploy/mixin"
	"onrush/lua"
	"onrush/modules/pay"
	"onrush/modules/pay/hosted"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// scenario is a fault, and the alerts that it must fire. The command of an alert must print what matches the pattern
// beside it, which names the cause; "" where the command is about what the test has not, such as a gateway's settings.
type scenario struct {
	alerts map[string]string
	fault  func(t *testing.T, watch func(*site.Site) (unwatch func()))
}

var scenarios = map[string]scenario{
	"down":   {map[string]string{"OnrushDown": "stopping", "OnrushGone": ""}, down},
	"hidden": {map[string]string{"OnrushGone": ""}, hidden},
	"sql-away": {
		map[string]string{
			"OnrushStoreDown":        `failure +sql`,
			"OnrushJobStands":        "The jobs can't be read right now",
			"OnrushCopyOld":          `failure +sql`,
			"OnrushErrorsBurnFast":   `store is unavailable" store=sql`,
			"OnrushErrorsBurnSlowly": `requests refused" code=unavailable status=503 count=`,
		},
		sqlAway,
	},
	"no-figures": {map[string]string{"OnrushMetricsMissing": `failure +schema .*voucher_waits`}, lostTable},
	"redis-away": {map[string]string{
		"OnrushSaleErrors": `store is unavailable" store=redis`, "OnrushStoreDown": `failure +redis`,
	}, redisAway},
	"distant-redis": {map[string]string{"OnrushSaleSlow": ""}, distantRedis},
	"paused-sale":   {map[string]string{"OnrushSaleStandsStill": `published +20\d\d-`}, pausedSale},
	"no-mover": {map[string]string{
		"OnrushQueueStuck": `(?m)^\d+ +[1-9]`, "OnrushOverloaded": `(?m)^\d+ +[1-9]`,
	}, noMover},
	"drift":      {map[string]string{"OnrushSaleDrift": `drift`}, drift},
	"dead":       {map[string]string{"OnrushDeadEntries": `bad_record`}, deadEntry},
	"cancelled":  {map[string]string{"OnrushStockPending": ""}, cancelledWithoutJobs},
	"full-redis": {map[string]string{"OnrushRedisFull": "", "OnrushRedisEvicts": `allkeys-lru`}, fullRedis},
	"money": {map[string]string{
		"OnrushPaymentFlagged": `wrong_amount`, "OnrushRefundFailed": `failed`, "OnrushRefundsStuck": `pending`,
	}, money},
	"gateway": {map[string]string{"OnrushGatewayAway": ""}, gatewayAway},
	"unasked": {map[string]string{"OnrushPaymentsStuck": ""}, gatewayAwayAfterBegin},
	"replicas": {
		map[string]string{"OnrushRedisReplicasLacking": `0 connected, ONRUSH_REDIS_REPLICAS is 1`},
		noReplica,
	},
	"lost-replica": {
		map[string]string{"OnrushRedisReplicaLost": `1 connected, ONRUSH_REDIS_REPLICAS is 1`},
		lostReplica,
	},
	"alone":    {map[string]string{"OnrushSQLUnconfirmed": `warning +sql failover`}, unconfirmed},
	"no-codes": {map[string]string{"OnrushVouchersWait": `spa`}, noCodes},
	"endpoint": {map[string]string{"OnrushEndpointFails": `500`}, endpoint},
	"pool":     {map[string]string{"OnrushPoolExhausted": ""}, pool},
	"clock":    {map[string]string{"OnrushClockWrong": ""}, wrongClock},
	"settings": {map[string]string{
		"OnrushSalesStopped":     `(?s)sales_stopped +true +operators.*settings.changed +settings .*sales_stopped`,
		"OnrushSalesLeftStopped": `settings.changed`, "OnrushLimitsOff": `limits +dry_run +operators`,
		"OnrushDegraded": `degrade +no_lists +operators`,
	}, turnedOff},
}

// TestEachAlertFiresByItsFault breaks a site for each alert. A site that nothing is wrong with has none.
func TestEachAlertFiresByItsFault(t *testing.T) {
	t.Parallel()
	m := newMonitor(t)
	calm := site.Start(t, kit.OnReal(t), withLimits())
	m.watch(t, "calm", calm)
	activity := calm.Open(t, site.Sale{Stock: map[string]int64{"0": 100_000}})
	repeat(t, 4, func(worker, n int) {
		buyer := calm.Buyer(t, fmt.Sprint("calm-", worker, "-", n))
		buyer.Buy(t, activity, "sku", "k")
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // a calm crowd
	})
	shell := newShell(t)
	t.Run("faults", func(t *testing.T) {
		tested := map[string]bool{"OnrushRestarts": true}
		t.Run("restarts", func(t *testing.T) { t.Parallel(); restarts(t, m, shell) })
		for name, s := range scenarios {
			for alert := range s.alerts {
				tested[alert] = true
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var broken *site.Site
				s.fault(t, func(s *site.Site) func() { broken = s; return m.watch(t, name, s) })
				m.requireFiring(t, name, slices.Collect(maps.Keys(s.alerts))...)
				for alert, cause := range s.alerts {
					if cause != "" {
						said := shell.run(t, broken, m.command(t, name, alert))
						assert.Regexp(t, cause, said, alert)
					}
				}
				if name == "sql-away" || name == "redis-away" {
					assert.NotContains(t, m.firing(t, name), "OnrushMetricsMissing", "it has the same cause")
				}
				if name == "settings" { // what an operator turned off is no error
					assert.NotContains(t, m.firing(t, name), "OnrushErrorsBurnFast")
					assert.NotContains(t, m.firing(t, name), "OnrushErrorsBurnSlowly")
				}
			})
		}
		for _, r := range mixin.Rules(speed) {
			assert.True(t, tested[r.Name], "no fault fires %s", r.Name)
		}
	})
	assert.Empty(t, slices.DeleteFunc(m.firing(t, "calm"), func(alert string) bool {
		// Some jobs run once a minute, which is an hour at this speed; and the other sites make this machine slow.
		return alert == "OnrushJobStands" || alert == "OnrushSaleSlow"
	}))
	for _, expr := range dashboardQueries(t) { // of the sites that ran a moment ago
		expr = strings.ReplaceAll(expr, `job="$job"`, `job=~".+"`)
		assert.Positive(t, m.query(t, "max_over_time(("+expr+")[10m:1s])"), expr)
	}
}

// dashboardQueries are the expressions of the dashboard.
func dashboardQueries(t *testing.T) (exprs []string) {
	t.Helper()
	raw, err := os.ReadFile("../../deploy/mixin/dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	require.NoError(t, json.Unmarshal(raw, &dashboard))
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			exprs = append(exprs, target.Expr)
		}
	}
	require.Greater(t, len(exprs), 30)
	return slices.Compact(exprs)
}

// repeat calls do from some workers until the test ends.
func repeat(t *testing.T, workers int, do func(worker, n int)) {
	t.Helper()
	stop := make(chan struct{})
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					do(w, n)
				}
			}
		})
	}
	t.Cleanup(func() { close(stop); all.Wait() })
}

// rush lets users submit on paths that they have, until the test ends.
func rush(t *testing.T, s *site.Site, activity string) {
	t.Helper()
	var buyers []*site.Person
	var paths []string
	for i := range 4 {
		buyers = append(buyers, s.Buyer(t, fmt.Sprint("rush-", i)))
		paths = append(paths, buyers[i].Path(t, activity, "sku"))
	}
	repeat(t, len(buyers), func(worker, n int) {
		buyers[worker].Ask(http.MethodPost, "/api/v1/seckill/"+paths[worker]+"/submit", fmt.Sprint("k", n),
			map[string]any{"quantity": 1})
		time.Sleep(100 * time.Millisecond) //nolint:forbidigo // ten a second
	})
}

func down(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnEmbedded(t), journaled(t))
	watch(s)
	s.Stop(t)
}

// hidden takes an instance that runs from the targets of Prometheus.
func hidden(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	unwatch := watch(site.Start(t, kit.OnEmbedded(t)))
	unwatch()
}

func sqlAway(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	stores := kit.OnReal(t, kit.Breakable())
	s := site.Start(t, stores, journaled(t))
	watch(s)
	alice := s.Buyer(t, "alice")
	alice.ListAddresses(t)
	s.Job(t, "audit")
	time.Sleep(3 * time.Second) //nolint:forbidigo // the jobs have run
	stores.SQLAway(t)
	t.Cleanup(func() { stores.SQLBack(t) })
	repeat(t, 1, func(int, int) {
		alice.Ask(http.MethodGet, "/api/v1/addresses", "", nil)
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // twenty a second
	})
}

func lostTable(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t), site.Idle())
	watch(s)
	_, err := s.Stores.DB.Write.ExecContext(t.Context(), `RENAME TABLE voucher_waits TO voucher_waits_of_yesterday`)
	require.NoError(t, err)
}

func redisAway(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	stores := kit.OnReal(t, kit.Breakable())
	s := site.Start(t, stores, journaled(t))
	watch(s)
	rush(t, s, s.Open(t, site.Sale{}))
	stores.RedisAway(t)
	t.Cleanup(func() { stores.RedisBack(t) })
}

func distantRedis(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t, kit.RedisAt(300*time.Millisecond)))
	watch(s)
	rush(t, s, s.Open(t, site.Sale{Stock: map[string]int64{"0": 100_000}}))
}

func pausedSale(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t))
	watch(s)
	activity := s.Open(t, site.Sale{})
	rush(t, s, activity)
	s.Operator(t).PauseActivity(t, activity)
}

func noMover(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t), site.Idle(), site.Configured(func(cfg *server.Config) { cfg.QueueLimit = 3 }))
	watch(s)
	rush(t, s, s.Open(t, site.Sale{}))
}

func drift(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t), site.Idle())
	watch(s)
	activity := s.Open(t, site.Sale{})
	placed := s.Buyer(t, "alice").Buy(t, activity, "sku", "k").Placed(t)
	lane, keys := site.Lane(t, s.Stores, activity), s.Stores.Keys
	// Nobody can prove that the order, which can't be read, took the unit. What can be proven, the audit job mends.
	require.NoError(t, s.Stores.Redis.HSet(t.Context(), keys.Orders(lane, "alice"), lua.OrderField(placed.OrderNumber),
		"{").Err())
	require.NoError(t, s.Stores.Redis.Del(t.Context(), keys.Held(lane, activity)).Err())
	_, err := s.Server.Auditor.RunOnce(t.Context())
	require.ErrorContains(t, err, "drifts")
}

func deadEntry(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t), site.Idle())
	watch(s)
	activity := s.Open(t, site.Sale{})
	placed := s.Buyer(t, "alice").Buy(t, activity, "sku", "k").Placed(t)
	key := s.Stores.Keys.Orders(site.Lane(t, s.Stores, activity), "alice")
	require.NoError(t, s.Stores.Redis.HSet(t.Context(), key, lua.OrderField(placed.OrderNumber), "{").Err())
	s.Drain(t)
}

func cancelledWithoutJobs(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	stores := kit.OnReal(t, kit.Breakable())
	s := site.Start(t, stores, site.Idle())
	watch(s)
	activity := s.Open(t, site.Sale{})
	placed := s.Buyer(t, "alice").Buy(t, activity, "sku", "k").Placed(t)
	s.Drain(t)
	_, err := stores.DB.Write.ExecContext(t.Context(), `INSERT INTO stock_outbox (outbox_id, kind, state, activity_id,
		sku_id, point_id, quantity, order_number, user_id, created_ms) VALUES
		(?, 'return', 'pending', ?, 'sku', '0', 1, ?, 'alice', ?)`, "return:"+placed.OrderNumber, activity,
		placed.OrderNumber, time.Now().UnixMilli())
	require.NoError(t, err)
}

func fullRedis(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	own := kit.Own(t, kit.RedisOnly())
	stores := *kit.OnReal(t)
	stores.Name, stores.Redis, stores.RedisURL, stores.RedisAddr = kit.OwnStores, own.Redis, own.RedisURL, own.RedisAddr
	s := site.Start(t, &stores)
	watch(s)
	require.NoError(t, own.Redis.ConfigSet(t.Context(), "maxmemory", "1mb").Err())
	require.NoError(t, own.Redis.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
}

// money lets a buyer pay a wrong amount that the sandbox refuses to refund, and leaves a refund pending for days.
func money(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t))
	watch(s)
	activity := s.Open(t, site.Sale{})
	for _, name := range []string{"ann", "ben"} {
		buyer := s.Buyer(t, name)
		number := buyer.Buy(t, activity, "sku", "k").Placed(t).OrderNumber
		payment := buyer.BeginPayment(t, "pay", number).PayNumber
		answer, err := s.Notify(
			t.Context(),
			site.Payment{Number: payment, Transaction: name, Amount: 1, Currency: "CNY"},
		)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.Status, string(answer.Body))
		if name == "ann" { // the sandbox has no such transaction, and refuses
			change(t, s, `UPDATE refunds SET attempts = 1000, next_try_ms = 0 WHERE transaction_id = ?`, name)
			continue
		}
		change(
			t,
			s,
			`UPDATE refunds SET created_ms = ?, next_try_ms = ? WHERE transaction_id = ?`,
			daysAgo(2),
			daysAgo(-9),
			name,
		)
	}
}

// silentGateway answers nothing.
type silentGateway struct{ hosted.Gateway }

func (silentGateway) Begin(context.Context, hosted.Payment) (hosted.Next, error) {
	return hosted.Next{}, pay.ErrUnavailable
}

// gatewayAway lets buyers choose a gateway that does not answer.
func gatewayAway(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t), site.Configured(func(cfg *server.Config) {
		cfg.Hosted = []server.HostedGateway{{Name: "acme", Gateway: silentGateway{}}}
	}))
	watch(s)
	buyer := s.Buyer(t, "ann")
	number := buyer.Buy(t, s.Open(t, site.Sale{}), "sku", "k").Placed(t).OrderNumber
	repeat(t, 1, func(_, _ int) {
		buyer.Ask(http.MethodPost, "/api/v1/payments", "pay",
			map[string]any{"order_numbers": []string{number}, "channel": "acme"})
		time.Sleep(100 * time.Millisecond) //nolint:forbidigo // a patient buyer
	})
}

// forgetfulGateway begins payments, and answers nothing else.
type forgetfulGateway struct{ hosted.Gateway }

func (forgetfulGateway) Begin(context.Context, hosted.Payment) (hosted.Next, error) {
	return hosted.Next{RedirectURL: "https://bank.example/pay"}, nil
}

func (forgetfulGateway) Query(context.Context, hosted.Payment) (hosted.Found, error) {
	return hosted.Found{}, pay.ErrUnavailable
}

// gatewayAwayAfterBegin lets a buyer begin a payment at a gateway that never says whether it was paid.
func gatewayAwayAfterBegin(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t), site.Configured(func(cfg *server.Config) {
		cfg.Hosted = []server.HostedGateway{{Name: "acme", Gateway: forgetfulGateway{}}}
	}))
	watch(s)
	buyer := s.Buyer(t, "ann")
	number := buyer.Buy(t, s.Open(t, site.Sale{PayWithinS: 2}), "sku", "k").Placed(t).OrderNumber
	a := buyer.Ask(http.MethodPost, "/api/v1/payments", "pay",
		map[string]any{"order_numbers": []string{number}, "channel": "acme"})
	require.Equal(t, http.StatusCreated, a.Status, string(a.Body))
}

// noReplica makes orders wait for a replica that the Redis server doesn't have.
func noReplica(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	watch(site.Start(t, kit.OnReal(t), site.Configured(func(cfg *server.Config) { cfg.RedisReplicas = 1 })))
}

// lostReplica stops one of two replicas, of which orders wait for one.
func lostReplica(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	own := kit.Own(t, kit.RedisOnly())
	stores := *kit.OnReal(t)
	stores.Name, stores.Redis, stores.RedisURL, stores.RedisAddr = kit.OwnStores, own.Redis, own.RedisURL, own.RedisAddr
	kit.StartReplica(t, &stores, "")
	second := kit.StartReplica(t, &stores, "")
	s := site.Start(t, &stores, site.Configured(func(cfg *server.Config) { cfg.RedisReplicas = 1 }))
	require.Eventually(t, func() bool {
		return strings.Contains(site.Scrape(t, s.MetricsAddr(t)), `onrush_redis_replicas{node="`+own.RedisAddr+`"} 2`)
	}, time.Minute, 100*time.Millisecond)
	watch(s)
	second.Stop()
}

// unconfirmed lets SQL commit without its replica, as after the second server was promoted.
func unconfirmed(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	pair := kit.OwnPrimaries(t)
	watch(site.Start(t, pair.Stores))
	pair.Confirm(t, false)
}

// change changes rows as days that pass would.
func change(t *testing.T, s *site.Site, query string, args ...any) {
	t.Helper()
	_, err := s.Stores.DB.Write.ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
}

func daysAgo(days int) int64 {
	return time.Now().Add(-time.Duration(days) * 24 * time.Hour).UnixMilli()
}

func endpoint(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(receiver.Close)
	s := site.Start(t, kit.OnReal(t), site.Configured(func(cfg *server.Config) {
		cfg.EventsAllowPrivate = []string{"true"}
	}))
	watch(s)
	a := s.Operator(t).Call(t, http.MethodPut, "/admin/api/v1/endpoints/erp", "",
		client.EndpointRequest{URL: receiver.URL})
	require.Equal(t, http.StatusOK, a.Status/100*100, string(a.Body))
	s.Buyer(t, "alice").Buy(t, s.Open(t, site.Sale{}), "sku", "k").Placed(t)
}

func pool(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t), site.Configured(func(cfg *server.Config) {
		cfg.SQLConnections, cfg.Limits.Mode = 8, "off"
	}))
	watch(s)
	buyers := make([]*site.Person, 40)
	for i := range buyers {
		buyers[i] = s.Buyer(t, fmt.Sprint("buyer-", i))
	}
	repeat(t, len(buyers), func(worker, _ int) { buyers[worker].Ask(http.MethodGet, "/api/v1/addresses", "", nil) })
}

func wrongClock(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	watch(site.Start(t, kit.OnReal(t), site.Now(func() time.Time { return time.Now().Add(time.Minute) })))
}

// withLimits turns the rate limits on, which are off at a site otherwise. None of them has a value.
func withLimits() site.Option {
	return site.Configured(func(cfg *server.Config) { cfg.Limits.Mode = "on" })
}

func turnedOff(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t), withLimits())
	watch(s)
	s.Open(t, site.Sale{})
	a := s.Operator(t).Call(t, http.MethodPatch, "/admin/api/v1/settings", "", map[string]any{
		"sales_stopped": true, "limits": "dry_run", "degrade": "no_lists",
	})
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	alice := s.Buyer(t, "alice")
	repeat(t, 1, func(int, int) {
		alice.Ask(http.MethodGet, "/api/v1/orders", "", nil)
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // twenty a second
	})
}

// noCodes lets two buyers pay for vouchers of which the partner has supplied one.
func noCodes(t *testing.T, watch func(*site.Site) func()) {
	t.Helper()
	s := site.Start(t, kit.OnReal(t))
	watch(s)
	op := s.Operator(t)
	op.PutSKU(t, "spa", client.SKURequest{
		Title: "Spa", ShopID: "shop", Kind: "voucher", Price: 0, Currency: "CNY", Stock: 10,
	})
	a := op.Call(t, http.MethodPost, "/admin/api/v1/skus/spa/vouchers:import", "",
		map[string]any{"codes": []string{"SPA-1"}})
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	for _, name := range []string{"ann", "ben"} {
		buyer := s.Buyer(t, name)
		items := []client.OrderLine{{SKUID: "spa", Quantity: 1}}
		placed := buyer.CreateOrders(t, "o", client.OrderRequest{Items: items})
		buyer.BeginPayment(t, "p", placed[0].OrderNumber)
	}
}
