//go:build large

package upgrade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// earlier is the commit of the build that is upgraded: that of 1.0.0, whose state is in the folder 1.0.
const earlier = "e2bc346d60d4fd6e1cb9e1e093b989035d360166"

// fleet is two instances, each of one of two builds, and who calls them.
type fleet struct {
	t        *testing.T
	env      []string
	builds   map[string]string // name → program
	activity string
	sites    [2]atomic.Pointer[site.Site]
	runs     [2]*kit.Program
	people   *site.Site // signs tokens

	answered atomic.Int64
	mu       sync.Mutex
	bought   map[string]string // order → user
	paid     map[string]bool
	ended    map[string]bool // cancelled
	failed   []error
}

const waits = 60 * time.Second

// become lets an instance be of a build, and waits until it is ready.
func (f *fleet) become(t *testing.T, i int, build string) {
	t.Helper()
	if f.runs[i] != nil {
		former := f.sites[i].Load()
		f.sites[i].Store(f.sites[1-i].Load()) // as a load balancer does
		former.HangUp()
		require.NoError(t, f.runs[i].Terminate(t, waits))
	}
	f.runs[i] = kit.Run(t, f.builds[build], f.env...)
	next := site.Remote(t, f.runs[i].URL)
	require.Eventually(t, func() bool {
		return next.Stranger().Ask(http.MethodGet, "/readyz", "", nil).Status == http.StatusOK
	}, waits, 20*time.Millisecond, "%s is ready", build)
	f.sites[i].Store(next)
}

// call repeats a call at both instances until one answers, with the same key.
func (f *fleet) call(user, method, path, key string, body any) (a site.Answer) {
	const tries = 2000
	for n := range tries {
		who := f.people.Buyer(f.t, user).At(f.sites[n%2].Load())
		ctx, cancel := context.WithTimeout(context.Background(), waits)
		var err error
		a, err = who.Try(ctx, method, path, key, body)
		cancel()
		if err == nil && a.Status != http.StatusServiceUnavailable && a.Status != http.StatusTooManyRequests {
			return a
		}
		<-time.NewTimer(time.Duration(min(n, 50)) * time.Millisecond).C
	}
	return a
}

// visit lets one buy a unit, and then pay it, cancel it, or leave it. It returns what went wrong.
func (f *fleet) visit(n int) error {
	defer f.answered.Add(1)
	user := fmt.Sprint("buyer-", n)
	var path struct{ Path string }
	a := f.call(user, http.MethodPost, "/api/v1/seckill/path", "", client.PathRequest{
		ActivityID: f.activity,
		SKUID:      "sku",
	})
	if a.Status != http.StatusOK || json.Unmarshal(a.Body, &path) != nil {
		return fmt.Errorf("path: %s", a.Body)
	}
	var placed client.Submitted
	a = f.call(user, http.MethodPost, "/api/v1/seckill/"+path.Path+"/submit", "key", client.SubmitRequest{Quantity: 1})
	if a.Status != http.StatusAccepted || json.Unmarshal(a.Body, &placed) != nil {
		return fmt.Errorf("submit: %s", a.Body)
	}
	number := placed.OrderNumber
	f.mu.Lock()
	f.bought[number] = user
	f.mu.Unlock()
	if n%3 == 0 { // stays unpaid
		return nil
	}
	if n%3 == 1 {
		a = f.call(user, http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
		if a.Status != http.StatusOK {
			return fmt.Errorf("cancel: %s", a.Body)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ended[number] = true
		return nil
	}
	return f.pay(user, number)
}

func (f *fleet) pay(user, number string) error {
	var m client.Payment
	a := f.call(user, http.MethodPost, "/api/v1/payments", "pay-"+number,
		map[string]any{"order_numbers": []string{number}, "channel": "sandbox"})
	if a.Status >= http.StatusBadRequest || json.Unmarshal(a.Body, &m) != nil {
		return fmt.Errorf("pay: %s", a.Body)
	}
	for n := range 200 {
		ctx, cancel := context.WithTimeout(context.Background(), waits)
		a, err := f.sites[n%2].Load().Notify(ctx, site.Payment{
			Event: "event-" + number, Number: m.PayNumber, Transaction: "txn-" + number, Amount: m.Amount,
			Currency: m.Currency,
		})
		cancel()
		if err == nil && a.Status == http.StatusOK {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.paid[number] = true
			return nil
		}
		<-time.NewTimer(20 * time.Millisecond).C
	}
	return errors.New("no notification was taken")
}

// TestABuildIsRolledOutAndBackUnderACrowd lets both instances, of the earlier build, become ones of this build one
// after the other, then one of them go back to the earlier build, and forward again, while buyers order, pay and cancel
// and orders wait in the queue. The stores have the state of the earlier version, and the crowd buys in its running
// sale. Nothing is lost, nothing is sold twice, and the audit finds no drift. Then what is new works.
func TestABuildIsRolledOutAndBackUnderACrowd(t *testing.T) {
	t.Parallel()
	if os.Getenv("LONG") == "" && os.Getenv(kit.EarlierVariable) == "" {
		t.Skip("LONG=1 builds an earlier program, which takes minutes")
	}
	builds := map[string]string{"earlier": kit.Earlier(t, earlier)}
	this, err := kit.Build(t.TempDir(), "onrush/app")
	require.NoError(t, err)
	builds["this"] = this
	own := kit.Own(t, kit.RedisOnly(), kit.FsyncAlways())
	stores := *kit.OnReal(t, kit.NoSchema())
	stores.Name, stores.Redis, stores.RedisURL, stores.RedisAddr = kit.OwnStores, own.Redis, own.RedisURL, own.RedisAddr
	stores.Keys = lua.Keys{Prefix: lua.DefaultPrefix}
	f := &fleet{
		t: t,
		env: append(site.Env(), "ONRUSH_ADDR=127.0.0.1:0", "ONRUSH_LOG=warn", "ONRUSH_LIMITS=off",
			"ONRUSH_MOVE_WITHIN=3s", "ONRUSH_REDIS_URL="+stores.RedisURL, "ONRUSH_MYSQL_DSN="+stores.MySQLDSN),
		builds: builds, bought: map[string]string{}, paid: map[string]bool{}, ended: map[string]bool{},
	}
	load(t, &stores, "1.0")
	f.become(t, 0, "earlier")
	f.become(t, 1, "earlier")
	inspector := site.Start(t, &stores, site.Idle())
	f.people = inspector
	old := &upgraded{Stores: &stores, dir: "1.0"}
	f.activity = old.sale(t, "sku")
	a := inspector.Operator(t).At(f.sites[0].Load()).Insist(http.MethodPost, admin+"/activities/"+f.activity+"/stock",
		"crowd", client.StockRequest{SKUID: "sku", PointID: "0", Delta: 100_000})
	require.Equal(t, http.StatusOK, a.Status, string(a.Body))
	f.roll(t)
	f.judge(t, inspector, &stores)
	w := &wisher{t: t, s: inspector, ordered: map[string]string{}}
	w.at = [2]*site.Site{f.sites[0].Load(), f.sites[1].Load()}
	w.all(f.activity)
	old.requireMoved(t, w.ordered)
	old.requireNoDrift(t, inspector)
}

// roll changes the builds while a crowd buys.
func (f *fleet) roll(t *testing.T) {
	t.Helper()
	stop := make(chan struct{})
	var crowd sync.WaitGroup
	var next atomic.Int64
	for range 8 {
		crowd.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := f.visit(int(next.Add(1))); err != nil {
					f.mu.Lock()
					f.failed = append(f.failed, err)
					f.mu.Unlock()
				}
			}
		})
	}
	defer func() { close(stop); crowd.Wait() }()
	more := func() {
		at := f.answered.Load()
		require.Eventually(t, func() bool { return f.answered.Load() > at+60 }, waits, 20*time.Millisecond)
	}
	more()
	for _, step := range []struct {
		i     int
		build string
	}{{0, "this"}, {1, "this"}, {0, "earlier"}, {1, "earlier"}, {1, "this"}, {0, "this"}} {
		f.become(t, step.i, step.build)
		more()
	}
}

func (f *fleet) judge(t *testing.T, inspector *site.Site, stores *kit.Stores) {
	t.Helper()
	require.Empty(t, f.failed)
	ctx := context.WithoutCancel(t.Context())
	status := map[string]order.Status{}
	require.Eventually(t, func() bool {
		var rows []struct {
			Number order.Number `db:"number"`
			Status order.Status `db:"status"`
		}
		var owed int
		if stores.DB.Read.SelectContext(ctx, &rows, `SELECT number, status FROM orders
			WHERE user_id LIKE 'buyer-%'`) != nil ||
			stores.DB.Read.GetContext(ctx, &owed, `SELECT COUNT(*) FROM stock_outbox WHERE state = 'pending'`) != nil {
			return false
		}
		for _, r := range rows {
			status[r.Number.String()] = r.Status
		}
		return len(rows) >= len(f.bought) && owed == 0
	}, waits, 50*time.Millisecond, "all orders are stored")
	assert.Len(t, status, len(f.bought), "orders that nobody was told of")
	for number := range f.bought {
		want := order.Unpaid
		if f.paid[number] {
			want = order.Paid
		} else if f.ended[number] {
			want = order.Cancelled
		}
		assert.Equal(t, want, status[number], number)
	}
	assert.Greater(t, len(f.paid), 50)
	assert.Greater(t, len(f.ended), 50)
	assert.Empty(t, inspector.Audit(t, f.activity))
	t.Logf("%d orders, %d paid, %d cancelled", len(f.bought), len(f.paid), len(f.ended))
}
