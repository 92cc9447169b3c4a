package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// eastSale sells three units in the east and one in the west, two to each buyer.
func eastSale() site.Sale {
	return site.Sale{
		Kind: catalogue.Physical, Stock: map[string]int64{"east": 3, "west": 1}, PurchaseLimit: 2, SKULimit: 2,
		Regions: map[string][]string{"east": {"shanghai"}, "west": {"sichuan"}},
	}
}

// buyEast buys units that are fetched in the east.
func buyEast(t *testing.T, p *site.Person, activity, key string, quantity int64) site.Answer {
	t.Helper()
	return p.Submit(t, p.Path(t, activity, "sku"), key,
		client.SubmitRequest{Quantity: quantity, Delivery: "pickup", PickupPointID: "east"})
}

// boughtInRedis returns the counts under purchase limits.
func boughtInRedis(t *testing.T, stores *kit.Stores, activity string) map[string]string {
	t.Helper()
	key := stores.Keys.Bought(site.Lane(t, stores, activity), activity)
	bought, err := stores.Redis.HGetAll(t.Context(), key).Result()
	require.NoError(t, err)
	return bought
}

func TestRepeatedCancelReturnsTheUnitsOnce(t *testing.T) {
	t.Parallel()
	for name, moved := range map[string]bool{"a cached order": false, "a stored order": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Each(t, func(t *testing.T, stores *kit.Stores) {
				instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
				activity := instances[0].Open(t, eastSale())
				alice, bob := instances[0].Buyer(t, "alice"), instances[1].Buyer(t, "bob")
				placed := buyEast(t, alice, activity, "k1", 2).Placed(t)
				require.Equal(t, map[string]string{"sku": "2", "sku~east": "1", "sku~west": "1"},
					site.Stock(t, stores, activity))
				require.Equal(t, map[string]string{"a:alice": "2", "s:sku~alice": "2"},
					boughtInRedis(t, stores, activity))
				requireRefusal(t, buyEast(t, bob, activity, "k1", 2), http.StatusConflict, "sold_out_unpaid_pending")
				if moved {
					instances[0].Drain(t)
				}

				cancel := "/api/v1/orders/" + placed.OrderNumber + "/cancel"
				answers := kit.AtOnce(20, func(i int) site.Answer {
					return alice.At(instances[i%2]).Insist(http.MethodPost, cancel, "", nil)
				})

				codes := map[string]int{}
				for _, a := range answers {
					codes[a.Code()]++
					if a.Status == http.StatusOK {
						assertCancelled(t, site.Read[client.Order](t, http.StatusOK, a))
					}
				}
				assert.Equal(t, map[string]int{"": 20}, codes, "whoever got no answer may cancel again")
				for _, s := range instances {
					s.Job(t, "settle_stock")
					s.Drain(t)
				}
				assert.Equal(t, map[string]string{"sku": "4", "sku~east": "3", "sku~west": "1"},
					site.Stock(t, stores, activity))
				assert.Empty(t, boughtInRedis(t, stores, activity))
				assert.Zero(t, soldAt(t, stores, activity, "east"))
				assert.Empty(t, instances[0].Audit(t, activity))

				// The units are on sale again, to others and to her.
				assert.Equal(t, http.StatusAccepted, buyEast(t, bob, activity, "k2", 2).Status)
				assert.Equal(t, http.StatusAccepted, buyEast(t, alice, activity, "k2", 1).Status)
				instances[1].Drain(t)
				assert.Equal(t, int64(3), soldAt(t, stores, activity, "east"))
				assert.Empty(t, instances[1].Audit(t, activity))
			})
		})
	}
}

// assertCancelled reads a cancelled order as its buyer sees it.
func assertCancelled(t *testing.T, o client.Order) {
	t.Helper()
	assert.Equal(t, "cancelled", o.Status)
	assert.Equal(t, "buyer", o.CancelReason)
	assert.NotZero(t, o.CancelledAt)
	var log []string
	for _, e := range o.Events {
		log = append(log, e.What)
	}
	assert.Equal(t, []string{"placed", "cancelled"}, log)
}

func TestACancelledOrderStaysCancelledForItsKey(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		activity := s.Open(t, site.Sale{Stock: map[string]int64{"0": 1}})
		alice := buyOnce(t, s, activity, "alice")
		number := alice.first.Placed(t).OrderNumber
		cancelled := alice.Insist(http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil)
		require.Equal(t, http.StatusOK, cancelled.Status, string(cancelled.Body))

		alice.requireReplay(t, "cancelled")

		s.Drain(t)
		assert.Equal(t, "1", site.Stock(t, stores, activity)["sku"], "the replay took nothing")
		shown := alice.GetOrder(t, number)
		assertCancelled(t, shown)
		assert.Equal(t, "sql", shown.Source)
		assert.Empty(t, s.Audit(t, activity))
	})
}

func TestCancellingAnOrdinaryOrderReturnsItsStockOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		instances := []*site.Site{site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())}
		for sku, shop := range map[string]string{"book": "books", "pen": "books", "film": "films"} {
			_, err := instances[0].Server.Catalogue.PutSKU(t.Context(), catalogue.SKU{
				ID: sku, Title: sku, Shop: shop, Kind: catalogue.Virtual, Price: 50, Currency: "CNY", Stock: 10,
			})
			require.NoError(t, err)
		}
		alice := instances[0].Buyer(t, "alice")
		orders := alice.CreateOrders(t, "k1", client.OrderRequest{Items: []client.OrderLine{
			{SKUID: "pen", Quantity: 3}, {SKUID: "film", Quantity: 2}, {SKUID: "book", Quantity: 1},
		}})
		require.Len(t, orders, 2, "one per shop")
		stock := func() []int64 {
			return []int64{
				ordinaryStock(t, stores, "book"), ordinaryStock(t, stores, "pen"), ordinaryStock(t, stores, "film"),
			}
		}
		require.Equal(t, []int64{9, 7, 8}, stock())

		require.Equal(t, "books", orders[0].ShopID)
		cancel := "/api/v1/orders/" + orders[0].OrderNumber + "/cancel"
		codes := map[int]int{}
		for _, a := range kit.AtOnce(20, func(i int) site.Answer {
			return alice.At(instances[i%2]).Insist(http.MethodPost, cancel, "", nil)
		}) {
			codes[a.Status]++
		}

		assert.Equal(t, map[int]int{http.StatusOK: 20}, codes)
		assert.Equal(t, []int64{10, 10, 8}, stock(), "the other shop's order stands")
	})
}
