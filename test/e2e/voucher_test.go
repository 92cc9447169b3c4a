package e2e

import (
	"crypto/rand"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// giftShop adds two vouchers, a card and a key, to the lamp and the course of stockShop.
func giftShop(t *testing.T, op *site.Person) {
	t.Helper()
	stockShop(t, op)
	for _, sku := range []string{"card", "key"} {
		must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/skus/"+sku, "", map[string]any{
			"title": "Gift " + sku, "shop_id": "shop", "kind": "voucher", "price": 1000, "currency": "CNY",
			"stock": 500,
		}))
	}
}

// codesOf returns the voucher codes of an order's items by sku, as an answer shows them.
func codesOf(order map[string]any) map[string][]string {
	codes := map[string][]string{}
	for _, it := range order["items"].([]any) {
		item := it.(map[string]any)
		list, _ := item["voucher_codes"].([]any)
		for _, code := range list {
			sku := item["sku_id"].(string)
			codes[sku] = append(codes[sku], code.(string))
		}
	}
	return codes
}

func TestVoucherInAnOrderWithPhysicalGoodsHasACodePerUnit(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{})
		op := w.Operator(t)
		giftShop(t, op)
		basket := map[string]any{
			"items": []map[string]any{
				{"sku_id": "lamp", "quantity": 2},
				{"sku_id": "card", "quantity": 3},
				{"sku_id": "course", "quantity": 1},
				{"sku_id": "key", "quantity": 1},
			},
			"address_id": w.buyer.Address(t, "shanghai"),
		}
		place := func() map[string]any {
			placed := must(t, http.StatusCreated,
				w.buyer.Call(t, http.MethodPost, "/api/v1/orders", "basket", basket))["orders"].([]any)
			require.Len(t, placed, 1)
			return placed[0].(map[string]any)
		}
		order := place()
		number := order["order_number"].(string)
		assert.Equal(t, "physical", order["kind"], "one item is delivered")
		assert.Empty(t, codesOf(order), "it isn't paid")
		assert.InDelta(t, 0, order["freight_amount"], 0,
			"the goods amount sends the lamps free, and the course isn't sent")

		require.Equal(t, http.StatusOK, w.notify(t, w.payment(t, number)).Status)
		one := must(t, http.StatusOK, w.buyer.Call(t, http.MethodGet, "/api/v1/orders/"+number, "", nil))
		codes := codesOf(one)
		require.Len(t, codes["card"], 3)
		require.Len(t, codes["key"], 1)
		assert.Len(t, codes, 2, "only vouchers have codes")
		assert.Equal(t, codes["card"][0], one["voucher_code"])
		seen := map[string]bool{}
		for _, list := range codes {
			for _, code := range list {
				assert.GreaterOrEqual(t, len(code), 20)
				assert.False(t, seen[code], "codes are unique")
				seen[code] = true
			}
		}

		assert.Equal(t, codes, codesOf(place()), "a replay of the request shows the codes")
		for name, list := range map[string]site.Answer{
			"buyer":    w.buyer.Call(t, http.MethodGet, "/api/v1/orders?kind=voucher", "", nil),
			"operator": op.Call(t, http.MethodGet, admin+"/orders?kind=voucher", "", nil),
			"virtual":  w.buyer.Call(t, http.MethodGet, "/api/v1/orders?kind=virtual", "", nil),
			"physical": w.buyer.Call(t, http.MethodGet, "/api/v1/orders?kind=physical", "", nil),
		} {
			found := must(t, http.StatusOK, list)["items"].([]any)
			require.Len(t, found, 1, name)
			assert.Equal(t, codes, codesOf(found[0].(map[string]any)), name)
		}

		refund := w.Operator(t).Call(t, http.MethodPost, admin+"/orders/"+number+"/refund", rand.Text(), nil)
		require.Equal(t, http.StatusAccepted, refund.Status, string(refund.Body))
		one = must(t, http.StatusOK, w.buyer.Call(t, http.MethodGet, "/api/v1/orders/"+number, "", nil))
		assert.Empty(t, codesOf(one), "the codes are void")
		var active int
		require.NoError(t, stores.DB.Read.GetContext(t.Context(), &active,
			`SELECT COUNT(*) FROM vouchers WHERE status = 'active'`))
		assert.Zero(t, active)
	})
}

func TestEachUnitOfAVoucherSaleHasItsCode(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := newPaySale(t, stores, site.Sale{Kind: "voucher", Stock: map[string]int64{"0": 1000}})
		path := w.buyer.Path(t, w.activity, "sku")
		a := w.buyer.Submit(t, path, "four", map[string]any{"quantity": 4})
		require.Equal(t, http.StatusAccepted, a.Status, string(a.Body))
		number := a.JSON(t)["order_number"].(string)
		require.Equal(t, http.StatusOK, w.notify(t, w.payment(t, number)).Status)
		one := must(t, http.StatusOK, w.buyer.Call(t, http.MethodGet, "/api/v1/orders/"+number, "", nil))
		assert.Len(t, codesOf(one)["sku"], 4)

		tooMany := w.buyer.Submit(t, w.buyer.Path(t, w.activity, "sku"), "many", map[string]any{"quantity": 101})
		assert.Equal(t, http.StatusUnprocessableEntity, tooMany.Status, "an order has at most 100 vouchers")
	})
}

func TestOrderHasAHundredVouchersAtMost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		giftShop(t, s.Operator(t))
		buyer := s.Buyer(t, "buyer")
		order := func(cards, keys int) site.Answer {
			return buyer.Call(t, http.MethodPost, "/api/v1/orders",
				rand.Text(), map[string]any{"items": []map[string]any{
					{"sku_id": "card", "quantity": cards}, {"sku_id": "key", "quantity": keys},
				}})
		}
		assert.Equal(t, http.StatusCreated, order(60, 40).Status)
		refused := order(60, 41)
		assert.Equal(t, http.StatusUnprocessableEntity, refused.Status)
		assert.Contains(t, string(refused.Body), "items[1].quantity")
	})
}
