package e2e

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

const settingsPath = admin + "/settings"

func changeSettings(t *testing.T, op *site.Person, change map[string]any) client.Settings {
	t.Helper()
	return site.Read[client.Settings](t, http.StatusOK, op.Call(t, http.MethodPatch, settingsPath, "", change))
}

func TestStopOfAllSalesHoldsOnEveryInstanceWithinASecond(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		op := instances[0].Operator(t)
		activity := instances[1].Open(t, site.Sale{Stock: map[string]int64{"0": 9}})
		paid := buyOnce(t, instances[0], activity, "ada")
		buyer := instances[0].Buyer(t, "cleo")
		path := buyer.Path(t, activity, "sku")

		changeSettings(t, op, map[string]any{"sales_stopped": true})
		answered := time.Now()
		refused := buyer.Submit(t, path, "k1", one)
		requireRefusal(t, refused, http.StatusConflict, "sales_stopped")
		assert.Equal(t, "5", refused.Header.Get("Retry-After"))
		requireRefusal(t, takePath(t, buyer, activity), http.StatusConflict, "sales_stopped")
		second := buyer.At(instances[1])
		require.Eventually(t, func() bool { return takePath(t, second, activity).Status == http.StatusConflict },
			2*time.Second, 20*time.Millisecond)
		assert.Less(t, time.Since(answered), 1500*time.Millisecond, "a second, and the time of a slow machine")
		requireRefusal(t, second.Submit(t, path, "k1", one), http.StatusConflict, "sales_stopped")
		paid.requireReplay(t, "while all sales are stopped")
		paid.BeginPayment(t, "p1", paid.first.Placed(t).OrderNumber)
		third := site.Start(t, stores)
		requireRefusal(t, buyer.At(third).Submit(t, path, "k1", one), http.StatusConflict, "sales_stopped")

		changed := site.Read[client.ChangeList](t, http.StatusOK,
			op.Call(t, http.MethodGet, admin+"/changes?on=settings", "", nil))
		require.Len(t, changed.Items, 1)
		assert.Equal(t, "settings.changed", changed.Items[0].Action)
		changeSettings(t, op, map[string]any{"sales_stopped": nil})
		must(t, http.StatusAccepted, buyer.Submit(t, path, "k1", one))
		instances[0].Audit(t, activity)
	})
}

func TestNothingIsPlacedASecondAfterTheStopWasAnswered(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		activity := instances[1].Open(t, site.Sale{Stock: map[string]int64{"0": 100_000}})
		crowd, end := context.WithCancel(t.Context())
		defer end()
		var last atomic.Int64 // when the last accepted submit was sent
		buyers := make([]*site.Person, 8)
		for i := range buyers {
			buyers[i] = instances[i%2].Buyer(t, "buyer"+string(rune('a'+i)))
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			kit.AtOnce(len(buyers), func(i int) error {
				path := buyers[i].Path(t, activity, "sku") //nolint:contextcheck // calls have the context of the test
				for n := 0; crowd.Err() == nil; n++ {
					sent := time.Now().UnixNano()
					a := buyers[i].Submit(t, path, "k"+time.Duration(n).String(), one) //nolint:contextcheck // as above
					if a.Status == http.StatusAccepted {
						last.Store(max(last.Load(), sent))
					}
				}
				return nil
			})
		}()
		require.Eventually(t, func() bool { return last.Load() > 0 }, 5*time.Second, time.Millisecond)
		changeSettings(t, instances[0].Operator(t), map[string]any{"sales_stopped": true})
		answered := time.Now()
		require.Eventually(t, func() bool { return time.Since(answered) > 2*time.Second },
			5*time.Second, 100*time.Millisecond)
		end()
		<-ended
		assert.Less(t, time.Unix(0, last.Load()).Sub(answered), 1500*time.Millisecond)
		instances[0].Audit(t, activity)
	})
}

func TestLevelsTurnOffWhatPlacingAndPayingDoNotNeed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores)
		op, activity := s.Operator(t), ""
		activity = s.Open(t, site.Sale{Stock: map[string]int64{"0": 9}})
		paid := buyOnce(t, s, activity, "ada")
		ada, number := s.Buyer(t, "ada"), paid.first.Placed(t).OrderNumber
		routes := []struct{ method, path, from string }{
			{http.MethodPost, "/api/v1/me/events/ticket", "no_streams"},
			{http.MethodGet, "/api/v1/orders", "no_lists"},
			{http.MethodGet, "/api/v1/payments?order_number=" + number, "no_lists"},
			{http.MethodGet, "/api/v1/skus", "no_lists"},
			{http.MethodGet, "/api/v1/activities", "only_placing"},
			{http.MethodGet, "/api/v1/regions", "only_placing"},
			{http.MethodGet, "/api/v1/addresses", ""},
			{http.MethodGet, "/api/v1/orders/" + number, ""},
			{http.MethodGet, "/api/v1/activities/" + activity, ""},
		}
		for level, name := range []string{"full", "no_streams", "no_lists", "only_placing"} {
			changeSettings(t, op, map[string]any{"degrade": name})
			for _, r := range routes {
				off := map[string]int{"no_streams": 1, "no_lists": 2, "only_placing": 3, "": 4}[r.from] <= level
				a := ada.Call(t, r.method, r.path, "", nil)
				if !off {
					assert.Equal(t, http.StatusOK, a.Status, "%s at %s: %s", r.path, name, a.Body)
					continue
				}
				requireRefusal(t, a, http.StatusServiceUnavailable, "degraded")
				assert.Equal(t, "30", a.Header.Get("Retry-After"))
			}
			buyer := s.Buyer(t, "buyer-"+name)
			must(t, http.StatusAccepted, buyer.Submit(t, buyer.Path(t, activity, "sku"), "k", one))
		}
		ada.BeginPayment(t, "p1", number)
	})
}

func TestLimitsChangeWhileTheProgramRunsAndFallBackToTheEnvironment(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Configured(func(cfg *server.Config) {
			cfg.Limits.Mode, cfg.Limits.User = "on", "1000/1m"
		}))
		op, ada := s.Operator(t), s.Buyer(t, "ada")
		shown := changeSettings(t, op, map[string]any{"limit_user": "2/1m"})
		assert.Equal(t, "2/1m", shown.InForce.LimitUser)
		statuses := map[int]int{}
		for range 5 {
			statuses[ada.Call(t, http.MethodGet, "/api/v1/orders", "", nil).Status]++
		}
		assert.Equal(t, map[int]int{http.StatusOK: 2, http.StatusTooManyRequests: 3}, statuses)
		shown = changeSettings(t, op, map[string]any{"limit_user": nil})
		assert.Equal(t, "1000/1m", shown.InForce.LimitUser)
		must(t, http.StatusOK, ada.Call(t, http.MethodGet, "/api/v1/orders", "", nil))
	})
}

// Limits that refuse too many are turned off in the middle of a sale, the limits of the sale included, and on again.
func TestLimitsAreTurnedOffAndOnWhileTheProgramRuns(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Configured(func(cfg *server.Config) {
			cfg.Limits.Mode, cfg.Limits.User = "off", "1/1m"
		}))
		op := s.Operator(t)
		activity := s.Open(t, site.Sale{})
		op.ChangeActivity(t, activity, client.ActivityChange{
			Limits: client.ActivityLimits{User: client.RateLimit{Requests: 1, Seconds: 60}},
		})
		second := func(mode any, name string) site.Answer {
			t.Helper()
			changeSettings(t, op, map[string]any{"limits": mode})
			p := s.Buyer(t, name)
			takePath(t, p, activity)
			return takePath(t, p, activity)
		}
		must(t, http.StatusOK, second(nil, "ada"))
		requireRefusal(t, second("on", "bob"), http.StatusTooManyRequests, "rate_limited")
		changeSettings(t, op, map[string]any{"limit_user": "none"})
		requireRefusal(t, second("on", "cleo"), http.StatusTooManyRequests, "rate_limited") // of the sale
		must(t, http.StatusOK, second("dry_run", "dora"))
		must(t, http.StatusOK, second("off", "eve"))
		requireRefusal(t, second("on", "finn"), http.StatusTooManyRequests, "rate_limited")
		must(t, http.StatusOK, second(nil, "gina"))
	})
}

// SIGHUP reads the settings again at once; an instance whose loops don't run follows no change else.
func TestAReloadReadsTheSettings(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		limited := site.Configured(func(cfg *server.Config) { cfg.Limits.Mode, cfg.Limits.User = "on", "1000/1m" })
		here, there := site.Start(t, stores, limited), site.Start(t, stores, limited, site.Idle())
		changeSettings(t, here.Operator(t), map[string]any{"limit_user": "1/1m"})
		ada := there.Buyer(t, "ada")
		twice := func() int {
			ada.Ask(http.MethodGet, "/api/v1/orders", "", nil)
			return ada.Ask(http.MethodGet, "/api/v1/orders", "", nil).Status
		}
		require.Equal(t, http.StatusOK, twice(), "it has not read the change")
		there.Server.Reload(t.Context())
		assert.Equal(t, http.StatusTooManyRequests, twice())
	})
}
