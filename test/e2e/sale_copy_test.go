package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestRunningSaleKeepsItsOwnCopyOfWhatItSells(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		first := site.Start(t, stores, site.Idle())
		op := first.Operator(t)
		stockShop(t, op)
		activity := publish(t, op, lampSale("0"))
		before := first.Buyer(t, "b").GetActivity(t, activity).Skus
		op.PutSKU(t, "lamp", client.SKURequest{
			Title: "Floor lamp", ShopID: "other", ImageURL: "https://img.example/floor.png", Description: "Tall.",
			Kind: "virtual", Price: 1, Currency: "USD", Stock: 10, Freight: client.FreightRequest{Fee: 100_000},
		})

		fresh := site.Start(t, stores, site.Idle()) // it has no copies in memory
		buyer := fresh.Buyer(t, "buyer")
		now := buyer.GetActivity(t, activity).Skus
		assert.Equal(t, before, now)
		assert.Equal(t, lamp().Description, now[0].Description)
		assert.Equal(t, "Tall.", site.Read[client.ShopSKU](t, http.StatusOK,
			buyer.Call(t, http.MethodGet, "/api/v1/skus/lamp", "", nil)).Description)
		path, home := buyer.Path(t, activity, "lamp"), buyer.Address(t, "shanghai")
		confirmed := buyer.Confirm(t, path, client.ConfirmRequest{AddressID: home})
		assert.Equal(t, "CNY", confirmed.Currency)
		assert.EqualValues(t, 600, confirmed.FreightAmount)
		must(t, http.StatusAccepted, buyer.Submit(t, path, "key", client.SubmitRequest{AddressID: home}))
		order := buyer.ListOrders(t, "").Items[0]
		item := order.Items[0]
		assert.Equal(t, []string{"shop", "physical", "CNY", "Desk lamp"},
			[]string{order.ShopID, item.Kind, order.Currency, item.Title})
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
			drafts = append(drafts, op.CreateActivity(t, lampSale("0")).ActivityID)
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
				return op.Insist(http.MethodPut, admin+"/skus/course", "", client.SKURequest{
					Title: fmt.Sprint("Course ", i), ShopID: "shop", Kind: "virtual", Price: 2900, Currency: "CNY",
					Stock: 10,
				})
			}
			return buyer.Insist(http.MethodPost, "/api/v1/orders", fmt.Sprint("key-", i), client.OrderRequest{
				Items: []client.OrderLine{{SKUID: "lamp"}, {SKUID: "course"}}, AddressID: address,
			})
		}) {
			require.Less(t, a.Status, 500, "%d: %s", i, a.Body)
		}
		for _, id := range drafts {
			assert.Equal(t, "published", op.GetAdminActivity(t, id).State)
		}
	})
}
