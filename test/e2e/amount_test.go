package e2e

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestAmountsStayBelowWhatClientsReadExactly(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, buyer := s.Operator(t), s.Buyer(t, "buyer")
		// 9007 times the first price and once the second are 2^53 - 1.
		for id, price := range map[string]int64{"much": 1_000_000_000_000, "rest": 199_254_740_991, "cent": 1} {
			must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/skus/"+id, "", map[string]any{
				"title": id, "shop_id": "shop", "kind": "virtual", "price": price, "currency": "CNY",
				"stock": 1_000_000,
			}))
		}
		buy := func(items ...map[string]any) site.Answer {
			return buyer.Call(t, http.MethodPost, "/api/v1/orders", rand.Text(), map[string]any{"items": items})
		}
		much, rest, cent := map[string]any{"sku_id": "much", "quantity": 9007},
			map[string]any{"sku_id": "rest", "quantity": 1}, map[string]any{"sku_id": "cent", "quantity": 1}
		placed := buy(much, rest)
		must(t, http.StatusCreated, placed)
		var answer struct {
			Orders []struct {
				Number string      `json:"order_number"`
				Total  json.Number `json:"total_amount"`
			} `json:"orders"`
		}
		placed.Into(t, &answer)
		assert.Equal(t, "9007199254740991", answer.Orders[0].Total.String())
		for name, refused := range map[string]site.Answer{
			"one item":      buy(map[string]any{"sku_id": "much", "quantity": 9008}),
			"several items": buy(much, rest, cent),
		} {
			assert.Equal(t, http.StatusUnprocessableEntity, refused.Status, name)
			assert.Equal(t, "invalid_request", refused.Code(), name)
		}
		second := buy(cent).JSON(t)["orders"].([]any)[0].(map[string]any)["order_number"].(string)
		assert.Equal(t, http.StatusUnprocessableEntity, buyer.Pay(t, "both", answer.Orders[0].Number, second).Status,
			"a payment of both")

		activity := s.Open(t, site.Sale{
			Price: 1_000_000_000_000 / 2, Stock: map[string]int64{catalogue.DefaultPoint: 1_000_000_000},
		})
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE activity_skus SET flash_price = 1000000000000`)
		require.NoError(t, err)
		fresh := site.Start(t, stores, site.Idle())
		buyer = fresh.Buyer(t, "buyer")
		path := buyer.Path(t, activity, "sku")
		for quantity, status := range map[int]int{9007: http.StatusOK, 9008: http.StatusUnprocessableEntity} {
			a := buyer.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "",
				map[string]any{"quantity": quantity})
			assert.Equal(t, status, a.Status, "%d: %s", quantity, a.Body)
		}
		raise := func(delta int64) site.Answer {
			return op.Call(t, http.MethodPost, admin+"/activities/"+activity+"/stock", rand.Text(),
				map[string]any{"sku_id": "sku", "point_id": "0", "delta": delta})
		}
		for range 9 {
			must(t, http.StatusOK, raise(1_000_000_000))
		}
		assert.Equal(t, http.StatusConflict, raise(1).Status, "a point has at most 10^10 of a sku")
	})
}
