package e2e

import (
	"context"
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
