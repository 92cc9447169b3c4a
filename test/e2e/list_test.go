package e2e

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// mixedOrders places orders of all kinds for a buyer and returns their numbers by name.
func mixedOrders(t *testing.T, s *site.Site, p *site.Person) map[string]string {
	t.Helper()
	op := s.Operator(t)
	stockShop(t, op)
	must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/skus/gift", "", map[string]any{
		"title": "Gift 100%_card", "shop_id": "gifts", "kind": "voucher", "price": 1000, "currency": "CNY", "stock": 10,
	}))
	activity := publish(t, op, lampSale("east"))
	numbers := map[string]string{}
	buy := func(name, sku string, body map[string]any) {
		numbers[name] = must(t, http.StatusAccepted,
			p.Submit(t, p.Path(t, activity, sku), name, body))["order_number"].(string)
	}
	buy("lamp", "lamp", map[string]any{"quantity": 1, "delivery": "pickup", "pickup_point_id": "east"})
	buy("course", "course", map[string]any{"quantity": 1})
	buy("cancelled", "course", map[string]any{"quantity": 2})
	must(t, http.StatusOK, p.Call(t, http.MethodPost, "/api/v1/orders/"+numbers["cancelled"]+"/cancel", "", nil))
	for _, sku := range []string{"gift", "course"} {
		placed := must(t, http.StatusCreated, p.Call(t, http.MethodPost, "/api/v1/orders", "ordinary-"+sku,
			map[string]any{"items": []map[string]any{{"sku_id": sku, "quantity": 1}}}))
		numbers["ordinary "+sku] = placed["orders"].([]any)[0].(map[string]any)["order_number"].(string)
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
				list := must(t, http.StatusOK,
					alice.Call(t, http.MethodGet, "/api/v1/orders?page_size=100&"+query, "", nil))
				got := []string{}
				for _, o := range list["items"].([]any) {
					got = append(got, names[o.(map[string]any)["order_number"].(string)])
				}
				assert.ElementsMatch(t, want, got, "%q %s", query, where)
				assert.InDelta(t, len(want), list["total"], 0, "%q %s", query, where)
				assert.Equal(t, false, list["partial"])
			}
			assert.Empty(t, must(t, http.StatusOK, bob.Call(t, http.MethodGet, "/api/v1/orders", "", nil))["items"],
				"bob has none")
			requireRefusal(t, bob.Call(t, http.MethodGet, "/api/v1/orders/"+numbers["lamp"], "", nil),
				http.StatusNotFound, "not_found")
			s.Drain(t)
		}
	})
}

func TestMyOrdersAreWalkedByPageAndByCursor(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		alice := s.Buyer(t, "alice")
		mixedOrders(t, s, alice)

		for range 2 { // some of them cached, then all stored
			all := must(t, http.StatusOK,
				alice.Call(t, http.MethodGet, "/api/v1/orders?page_size=100", "", nil))["items"].([]any)
			require.Len(t, all, 5)
			for i := 1; i < len(all); i++ {
				assert.Greater(t, numberOf(t, all[i-1]), numberOf(t, all[i]), "newest first")
			}
			var paged []any
			for page := range 3 {
				query := url.Values{"page": {string(rune('1' + page))}, "page_size": {"2"}}
				list := must(t, http.StatusOK, alice.Call(t, http.MethodGet, "/api/v1/orders?"+query.Encode(), "", nil))
				assert.InDelta(t, 5, list["total"], 0)
				paged = append(paged, list["items"].([]any)...)
			}
			assert.Equal(t, all, paged)

			walked, next := []any{}, "/api/v1/orders?page_size=2"
			for range 3 {
				list := must(t, http.StatusOK, alice.Call(t, http.MethodGet, next, "", nil))
				walked = append(walked, list["items"].([]any)...)
				cursor, more := list["next_cursor"].(string)
				require.Equal(t, len(walked) < 5, more, "a cursor while there is more")
				next = "/api/v1/orders?page_size=2&before=" + cursor
			}
			assert.Equal(t, all, walked)
			s.Drain(t)
		}
	})
}

// numberOf is the number of an order in a list, padded so that it compares like a number.
func numberOf(t *testing.T, o any) string {
	t.Helper()
	number := o.(map[string]any)["order_number"].(string)
	return "0000000000000000000"[len(number):] + number
}

func TestABadFilterOfMyOrdersIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		alice := site.Start(t, stores, site.Idle()).Buyer(t, "alice")
		for _, query := range []string{
			"status=lost", "type=other", "kind=air", "period=yesterday", "order_number=abc", "order_number=-1",
			"shop_id=a+b", "page=0", "page=x", "page_size=0", "page_size=101", "before=abc", "page=1&before=5",
			"colour=red",
		} {
			a := alice.Call(t, http.MethodGet, "/api/v1/orders?"+query, "", nil)
			assert.Equal(t, "invalid_request", a.Code(), "%s: %d %s", query, a.Status, a.Body)
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, query)
		}
	})
}
