package faults

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// Pausing the job move_orders at one instance pauses the movers of both, until it is resumed.
func TestPausingTheJobPausesTheMoversOfAllInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		first := site.Start(t, stores)
		other := first
		if stores.Name == kit.RealStores {
			other = site.Start(t, reconnect(t, stores))
		}
		operator := first.Operator(t)
		const sold, round = `SELECT COUNT(*) FROM orders WHERE type = 'seckill'`, 5
		activity := first.Open(t, site.Sale{Stock: map[string]int64{"0": 1000}})
		n := 0
		buy := func(s *site.Site) {
			for range round {
				placed(t, s.Buyer(t, fmt.Sprintf("buyer%d", n)).Buy(t, activity, "sku", "k"))
				n++
			}
		}
		change := func(what string) {
			a := operator.Call(t, http.MethodPost, "/admin/api/v1/jobs/move_orders/"+what, "", nil)
			require.Equal(t, http.StatusOK, a.Status, string(a.Body))
		}
		buy(first)
		waitFor(t, "orders move", func() bool { return count(t, stores, sold) == n })

		change("pause")
		var stored int
		waitFor(t, "the movers are paused", func() bool {
			buy(first)
			buy(other)
			stored = count(t, stores, sold)
			return stored < n && !moves(t, stores, sold, stored)
		})
		buy(other)
		assert.False(t, moves(t, stores, sold, stored), "an order moved while the movers were paused")

		change("resume")
		waitFor(t, "orders move again", func() bool { return count(t, stores, sold) == n })
	})
}

// moves says whether the count changes within several rounds of a mover.
func moves(t *testing.T, stores *kit.Stores, query string, from int) bool {
	t.Helper()
	poll := time.Tick(pollEvery)
	for until := time.Now().Add(500 * time.Millisecond); time.Now().Before(until); <-poll {
		if count(t, stores, query) != from {
			return true
		}
	}
	return false
}
