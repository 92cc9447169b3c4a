package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// askPath requests a path; any goroutine may call it.
func askPath(p *site.Person, activity string) site.Answer {
	return p.Insist(http.MethodPost, "/api/v1/seckill/path", "",
		client.PathRequest{ActivityID: activity, SKUID: "sku"})
}

// permitsOut returns the number of valid permits.
func permitsOut(t *testing.T, stores *kit.Stores, activity string) int64 {
	t.Helper()
	n, err := stores.Redis.ZCard(context.WithoutCancel(t.Context()),
		stores.Keys.Permits(site.Lane(t, stores, activity), activity, "sku")).Result()
	require.NoError(t, err)
	return n
}

func TestBuyingFreesAPermit(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 2}, PermitRatio: 0.5})
		alice := s.Buyer(t, "alice")
		path := alice.Path(t, activity, "sku")
		must(t, http.StatusOK, askPath(alice, activity)) // it is the same permit
		refused := askPath(s.Buyer(t, "bob"), activity)
		requireRefusal(t, refused, http.StatusConflict, "no_permit")
		assert.Positive(t, parsed[client.Problem](refused).RefreshAfterMs, "he is told when to ask again")

		require.Equal(t, http.StatusAccepted, alice.Submit(t, path, "k1", one).Status)

		assert.Zero(t, permitsOut(t, stores, activity))
		bobs := s.Buyer(t, "bob").Path(t, activity, "sku")
		requireRefusal(t, askPath(alice, activity), http.StatusConflict, "no_permit")
		require.Equal(t, http.StatusAccepted, s.Buyer(t, "bob").Submit(t, bobs, "k1", one).Status)
		requireRefusal(t, askPath(s.Buyer(t, "carol"), activity), http.StatusConflict, "sold_out_unpaid_pending")
	})
}

// Buyers take permits and buy at once: no unit is sold twice, and all are sold in the end.
func TestASaleWithPermitsSellsOut(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
		activity := instances[0].Open(t, site.Sale{Stock: map[string]int64{"0": 40}, PermitRatio: 0.3})
		buyers := make([]*site.Person, 60)
		for i := range buyers {
			buyers[i] = instances[i%2].Buyer(t, fmt.Sprintf("buyer-%d", i))
		}

		got := kit.AtOnce(len(buyers), func(i int) string {
			for range 10_000 {
				a := askPath(buyers[i], activity)
				switch a.Code() {
				case "no_permit":
					continue
				case "":
					return buyers[i].InsistOn(pathOf(a), "once", one).Code()
				}
				return a.Code()
			}
			return "no permit in 10,000 tries"
		})

		codes := map[string]int{}
		for _, code := range got {
			codes[code]++
		}
		assert.Equal(t, 40, codes[""], "%v", codes)
		assert.Equal(t, 20, codes["sold_out_unpaid_pending"], "%v", codes)
		instances[0].Drain(t)
		assert.Len(t, ownersInSQL(t, stores, activity), 40)
		assert.Empty(t, instances[0].Audit(t, activity))
	})
}

func TestConcurrentSubmitsWithOnePermitPlaceOneOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		activity := instances[0].Open(t, site.Sale{Stock: map[string]int64{"0": 100}, PermitRatio: 1})
		alice := instances[0].Buyer(t, "alice")
		path := alice.Path(t, activity, "sku")

		answers := kit.AtOnce(24, func(i int) site.Answer {
			return alice.At(instances[i%2]).InsistOn(path, fmt.Sprintf("key-%d", i), one)
		})

		codes, first := map[string]int{}, -1
		for i, a := range answers {
			codes[fmt.Sprintf("%d %s", a.Status, a.Code())]++
			if a.Status == http.StatusAccepted {
				first = i
			}
		}
		require.Equal(t, map[string]int{"202 ": 1, "403 path_expired": 23}, codes)
		replay := alice.At(instances[1]).Submit(t, path, fmt.Sprintf("key-%d", first), one)
		assert.Equal(t, answers[first].Task(t), replay.Task(t), "a replay needs no permit")
		another := alice.Submit(t, alice.Path(t, activity, "sku"), "another", one)
		assert.Equal(t, http.StatusAccepted, another.Status, "another path is another order: %s", another.Body)
	})
}
