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

// limitItem gives a sale a limit of its items.
func limitItem(t *testing.T, s *site.Site, activity string, requests, seconds int) {
	t.Helper()
	s.Operator(t).ChangeActivity(t, activity, client.ActivityChange{
		Limits: client.ActivityLimits{Item: client.RateLimit{Requests: requests, Seconds: seconds}},
	})
}

// Of 500 orders at once under a limit of 100, on three instances, exactly 100 are placed, whatever the instances do
// with the limits of requests.
func TestItemLimitHoldsOverAllInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		var instances []*site.Site
		for _, mode := range []string{"on", "off", "dry_run"} {
			instances = append(instances, site.Start(t, stores, site.Idle(), limited(mode, "none", "")))
		}
		activity := instances[0].Open(t, site.Sale{Stock: map[string]int64{"0": 1000}})
		limitItem(t, instances[0], activity, 100, 86400)
		const buyers = 500
		paths := make([]string, buyers)
		people := make([]*site.Person, buyers)
		for i := range people {
			people[i] = instances[i%3].Buyer(t, fmt.Sprint("buyer-", i))
			paths[i] = people[i].Path(t, activity, "sku")
		}
		submit := func(i int) site.Answer { return people[i].InsistOn(paths[i], "k", one) }
		placed, statuses := map[int]string{}, map[int]int{}
		for i, a := range kit.AtOnce(buyers, submit) {
			statuses[a.Status]++
			if a.Status == http.StatusAccepted {
				placed[i] = a.Placed(t).OrderNumber
				continue
			}
			assert.Equal(t, "rate_limited", a.Code(), string(a.Body))
			assert.NotEmpty(t, a.Header.Get("Retry-After"))
		}
		assert.Equal(t, map[int]int{http.StatusAccepted: 100, http.StatusTooManyRequests: 400}, statuses)
		for i, number := range placed {
			assert.Equal(t, number, submit(i).Placed(t).OrderNumber, "a known order is not limited")
			break
		}
		instances[0].Drain(t)
		require.Empty(t, instances[0].Audit(t, activity))
	})
}
