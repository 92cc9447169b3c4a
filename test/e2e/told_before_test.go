package e2e_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
)

// Buyers are told what they can't have before they order: the view of the sale names the points without stock, and the
// preview of the order refuses goods that the point of the buyer's region has no more, and units above the limit.
func TestWhatABuyerCannotHaveIsToldBeforeTheOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores)
		sale := s.Open(t, site.Sale{
			SKU: "lamp", Kind: catalogue.Physical, SKULimit: 1, Stock: map[string]int64{"east": 1, "west": 5},
			Regions: map[string][]string{"east": {"East"}, "west": {"West"}},
		})
		ada, bob := s.Buyer(t, "ada"), s.Buyer(t, "bob")
		preview := func(p *site.Person, region string) site.Answer {
			t.Helper()
			body := map[string]any{"address_id": p.Address(t, region)}
			return p.Call(t, http.MethodPost, "/api/v1/seckill/"+p.Path(t, sale, "lamp")+"/confirm", "", body)
		}
		quote := preview(bob, "East")
		require.Equal(t, http.StatusOK, quote.Status, "%s", quote.Body)
		assert.Empty(t, ada.GetActivity(t, sale).Skus[0].SoldOutPoints)
		order := map[string]any{"confirmation": quote.JSON(t)["confirmation"]}
		bob.Submit(t, bob.Path(t, sale, "lamp"), "k", order).Placed(t)

		require.Eventually(t, func() bool {
			return slices.Equal([]string{"east"}, ada.GetActivity(t, sale).Skus[0].SoldOutPoints)
		}, 10*time.Second, 20*time.Millisecond)
		assert.Equal(t, "sold_out_unpaid_pending", preview(ada, "East").Code())
		assert.Equal(t, http.StatusOK, preview(ada, "West").Status)
		assert.Equal(t, "purchase_limit", preview(bob, "West").Code())
	})
}

// While an operator has stopped all sales, the view of each sale says so.
func TestBuyersSeeThatAllSalesAreStopped(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t))
	sale := s.Open(t, site.Sale{})
	ada := s.Buyer(t, "ada")
	for _, stopped := range []bool{true, false} {
		changed := s.Operator(t).Call(t, http.MethodPatch, "/admin/api/v1/settings", "",
			map[string]any{"sales_stopped": stopped})
		require.Equal(t, http.StatusOK, changed.Status, "%s", changed.Body)
		require.Eventually(t, func() bool { return ada.GetActivity(t, sale).Stopped == stopped },
			10*time.Second, 20*time.Millisecond)
	}
}
