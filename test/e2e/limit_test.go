package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestOneBuyerGetsExactlyTheLimitOutOfFiveHundredAtOnce(t *testing.T) {
	t.Parallel()
	for name, sale := range map[string]site.Sale{
		"limit of the activity": {Stock: map[string]int64{"0": 1000}, PurchaseLimit: 3},
		"limit of the sku":      {Stock: map[string]int64{"0": 1000}, SKULimit: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				instances := []*site.Site{site.Start(t, stores), site.Start(t, stores)}
				activity := instances[0].Open(t, sale)
				alice := instances[0].Buyer(t, "alice")
				path := alice.Path(t, activity, "sku")

				answers := kit.AtOnce(500, func(i int) site.Answer {
					return alice.At(instances[i%2]).InsistOn(path, fmt.Sprintf("key-%d", i), one)
				})

				codes := map[string]int{}
				for _, a := range answers {
					codes[fmt.Sprintf("%d %s", a.Status, a.Code())]++
				}
				assert.Equal(t, map[string]int{"202 ": 3, "409 purchase_limit": 497}, codes)
				instances[0].Drain(t)
				assert.Len(t, ownersInSQL(t, stores, activity), 3)
				assert.Empty(t, instances[0].Audit(t, activity))
			})
		})
	}
}

// The limit counts units, not orders, and what it leaves may still be bought.
func TestALimitCountsUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{PurchaseLimit: 5, SKULimit: 4})
		alice := s.Buyer(t, "alice")
		path := alice.Path(t, activity, "sku")
		buy := func(key string, quantity int64) site.Answer {
			return alice.Submit(t, path, key, client.SubmitRequest{Quantity: quantity})
		}

		require.Equal(t, http.StatusAccepted, buy("k1", 3).Status)
		assert.Equal(t, "purchase_limit", buy("k2", 2).Code(), "three and two are more than the sku's four")
		require.Equal(t, http.StatusAccepted, buy("k3", 1).Status)
		assert.Equal(t, "purchase_limit", buy("k4", 1).Code())
		assert.Equal(t, http.StatusAccepted, s.Buyer(t, "bob").Buy(t, activity, "sku", "k1").Status,
			"another buyer has a limit of his own")
	})
}
