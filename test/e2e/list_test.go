package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// mixedOrders places orders of all kinds for a buyer and returns their numbers by name.
func mixedOrders(t *testing.T, s *site.Site, p *site.Person) map[string]string {
	t.Helper()
	op := s.Operator(t)
	stockShop(t, op)
	op.PutSKU(t, "gift", client.SKURequest{
		Title: "Gift 100%_card", ShopID: "gifts", Kind: "voucher", Price: 1000, Currency: "CNY", Stock: 10,
	})
	activity := publish(t, op, lampSale("east"))
	numbers := map[string]string{}
	buy := func(name, sku string, body client.SubmitRequest) {
		numbers[name] = p.Submit(t, p.Path(t, activity, sku), name, body).Placed(t).OrderNumber
	}
	buy("lamp", "lamp", client.SubmitRequest{Delivery: "pickup", PickupPointID: "east"})
	buy("course", "course", one)
	buy("cancelled", "course", client.SubmitRequest{Quantity: 2})
	p.CancelOrder(t, numbers["cancelled"])
	for _, sku := range []string{"gift", "course"} {
		placed := p.CreateOrders(t, "ordinary-"+sku, client.OrderRequest{Items: []client.OrderLine{{SKUID: sku}}})
		numbers["ordinary "+sku] = placed[0].OrderNumber
	}
	return numbers
}

func TestMyOrdersAreFilteredAlikeInBothStores(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		alice, bob := s.Buyer(t, "alice"), s.Buyer(t, "bob")
		numbers := mixedOrders(t, s, alice)
		names := map[string]string{}
		for name, number := range numbers {
			names[number] = name
		}

		for _, where := range []string{"before they moved", "after they moved"} {
			for query, want := range map[string][]string{
				"": {
					"lamp", "course", "cancelled", "ordinary gift", "ordinary course",
				},
				"status=unpaid":                   {"lamp", "course", "ordinary gift", "ordinary course"},
				"status=cancelled":                {"cancelled"},
				"status=paid":                     {},
				"status=failed":                   {},
				"type=seckill":                    {"lamp", "course", "cancelled"},
				"type=ordinary":                   {"ordinary gift", "ordinary course"},
				"kind=physical":                   {"lamp"},
				"kind=virtual":                    {"course", "cancelled", "ordinary course"},
				"kind=voucher":                    {"ordinary gift"},
				"shop_id=shop":                    {"lamp", "course", "cancelled", "ordinary course"},
				"shop_id=gifts":                   {"ordinary gift"},
				"shop_id=nobody":                  {},
				"name=LAMP":                       {"lamp"},
				"name=line+course":                {"course", "cancelled", "ordinary course"},
				"name=%25_":                       {"ordinary gift"},
				"name=_":                          {"ordinary gift"},
				"order_number=" + numbers["lamp"]: {"lamp"},
				"order_number=1":                  {},
				"period=last_three_months": {
					"lamp", "course", "cancelled", "ordinary gift", "ordinary course",
				},
				"period=older":                         {},
				"type=seckill&status=unpaid":           {"lamp", "course"},
				"type=ordinary&kind=virtual&name=cour": {"ordinary course"},
			} {
				list := alice.ListOrders(t, "page_size=100&"+query)
				got := []string{}
				for _, o := range list.Items {
					got = append(got, names[o.OrderNumber])
				}
				assert.ElementsMatch(t, want, got, "%q %s", query, where)
				assert.EqualValues(t, len(want), list.Total, "%q %s", query, where)
				assert.False(t, list.Partial)
			}
			assert.Empty(t, bob.ListOrders(t, "").Items, "bob has none")
			requireRefusal(t, bob.Call(t, http.MethodGet, "/api/v1/orders/"+numbers["lamp"], "", nil),
				http.StatusNotFound, "not_found")
			s.Drain(t)
		}
	})
}
