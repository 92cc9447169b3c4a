package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// editedLamp is the lamp of stockShop with all that an operator can change changed.
func editedLamp(t *testing.T, op *site.Person, changes map[string]any) {
	t.Helper()
	body := map[string]any{
		"title": "Desk lamp", "shop_id": "shop", "image_url": "https://img.example/lamp.png", "kind": "physical",
		"price": 4900, "currency": "CNY", "stock": 10, "freight": map[string]any{"fee": 600, "free_over": 10000},
	}
	for field, value := range changes {
		body[field] = value
	}
	must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/skus/lamp", "", body))
}

func TestRunningSaleKeepsItsOwnCopyOfWhatItSells(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		first := site.Start(t, stores, site.Idle())
		op := first.Operator(t)
		stockShop(t, op)
		activity := publish(t, op, lampSale("0"))
		before := must(t, http.StatusOK,
			first.Buyer(t, "b").Call(t, http.MethodGet, "/api/v1/activities/"+activity, "", nil))["skus"]
		editedLamp(t, op, map[string]any{
			"title": "Floor lamp", "shop_id": "other", "image_url": "https://img.example/floor.png", "kind": "virtual",
			"price": 1, "currency": "USD", "freight": map[string]any{"fee": 100_000, "free_over": 0},
		})

		fresh := site.Start(t, stores, site.Idle()) // it has no copies in memory
		buyer := fresh.Buyer(t, "buyer")
		now := must(t, http.StatusOK, buyer.Call(t, http.MethodGet, "/api/v1/activities/"+activity, "", nil))["skus"]
		assert.Equal(t, before, now)
		path := buyer.Path(t, activity, "lamp")
		choice := map[string]any{"quantity": 1, "address_id": buyer.Address(t, "shanghai")}
		confirmed := must(t, http.StatusOK,
			buyer.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "", choice))
		assert.Equal(t, "CNY", confirmed["currency"])
		assert.InDelta(t, 600, confirmed["freight_amount"], 0)
		must(t, http.StatusAccepted, buyer.Submit(t, path, "key", choice))
		order := must(t, http.StatusOK,
			buyer.Call(t, http.MethodGet, "/api/v1/orders", "", nil))["items"].([]any)[0].(map[string]any)
		item := order["items"].([]any)[0].(map[string]any)
		assert.Equal(t, []any{"shop", "physical", "CNY", "Desk lamp"},
			[]any{order["shop_id"], item["kind"], order["currency"], item["title"]})
	})
}

func TestDraftWhoseSKUChangedIsNotPublished(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		op := site.Start(t, stores, site.Idle()).Operator(t)
		stockShop(t, op)
		draft := must(t, http.StatusCreated,
			op.Call(t, http.MethodPost, admin+"/activities", "", lampSale("0", "east")))["activity_id"].(string)
		for name, change := range map[string]map[string]any{
			"another currency": {"currency": "USD"},
			"another shop":     {"shop_id": "other"},
			"another kind":     {"kind": "virtual"}, // it has stock at east
		} {
			editedLamp(t, op, change)
			refused := op.Call(t, http.MethodPost, admin+"/activities/"+draft+"/publish", "", nil)
			assert.Equal(t, http.StatusConflict, refused.Status, "%s: %s", name, refused.Body)
			assert.Equal(t, "conflict", refused.Code(), name)
			shown := must(t, http.StatusOK, op.Call(t, http.MethodGet, admin+"/activities/"+draft, "", nil))
			assert.Equal(t, "draft", shown["state"], name)
		}
		editedLamp(t, op, nil)
		must(t, http.StatusOK, op.Call(t, http.MethodPost, admin+"/activities/"+draft+"/publish", "", nil))
	})
}

func TestPublishingDuringEditsAndOrdersOfTheSameSKUs(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, buyer := s.Operator(t), s.Buyer(t, "buyer")
		stockShop(t, op)
		address := buyer.Address(t, "shanghai")
		var drafts []string
		for range 4 {
			drafts = append(drafts, must(t, http.StatusCreated,
				op.Call(t, http.MethodPost, admin+"/activities", "", lampSale("0")))["activity_id"].(string))
		}
		crowd := 48
		if stores.Name == kit.Embedded {
			crowd = 12 // they wait for its one writer
		}
		for i, a := range kit.AtOnce(crowd, func(i int) site.Answer {
			switch i % 3 {
			case 0:
				return op.Insist(http.MethodPost, admin+"/activities/"+drafts[i%len(drafts)]+"/publish", "", nil)
			case 1:
				return op.Insist(http.MethodPut, admin+"/skus/course", "", map[string]any{
					"title": fmt.Sprint("Course ", i), "shop_id": "shop", "kind": "virtual", "price": 2900,
					"currency": "CNY", "stock": 10,
				})
			}
			return buyer.Insist(http.MethodPost, "/api/v1/orders", fmt.Sprint("key-", i), map[string]any{
				"items":      []map[string]any{{"sku_id": "lamp", "quantity": 1}, {"sku_id": "course", "quantity": 1}},
				"address_id": address,
			})
		}) {
			require.Less(t, a.Status, 500, "%d: %s", i, a.Body)
		}
		for _, id := range drafts {
			shown := must(t, http.StatusOK, op.Call(t, http.MethodGet, admin+"/activities/"+id, "", nil))
			assert.Equal(t, "published", shown["state"])
		}
	})
}
