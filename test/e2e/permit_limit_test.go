package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// Buyers who took paths of two skus would, when they may buy no more, hold the permits of the one that they didn't buy.
func TestBuyersAtTheirLimitLeaveThePermitsOfOtherSKUsToOthers(t *testing.T) {
	t.Parallel()
	const units = 5
	for name, row := range map[string]struct {
		limit  int64
		limits client.ActivityLimits
		next   string // who may buy the other sku then
	}{
		"at the limit":       {1, client.ActivityLimits{}, "late"},
		"with an item limit": {1, client.ActivityLimits{Item: client.RateLimit{Requests: 100, Seconds: 86400}}, "late"},
		"below the limit":    {2, client.ActivityLimits{}, "early"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				s := site.Start(t, stores, site.Idle())
				s.Open(t, site.Sale{SKU: "red", Draft: true})
				s.Open(t, site.Sale{SKU: "blue", Draft: true})
				stock := []client.PointStock{{PointID: "0", Quantity: units}}
				op, now := s.Operator(t), time.Now()
				must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/activities/shoes", "", client.ActivityRequest{
					Title: "Shoes", ShopID: "shop", PayWithinS: 900, PurchaseLimit: row.limit, PermitRatio: 1,
					StartsAt: now.Add(-time.Minute), EndsAt: now.Add(time.Hour), Limits: row.limits,
					Skus: []client.ActivityRequestSKU{
						{SKUID: "red", FlashPrice: 100, Stock: stock}, {SKUID: "blue", FlashPrice: 100, Stock: stock},
					},
				}))
				op.PublishActivity(t, "shoes")
				for i := range units {
					b := s.Buyer(t, fmt.Sprint("early", i))
					b.Path(t, "shoes", "blue")
					must(t, http.StatusAccepted, b.Submit(t, b.Path(t, "shoes", "red"), "red", one))
				}
				for i := range units {
					b := s.Buyer(t, fmt.Sprint(row.next, i))
					must(t, http.StatusAccepted, b.Submit(t, b.Path(t, "shoes", "blue"), "blue", one))
				}
				s.Drain(t)
				require.Empty(t, s.Audit(t, "shoes"))
			})
		})
	}
}
