package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// twoShops has the shop of stockShop and another one, with a chair that is sent and a card that isn't.
func twoShops(t *testing.T, op *site.Person) {
	t.Helper()
	stockShop(t, op)
	chair := lamp()
	chair.Title, chair.ShopID = "Chair", "other"
	op.PutSKU(t, "chair", chair)
	op.PutSKU(t, "card", client.SKURequest{
		Title: "Card", ShopID: "third", Kind: "virtual", Price: 100, Currency: "CNY", Stock: 10,
		RequiredFields: []string{"account", "区服"},
	})
}

func lines(skus ...string) (items []client.OrderLine) {
	for _, sku := range skus {
		items = append(items, client.OrderLine{SKUID: sku, Quantity: 1})
	}
	return items
}

func wrongFields(t *testing.T, a site.Answer) (names []string) {
	t.Helper()
	requireRefusal(t, a, http.StatusUnprocessableEntity, "invalid_request")
	for _, wrong := range parsed[client.Problem](a).Errors {
		names = append(names, wrong.Field)
	}
	return names
}

func TestOrdinaryOrdersHaveAnAttributionAndFieldsAndADeliveryPerShop(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, other := site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())
		op := other.Operator(t)
		twoShops(t, op)
		ada := s.Buyer(t, "ada")
		home, away := ada.Address(t, "guangdong"), ada.Address(t, "shanghai")
		body := client.OrderRequest{
			Items: lines("lamp", "chair", "card"), Delivery: "express", AddressID: home,
			RoomID: "room-7", ShareCode: "s1", ShareSource: "moments", InviterID: "bob",
			Fields:     map[string]string{"account": "ada#1", "区服": "3", "gift": "yes"},
			Deliveries: []client.ShopDelivery{{ShopID: "other", Delivery: "pickup", PickupPointID: "east"}},
		}
		orders := ada.CreateOrders(t, "k", body)
		require.Len(t, orders, 3)
		assert.Equal(t, []string{"pickup", "express", "none"},
			[]string{orders[0].Delivery, orders[1].Delivery, orders[2].Delivery}, "by shop id: other, shop, third")
		assert.Equal(t, "east", orders[0].PickupPointID)
		assert.Equal(t, "guangdong", orders[1].Address.Region)
		for _, o := range orders {
			assert.Equal(t, []string{"room-7", "s1", "moments", "bob"},
				[]string{o.RoomID, o.ShareCode, o.ShareSource, o.InviterID})
			assert.Equal(t, map[string]string(body.Fields), o.Fields)
		}
		assert.EqualValues(t, 3, op.ListAdminOrders(t, "room_id=room-7").Total)
		again := ada.Call(t, http.MethodPost, "/api/v1/orders", "k", body)
		must(t, http.StatusCreated, again)
		assert.Equal(t, true, again.JSON(t)["replayed"])
		body.Deliveries[0] = client.ShopDelivery{ShopID: "other", AddressID: away}
		requireRefusal(t, ada.Call(t, http.MethodPost, "/api/v1/orders", "k", body), http.StatusUnprocessableEntity,
			"idempotency_key_reused")
		sent := ada.CreateOrders(t, "k2", body)
		assert.Equal(t, "shanghai", sent[0].Address.Region)
		assert.Equal(t, "guangdong", sent[1].Address.Region)
		quotes := site.Read[client.Quotes](t, http.StatusOK,
			ada.Call(t, http.MethodPost, "/api/v1/orders/confirm", "", body))
		for i, q := range quotes.Quotes {
			assert.Equal(t, sent[i].TotalAmount, q.TotalAmount, "a quote is what the order costs")
		}
	})
}

func TestOrdersLackingWhatTheShopNeedsAreRefusedByTheNamesOfTheFields(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, other := site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())
		twoShops(t, other.Operator(t))
		ada := s.Buyer(t, "ada")
		home := ada.Address(t, "guangdong")
		place := func(body client.OrderRequest) site.Answer {
			return ada.Call(t, http.MethodPost, "/api/v1/orders", "new", body)
		}
		assert.Equal(t, []string{"fields.account", "fields.区服"}, wrongFields(t, place(client.OrderRequest{
			Items: lines("card", "course"),
		})))
		assert.Equal(t, []string{"fields.区服"}, wrongFields(t, place(client.OrderRequest{
			Items: lines("card"), Fields: map[string]string{"account": "a", "区服": " \n"},
		})))
		for name, d := range map[string]client.ShopDelivery{
			"deliveries[0].shop_id":         {ShopID: "nobody"},
			"deliveries[0].pickup_point_id": {ShopID: "other", Delivery: "pickup", PickupPointID: "south"},
			"deliveries[0].delivery":        {ShopID: "shop", Delivery: "pickup", PickupPointID: "east"},
		} {
			assert.Equal(t, []string{name}, wrongFields(t, place(client.OrderRequest{
				Items: lines("course", "chair"), AddressID: home, Deliveries: []client.ShopDelivery{d},
			})), name)
		}
		required := place(client.OrderRequest{
			Items: lines("lamp", "chair"), AddressID: home, Deliveries: []client.ShopDelivery{{ShopID: "other"}},
		})
		requireRefusal(t, required, http.StatusUnprocessableEntity, "address_required")
		assert.Equal(t, "deliveries[0].address_id", parsed[client.Problem](required).Errors[0].Field)
		twice := []client.ShopDelivery{{ShopID: "other", AddressID: home}, {ShopID: "other", AddressID: home}}
		assert.NotEmpty(t, wrongFields(t, place(client.OrderRequest{Items: lines("chair"), Deliveries: twice})))
		assert.Empty(t, ada.ListOrders(t, "").Items, "nothing was placed")
	})
}

// A sale has the fields that its goods required when it was published, also where Redis alone answers.
func TestASaleRequiresTheFieldsOfItsGoods(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, other := site.Start(t, stores, site.Idle()), site.Start(t, stores, site.Idle())
		op := s.Operator(t)
		twoShops(t, op)
		request := lampSale()
		request.ShopID, request.Skus = "third", []client.ActivityRequestSKU{{
			SKUID: "card", FlashPrice: 50, Stock: []client.PointStock{{PointID: "0", Quantity: 5}},
		}}
		sale := op.CreateActivity(t, request).ActivityID
		op.PublishActivity(t, sale)
		op.PutSKU(t, "card", client.SKURequest{
			Title: "Card", ShopID: "third", Kind: "virtual", Price: 100, Currency: "CNY",
		})
		ada := other.Buyer(t, "ada")
		assert.Equal(t, []string{"account", "区服"}, ada.GetActivity(t, sale).Skus[0].RequiredFields)
		path := ada.Path(t, sale, "card")
		assert.Equal(t, []string{"fields.account", "fields.区服"}, wrongFields(t, ada.Submit(t, path, "k", one)))
		fields := map[string]string{"account": "ada#1", "区服": "3"}
		placed := ada.Submit(t, path, "k", client.SubmitRequest{Quantity: 1, Fields: fields}).Placed(t)
		s.Drain(t)
		assert.Equal(t, fields, ada.GetOrder(t, placed.OrderNumber).Fields)
		bare := ada.CreateOrders(t, "k", client.OrderRequest{Items: lines("card")})
		assert.Len(t, bare, 1, "the goods require nothing any more")
	})
}

func TestNamesOfRequiredFieldsAreChecked(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		op := site.Start(t, stores, site.Idle()).Operator(t)
		long := make([]string, 21)
		for i := range long {
			long[i] = string(rune('a' + i))
		}
		for name, names := range map[string][]string{
			"required_fields[0]": {""}, "required_fields[1]": {"a", "a"}, "required_fields": long,
		} {
			card := client.SKURequest{
				Title: "Card", ShopID: "third", Kind: "virtual", Price: 100, Currency: "CNY", RequiredFields: names,
			}
			assert.Contains(t, wrongFields(t, op.Call(t, http.MethodPut, admin+"/skus/card", "", card)), name)
			batch := map[string]any{"items": []any{map[string]any{
				"sku_id": "card", "title": "Card", "shop_id": "third", "kind": "virtual", "price": 1, "currency": "CNY",
				"required_fields": names,
			}}}
			many := op.Call(t, http.MethodPut, admin+"/skus:batch", "", batch)
			assert.Contains(t, wrongFields(t, many), "items[0]."+name)
		}
	})
}
