package e2e

import (
	"crypto/rand"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// giftShop adds two vouchers, a card and a key, to the lamp and the course of stockShop.
func giftShop(t *testing.T, op *site.Person) {
	t.Helper()
	stockShop(t, op)
	for _, sku := range []string{"card", "key"} {
		op.PutSKU(t, sku, client.SKURequest{
			Title: "Gift " + sku, ShopID: "shop", Kind: "voucher", Price: 1000, Currency: "CNY", Stock: 500,
		})
	}
}

// codesOf returns the voucher codes of an order's items by sku, as an answer shows them.
func codesOf(items []client.Item) map[string][]string {
	codes := map[string][]string{}
	for _, item := range items {
		if len(item.VoucherCodes) > 0 {
			codes[item.SKUID] = append(codes[item.SKUID], item.VoucherCodes...)
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
		basket := client.OrderRequest{
			Items: []client.OrderLine{
				{SKUID: "lamp", Quantity: 2}, {SKUID: "card", Quantity: 3}, {SKUID: "course"}, {SKUID: "key"},
			},
			AddressID: w.buyer.Address(t, "shanghai"),
		}
		place := func() client.Order {
			placed := w.buyer.CreateOrders(t, "basket", basket)
			require.Len(t, placed, 1)
			return placed[0]
		}
		order := place()
		number := order.OrderNumber
		assert.Equal(t, "physical", order.Kind, "one item is delivered")
		assert.Empty(t, codesOf(order.Items), "it isn't paid")
		assert.Zero(t, order.FreightAmount, "the goods amount sends the lamps free, and the course isn't sent")

		require.Equal(t, http.StatusOK, w.notify(t, w.payment(t, number)).Status)
		one := w.buyer.GetOrder(t, number)
		codes := codesOf(one.Items)
		require.Len(t, codes["card"], 3)
		require.Len(t, codes["key"], 1)
		assert.Len(t, codes, 2, "only vouchers have codes")
		assert.Equal(t, codes["card"][0], one.VoucherCode)
		seen := map[string]bool{}
		for _, list := range codes {
			for _, code := range list {
				assert.GreaterOrEqual(t, len(code), 20)
				assert.False(t, seen[code], "codes are unique")
				seen[code] = true
			}
		}

		assert.Equal(t, codes, codesOf(place().Items), "a replay of the request shows the codes")
		for _, kind := range []string{"voucher", "virtual", "physical"} {
			found := w.buyer.ListOrders(t, "kind="+kind).Items
			require.Len(t, found, 1, kind)
			assert.Equal(t, codes, codesOf(found[0].Items), kind)
		}
		shown := op.ListAdminOrders(t, "kind=voucher").Items
		require.Len(t, shown, 1)
		assert.Equal(t, codes, codesOf(shown[0].Items))

		op.RefundOrder(t, number, rand.Text(), client.RefundRequest{})
		one = w.buyer.GetOrder(t, number)
		assert.Empty(t, codesOf(one.Items), "the codes are void")
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
		number := w.buyer.Submit(t, path, "four", client.SubmitRequest{Quantity: 4}).Placed(t).OrderNumber
		require.Equal(t, http.StatusOK, w.notify(t, w.payment(t, number)).Status)
		one := w.buyer.GetOrder(t, number)
		assert.Len(t, codesOf(one.Items)["sku"], 4)

		tooMany := w.buyer.Submit(t, w.buyer.Path(t, w.activity, "sku"), "many", client.SubmitRequest{Quantity: 101})
		assert.Equal(t, http.StatusUnprocessableEntity, tooMany.Status, "an order has at most 100 vouchers")
	})
}

func TestOrderHasAHundredVouchersAtMost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		giftShop(t, s.Operator(t))
		buyer := s.Buyer(t, "buyer")
		order := func(cards, keys int64) site.Answer {
			return buyer.Call(t, http.MethodPost, "/api/v1/orders", rand.Text(), client.OrderRequest{
				Items: []client.OrderLine{{SKUID: "card", Quantity: cards}, {SKUID: "key", Quantity: keys}},
			})
		}
		assert.Equal(t, http.StatusCreated, order(60, 40).Status)
		refused := order(60, 41)
		assert.Equal(t, http.StatusUnprocessableEntity, refused.Status)
		assert.Contains(t, string(refused.Body), "items[1].quantity")
	})
}
