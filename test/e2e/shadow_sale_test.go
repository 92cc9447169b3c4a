package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// oldShop is a shop's own checkout, which was there before the platform. It sells oversold units more than it has.
type oldShop struct {
	mu             sync.Mutex
	left, oversold int
	orders         map[string]string // the user of each order
}

func (o *oldShop) sell(user string) (order string, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left+o.oversold == 0 {
		return "", false
	}
	o.left--
	order = "PO-" + user
	o.orders[order] = user
	return order, true
}

// TestAShadowSaleShowsWhatTheOldShopDoesOtherwise runs a sale of docs/shop/beside.md: each order of a shop's own
// checkout is placed in a shadow sale as well, with its number as the reference, and the two are compared.
func TestAShadowSaleShowsWhatTheOldShopDoesOtherwise(t *testing.T) {
	t.Parallel()
	const units, buyers = 20, 48
	for name, oversold := range map[string]int{"the same": 0, "the old shop oversells by one": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				s := site.Start(t, stores)
				shop := newCheckout(t, s)
				shadow := s.Open(t, site.Sale{
					Stock: map[string]int64{"0": units}, SKULimit: 1, Segments: "shadow",
				})
				old := &oldShop{left: units, oversold: oversold, orders: map[string]string{}}
				refused := placeBeside(t, s, shop, old, shadow, buyers)

				s.Drain(t)
				inShadow := map[string]string{}
				for _, o := range shop.operator.ListAdminOrders(t, "page_size=100&activity_id="+shadow).Items {
					inShadow[o.ClientReference] = o.UserID
					assert.Equal(t, "paid", string(o.Status), o.ClientReference)
					assert.Equal(t, int64(100), o.TotalAmount)
				}
				require.Len(t, refused, oversold, "orders that the platform would not have sold")
				for order := range refused {
					inShadow[order] = old.orders[order]
				}
				assert.Equal(t, old.orders, inShadow)
			})
		})
	}
}

// placeBeside has buyers at once, whose orders of the old shop are placed in a shadow sale as well, and reported as
// paid. It returns those that the sale refused.
func placeBeside(
	t *testing.T, s *site.Site, shop *checkout, old *oldShop, shadow string, buyers int,
) map[string]bool {
	t.Helper()
	var mu sync.Mutex
	refused := map[string]bool{}
	var crowd sync.WaitGroup
	for i := range buyers {
		crowd.Go(func() {
			user := fmt.Sprintf("buyer-%d", i)
			order, sold := old.sell(user)
			if !sold {
				return
			}
			buyer := s.Buyer(t, user, "shadow")
			path := buyer.Insist(http.MethodPost, "/api/v1/seckill/path", "",
				map[string]string{"activity_id": shadow, "sku_id": "sku"})
			placed := path
			if path.Status == http.StatusOK {
				submit := "/api/v1/seckill/" + path.JSON(t)["path"].(string) + "/submit"
				placed = buyer.Insist(http.MethodPost, submit, order,
					map[string]any{"quantity": 1, "client_reference": order})
			}
			if placed.Status != http.StatusAccepted {
				assert.Contains(t, []string{"sold_out", "sold_out_unpaid_pending"}, placed.JSON(t)["code"])
				mu.Lock()
				defer mu.Unlock()
				refused[order] = true
				return
			}
			number, _ := placed.JSON(t)["order_number"].(string)
			money := moneyFor(user, order)
			assert.Equal(t, http.StatusOK, shop.report(number, money).Status)
		})
	}
	crowd.Wait()
	return refused
}
