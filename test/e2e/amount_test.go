package e2e

import (
	"crypto/rand"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestAmountsStayBelowWhatClientsReadExactly(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, buyer := s.Operator(t), s.Buyer(t, "buyer")
		// 9007 times the first price and once the second are 2^53 - 1.
		for id, price := range map[string]int64{"much": 1_000_000_000_000, "rest": 199_254_740_991, "cent": 1} {
			op.PutSKU(t, id, client.SKURequest{
				Title: id, ShopID: "shop", Kind: "virtual", Price: price, Currency: "CNY", Stock: 1_000_000,
			})
		}
		buy := func(items ...client.OrderLine) site.Answer {
			return buyer.Call(t, http.MethodPost, "/api/v1/orders", rand.Text(), client.OrderRequest{Items: items})
		}
		much, rest, cent := client.OrderLine{SKUID: "much", Quantity: 9007},
			client.OrderLine{SKUID: "rest"}, client.OrderLine{SKUID: "cent"}
		placed := buyer.CreateOrders(t, "placed", client.OrderRequest{Items: []client.OrderLine{much, rest}})
		assert.EqualValues(t, 9007199254740991, placed[0].TotalAmount)
		for name, refused := range map[string]site.Answer{
			"one item":      buy(client.OrderLine{SKUID: "much", Quantity: 9008}),
			"several items": buy(much, rest, cent),
		} {
			assert.Equal(t, http.StatusUnprocessableEntity, refused.Status, name)
			assert.Equal(t, "invalid_request", refused.Code(), name)
		}
		second := buyer.CreateOrders(t, "second", client.OrderRequest{Items: []client.OrderLine{cent}})
		assert.Equal(t, http.StatusUnprocessableEntity,
			buyer.Pay(t, "both", placed[0].OrderNumber, second[0].OrderNumber).Status, "a payment of both")

		activity := s.Open(t, site.Sale{
			Price: 1_000_000_000_000 / 2, Stock: map[string]int64{catalogue.DefaultPoint: 1_000_000_000},
		})
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE activity_skus SET flash_price = 1000000000000`)
		require.NoError(t, err)
		fresh := site.Start(t, stores, site.Idle())
		buyer = fresh.Buyer(t, "buyer")
		path := buyer.Path(t, activity, "sku")
		for quantity, status := range map[int64]int{9007: http.StatusOK, 9008: http.StatusUnprocessableEntity} {
			a := buyer.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "",
				client.ConfirmRequest{Quantity: quantity})
			assert.Equal(t, status, a.Status, "%d: %s", quantity, a.Body)
		}
		raise := func(delta int64) site.Answer {
			return op.Call(t, http.MethodPost, admin+"/activities/"+activity+"/stock", rand.Text(),
				client.StockRequest{SKUID: "sku", PointID: "0", Delta: delta})
		}
		for range 9 {
			must(t, http.StatusOK, raise(1_000_000_000))
		}
		assert.Equal(t, http.StatusConflict, raise(1).Status, "a point has at most 10^10 of a sku")
	})
}
