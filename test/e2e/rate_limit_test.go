package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// limited configures the rate limits; each test has a period so long that nothing is allowed again.
func limited(mode, user, instance string) site.Option {
	return site.Configured(func(cfg *server.Config) {
		cfg.Limits.Mode, cfg.Limits.User, cfg.Limits.Instance = mode, user, instance
	})
}

func TestOnlyTheUserOverTheLimitIsRefusedOnAllInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		on := limited("on", "7/24h", "")
		var instances []*site.Site
		for round, wasLate := 0, true; wasLate; round++ {
			require.Less(t, round, 20, "the judge was late in each of them")
			instances = []*site.Site{site.Start(t, stores, site.Idle(), on), site.Start(t, stores, site.Idle(), on)}
			var passed int
			passed, wasLate = passedOf60(t, instances, instances[0].Buyer(t, fmt.Sprint("robot", round)))
			assert.LessOrEqual(t, passed, 14, "not even without the judge")
			assert.True(t, passed >= 7 && passed <= 9 || wasLate, "%d passed, and each instance may add one", passed)
		}
		flood := instances[0].Buyer(t, "flood")
		passed := 0
		for _, a := range kit.AtOnce(60, func(i int) site.Answer {
			return flood.At(instances[i%2]).Ask(http.MethodGet, "/api/v1/orders", "", nil)
		}) {
			if a.Status == http.StatusOK {
				passed++
			}
		}
		assert.GreaterOrEqual(t, passed, 7)
		assert.LessOrEqual(t, passed, 14, "not even without the judge")
		alice := instances[1].Buyer(t, "alice")
		alice.ListOrders(t, "")
		op := instances[1].Operator(t)
		for range 20 { // operators have no limit
			must(t, http.StatusOK, op.Call(t, http.MethodGet, admin+"/queue", "", nil))
		}
	})
}

// passedOf60 sends requests of a user one by one, and returns how many were answered, and whether the judge of all
// instances may have been late for one of them: then its instance decides alone.
func passedOf60(t *testing.T, instances []*site.Site, robot *site.Person) (passed int, wasLate bool) {
	t.Helper()
	for i := range 60 {
		began := time.Now()
		a := robot.At(instances[i%2]).Ask(http.MethodGet, "/api/v1/orders", "", nil)
		wasLate = wasLate || time.Since(began) >= late
		assert.Equal(t, "7", a.Header.Get("RateLimit-Limit"))
		assert.NotEmpty(t, a.Header.Get("RateLimit-Reset"))
		if a.Status == http.StatusOK {
			passed++
			continue
		}
		assert.Equal(t, http.StatusTooManyRequests, a.Status, string(a.Body))
		assert.Equal(t, "rate_limited", a.Code())
		assert.NotEmpty(t, a.Header.Get("Retry-After"))
		assert.Equal(t, "0", a.Header.Get("RateLimit-Remaining"))
	}
	return passed, wasLate
}

func TestLimitHidesNoOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle(), limited("on", "4/24h", ""))
		sale := s.Open(t, site.Sale{})
		alice := s.Buyer(t, "alice")
		path := alice.Path(t, sale, "sku")
		placed := alice.Submit(t, path, "k", one).Placed(t)
		for range 2 {
			alice.ListOrders(t, "")
		}
		over := alice.Call(t, http.MethodGet, "/api/v1/orders", "", nil)
		require.Equal(t, "rate_limited", over.Code())

		again := alice.Submit(t, path, "k", one).Placed(t)
		assert.Equal(t, placed.OrderNumber, again.OrderNumber, "a known task is answered whatever the limit says")
		refused := alice.Submit(t, path, "new", one)
		assert.Equal(t, http.StatusTooManyRequests, refused.Status)
		assert.Equal(t, "rate_limited", refused.Code())
		assert.NotContains(t, string(refused.Body), "task_id")
		assert.Equal(t, "99", site.Stock(t, stores, sale)["sku"], "the refused submit took no unit")
		task := "/api/v1/seckill/tasks/" + placed.TaskID
		must(t, http.StatusOK, alice.Call(t, http.MethodGet, task, "", nil))

		// The lookups of submits over the limit, and polling, have a limit of their own.
		for i := range 40 {
			over = alice.Submit(t, path, fmt.Sprint("try", i), one)
			require.Equal(t, http.StatusTooManyRequests, over.Status)
		}
		assert.Equal(t, "20", over.Header.Get("RateLimit-Limit"))
		assert.Equal(t, http.StatusTooManyRequests, alice.Call(t, http.MethodGet, task, "", nil).Status)
	})
}

func TestDryRunCountsAndRefusesNothing(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle(), limited("dry_run", "1/24h", "1/24h"))
		alice := s.Buyer(t, "alice")
		for range 10 {
			a := alice.Call(t, http.MethodGet, "/api/v1/orders", "", nil)
			must(t, http.StatusOK, a)
			assert.Empty(t, a.Header.Get("RateLimit-Limit"))
		}
	})
}

func TestInstanceOverItsLimitIsOverloaded(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle(), limited("on", "", "3/24h"))
		codes := map[int]int{}
		for i := range 10 {
			a := s.Buyer(t, fmt.Sprint("buyer", i)).Call(t, http.MethodGet, "/api/v1/orders", "", nil)
			codes[a.Status]++
			if a.Status != http.StatusOK {
				assert.Equal(t, "overloaded", a.Code())
			}
		}
		assert.Equal(t, map[int]int{http.StatusOK: 3, http.StatusServiceUnavailable: 7}, codes)
	})
}

func TestConfirmationsCountUnderTheLimitsOfTheSale(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle(), limited("on", "", ""), site.Configured(func(cfg *server.Config) {
			cfg.Proxies = []string{"127.0.0.1"} // addresses of this machine don't count
		}))
		for by, others := range map[string]int{"user": http.StatusOK, "ip": http.StatusTooManyRequests} {
			sale := s.Open(t, site.Sale{})
			limit, limits := client.RateLimit{Requests: 3, Seconds: 86400}, client.ActivityLimits{}
			if by == "user" {
				limits.User = limit
			} else {
				limits.IP = limit
			}
			s.Operator(t).ChangeActivity(t, sale, client.ActivityChange{Limits: limits})
			ada := s.Buyer(t, "ada").Behind("203.0.113.9")
			path := ada.Path(t, sale, "sku")
			confirm := func(p *site.Person, path string) int {
				a := p.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "", one)
				if a.Status != http.StatusOK {
					assert.Equal(t, "rate_limited", a.Code(), string(a.Body))
				}
				return a.Status
			}
			codes := map[int]int{}
			for range 60 {
				codes[confirm(ada, path)]++
			}
			assert.Equal(t, map[int]int{http.StatusOK: 2, http.StatusTooManyRequests: 58}, codes,
				"by %s, after one for the path", by)
			bob := s.Buyer(t, "bob").Behind("203.0.113.10")
			bobs := bob.Path(t, sale, "sku")
			assert.Equal(t, http.StatusOK, confirm(bob, bobs), "another %s", by)
			assert.Equal(t, others, confirm(s.Buyer(t, "bob").Behind("203.0.113.9"), bobs),
				"another user at ada's address, by %s", by)
		}
	})
}
