package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
)

// With a permit per unit, buyers who may buy no more would hold the permits of the units that are left.
func TestBuyersAtTheirLimitLeaveThePermitsToOthers(t *testing.T) {
	t.Parallel()
	const units = 20
	for name, sale := range map[string]site.Sale{
		"of the activity": {Stock: map[string]int64{"0": units}, PermitRatio: 1, PurchaseLimit: 1},
		"of the sku":      {Stock: map[string]int64{"0": units}, PermitRatio: 1, SKULimit: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				s := site.Start(t, stores, site.Idle())
				activity := s.Open(t, sale)
				for i := range units / 2 {
					b := s.Buyer(t, fmt.Sprint("early", i))
					must(t, http.StatusAccepted, b.Submit(t, b.Path(t, activity, "sku"), "k", one))
				}
				for i := range units / 2 {
					a := s.Buyer(t, fmt.Sprint("early", i)).Ask(http.MethodPost, "/api/v1/seckill/path", "",
						map[string]string{"activity_id": activity, "sku_id": "sku"})
					requireRefusal(t, a, http.StatusConflict, "purchase_limit")
					assert.Contains(t, string(a.Body), "you have bought 1")
				}
				for i := range units / 2 {
					b := s.Buyer(t, fmt.Sprint("late", i))
					must(t, http.StatusAccepted, b.Submit(t, b.Path(t, activity, "sku"), "k", one))
				}
			})
		})
	}
}
