package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// counted is an instance whose Redis commands are counted, with a clock that the test moves.
type counted struct {
	*site.Site

	clock    *kit.Clock
	commands *kit.Commands
}

func startCounted(t *testing.T, stores *kit.Stores, opts ...site.Option) *counted {
	t.Helper()
	own := *stores
	own.Redis = stores.ConnectRedis(t)
	c := &counted{clock: kit.NewClock(time.Now()), commands: kit.CountCommands(own.Redis)}
	c.Site = site.Start(t, &own, append([]site.Option{site.Idle(), site.Now(c.clock.Now)}, opts...)...)
	return c
}

// late is how long instances wait for Redis where they can do without it: the counts of a sale, and the judge of rate
// limits. On a busy machine a request may take so long; then it doesn't show what others do.
const late = 300 * time.Millisecond

// refusals asks for paths for n users and returns how often each code was answered, and whether Redis may have been
// late for one of them.
func (c *counted) refusals(t *testing.T, activity string, n int) (codes map[string]int, wasLate bool) {
	t.Helper()
	codes = map[string]int{}
	for i := range n {
		began := time.Now()
		codes[c.Buyer(t, fmt.Sprint("late", i)).Ask(http.MethodPost, "/api/v1/seckill/path", "",
			map[string]string{"activity_id": activity, "sku_id": "sku"}).Code()]++
		wasLate = wasLate || time.Since(began) >= late
	}
	return codes, wasLate
}

// warm asks for paths until a refusal with the code costs no command: the holders of permits are read in the
// background.
func (c *counted) warm(t *testing.T, activity, code string) {
	t.Helper()
	c.clock.Advance(20 * time.Millisecond)
	require.Eventually(t, func() bool {
		c.commands.Take()
		codes, _ := c.refusals(t, activity, 1)
		if codes[code] == 0 { // the counts could not be read a moment ago
			c.clock.Advance(late)
			return false
		}
		return len(c.commands.Take()) == 0
	}, eventually, time.Millisecond)
}

// Once the local state is warm, a refused path costs no Redis command of its own: one read of the counts, and one
// of the permits, serve all requests of 20 ms.
func TestRefusedPathsCostNoRedisCommandOfTheirOwn(t *testing.T) {
	t.Parallel()
	counts := map[string]int{"hmget": 2} // one pipeline
	for name, row := range map[string]struct {
		sale  site.Sale
		paths int // that are taken, and used if the sale has one unit
		code  string
		reads map[string]int // per 20 ms
	}{
		"sold out":    {site.Sale{Stock: map[string]int64{"0": 1}}, 1, "sold_out_unpaid_pending", counts},
		"not started": {site.Sale{StartsIn: time.Hour, EndsIn: 2 * time.Hour}, 0, "not_started", map[string]int{}},
		"none left": {
			sale: site.Sale{Stock: map[string]int64{"0": 4}, PermitRatio: 0.5}, paths: 2, code: "no_permit",
			reads: map[string]int{"hmget": 2, "evalsha": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				c := startCounted(t, stores)
				activity := c.Open(t, row.sale)
				for i := range row.paths {
					buyer := c.Buyer(t, fmt.Sprint("early", i))
					path := buyer.Path(t, activity, "sku")
					if row.code == "sold_out_unpaid_pending" {
						must(t, http.StatusAccepted, buyer.Submit(t, path, "k", one))
					}
				}
				c.clock.Advance(time.Second)
				c.refusals(t, activity, 5)
				c.warm(t, activity, row.code)
				codes, _ := c.refusals(t, activity, 100)
				require.Equal(t, map[string]int{row.code: 100}, codes)
				assert.Empty(t, c.commands.Take(), "warm")
				for seen := 0; seen < 5; {
					c.clock.Advance(20 * time.Millisecond)
					codes, wasLate := c.refusals(t, activity, 50)
					if commands := c.commands.Take(); !wasLate {
						require.Equal(t, map[string]int{row.code: 50}, codes)
						assert.Equal(t, row.reads, commands, "20 ms later")
						seen++
						continue
					}
					c.warm(t, activity, row.code)
				}
			})
		})
	}
}

func TestRequestsOverALimitCostNoRedisCommand(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := startCounted(t, stores, limited("on", "8/24h", ""))
		activity := c.Open(t, site.Sale{})
		robot := c.Buyer(t, "robot")
		ask := func() string {
			return robot.Ask(http.MethodPost, "/api/v1/seckill/path", "",
				map[string]string{"activity_id": activity, "sku_id": "sku"}).Code()
		}
		require.Eventually(t, func() bool { return ask() == "rate_limited" }, eventually, time.Millisecond)
		c.commands.Take()
		for range 50 {
			require.Equal(t, "rate_limited", ask())
		}
		assert.Empty(t, c.commands.Take())
	})
}

// With SQL away, a submit that asked it would be answered 503.
func TestASubmitOverTheLimitOfAnUnknownTaskReachesNoSQL(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle(), limited("on", "4/24h", ""))
		sale := s.Open(t, site.Sale{})
		alice := s.Buyer(t, "alice")
		path := alice.Path(t, sale, "sku")
		for range 3 {
			alice.Call(t, http.MethodGet, "/api/v1/orders", "", nil)
		}
		stores.SQLAway(t)
		for i := range 5 {
			a := alice.Ask(http.MethodPost, "/api/v1/seckill/"+path+"/submit", fmt.Sprint("new", i), one)
			requireRefusal(t, a, http.StatusTooManyRequests, "rate_limited")
		}
		stores.SQLBack(t)
		assert.Contains(t, s.Metrics(t), `onrush_refusals_total{code="rate_limited",gate="user"} 5`)
	}, kit.Breakable())
}

func TestTheNinthEventStreamOfAUserIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{})
		alice, bob := s.Buyer(t, "alice"), s.Buyer(t, "bob")
		events := func(p *site.Person) string {
			return tasks + p.Buy(t, activity, "sku", "k").Placed(t).TaskID + "/events"
		}
		ofAlice := events(alice)
		for range 8 {
			_, _, more := site.Next[client.Task](t, alice.Follow(t, ofAlice))
			require.True(t, more)
		}
		ninth := alice.Call(t, http.MethodGet, ofAlice, "", nil)
		requireRefusal(t, ninth, http.StatusTooManyRequests, "rate_limited")
		assert.NotEmpty(t, ninth.Header.Get("Retry-After"))
		_, _, more := site.Next[client.Task](t, bob.Follow(t, events(bob)))
		require.True(t, more, "another user")
		s.Drain(t) // the streams end
		require.Eventually(t, func() bool {
			return alice.Ask(http.MethodGet, ofAlice, "", nil).Status == http.StatusOK
		}, eventually, soon)
	})
}
