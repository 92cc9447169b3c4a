package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

// confirm requests a preview of an order.
func confirm(t *testing.T, p *site.Person, path string, body any) site.Answer {
	t.Helper()
	return p.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "", body)
}

// with returns a body with a field that its type has not, or not with this value.
func with(t *testing.T, body any, field string, value any) (changed map[string]any) {
	t.Helper()
	data, err := json.Marshal(body)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &changed))
	changed[field] = value
	return changed
}

// delivered is an order, and what its preview and the order itself say.
type delivered struct {
	path           string
	body           client.ConfirmRequest
	delivery       string
	point          string
	region         string
	goods, freight int64
}

// deliveredOrders are orders by the paths of two skus to addresses in three regions.
func deliveredOrders(lamp, course, home, south, far string) map[string]delivered {
	return map[string]delivered{
		"express by default": {
			lamp, client.ConfirmRequest{AddressID: home}, "express", "east", "shanghai", 1900, 600,
		},
		"express":              {lamp, express(home, 2), "express", "east", "shanghai", 3800, 600},
		"a point that is dear": {lamp, express(south, 1), "express", "south", "guangdong", 1900, 800},
		"a region of no point": {lamp, express(far, 1), "express", "0", "tibet", 1900, 600},
		"freight is free over": {lamp, express(home, 6), "express", "east", "shanghai", 11400, 0},
		"the extra is not":     {lamp, express(south, 6), "express", "south", "guangdong", 11400, 200},
		"pickup": {
			lamp, client.ConfirmRequest{Delivery: "pickup", PickupPointID: "east"}, "pickup", "east", "", 1900, 0,
		},
		"a thing that is none": {course, client.ConfirmRequest{Quantity: 3}, "none", "0", "", 2700, 0},
		"none, said":           {course, client.ConfirmRequest{Delivery: "none"}, "none", "0", "", 900, 0},
	}
}

func express(address string, quantity int64) client.ConfirmRequest {
	return client.ConfirmRequest{Quantity: quantity, AddressID: address, Delivery: "express"}
}

func TestAnOrderIsTakenFromThePointOfItsRegionAndCostsWhatWasConfirmed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, alice := s.Operator(t), s.Buyer(t, "alice")
		stockShop(t, op)
		activity := publish(t, op, lampSale("east", "south", "0"))
		home, south, far := alice.Address(t, "shanghai"), alice.Address(t, "guangdong"), alice.Address(t, "tibet")
		lamp, course := alice.Path(t, activity, "lamp"), alice.Path(t, activity, "course")

		for name, row := range deliveredOrders(lamp, course, home, south, far) {
			confirmed := alice.Confirm(t, row.path, row.body)
			assert.Equal(t, row.point, confirmed.PointID, name)
			numbers := map[bool]string{}
			for _, confirms := range []bool{true, false} {
				body, key := client.SubmitRequest{
					Quantity: row.body.Quantity, AddressID: row.body.AddressID, Delivery: row.body.Delivery,
					PickupPointID: row.body.PickupPointID,
				}, keyOf(name+" plain")
				if confirms {
					body.Confirmation, key = confirmed.Confirmation, keyOf(name+" confirmed")
				}
				numbers[confirms] = alice.Submit(t, row.path, key, body).Placed(t).OrderNumber
			}
			s.Drain(t)
			for confirms, number := range numbers {
				o := alice.GetOrder(t, number)
				for _, shown := range []client.Confirmation{confirmed, {
					Delivery: o.Delivery, GoodsAmount: o.GoodsAmount, FreightAmount: o.FreightAmount,
					TotalAmount: o.TotalAmount, Currency: o.Currency, PickupPointID: o.PickupPointID,
					Address: o.Address,
				}} {
					assert.Equal(t, row.delivery, shown.Delivery, name)
					assert.Equal(t, row.goods, shown.GoodsAmount, name)
					assert.Equal(t, row.freight, shown.FreightAmount, name)
					assert.Equal(t, row.goods+row.freight, shown.TotalAmount, name)
					assert.Equal(t, "CNY", shown.Currency, name)
					assert.Equal(t, row.body.PickupPointID, shown.PickupPointID, name)
					assert.Equal(t, row.region, shown.Address.Region, name)
				}
				assert.Equal(t, confirmed.Items, o.Items, "%s, confirmed: %v", name, confirms)
				assert.Equal(t, row.point, pointOf(t, stores, number), "%s, confirmed: %v", name, confirms)
			}
		}
		assert.Empty(t, s.Audit(t, activity))
	})
}

func pointOf(t *testing.T, stores *kit.Stores, number string) (point string) {
	t.Helper()
	require.NoError(t, stores.DB.Write.GetContext(t.Context(), &point, `SELECT point_id FROM orders WHERE number = ?`,
		number))
	return point
}

func TestOrderThatCannotBeDeliveredIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, alice := s.Operator(t), s.Buyer(t, "alice")
		stockShop(t, op)
		activity := publish(t, op, lampSale("east"))
		home, south, bobs := alice.Address(t, "shanghai"), alice.Address(t, "guangdong"),
			s.Buyer(t, "bob").Address(t, "shanghai")
		lamp, course := alice.Path(t, activity, "lamp"), alice.Path(t, activity, "course")

		of := func(quantity int, more ...any) map[string]any {
			body := map[string]any{"quantity": quantity}
			for i := 0; i < len(more); i += 2 {
				body[more[i].(string)] = more[i+1]
			}
			return body
		}
		const address, delivery, point = "address_id", "delivery", "pickup_point_id"
		for name, row := range map[string]struct {
			path   string
			body   map[string]any
			status int
			code   string
		}{
			"no address":               {lamp, of(1), 422, "address_required"},
			"no address for express":   {lamp, of(1, delivery, "express"), 422, "address_required"},
			"somebody else's address":  {lamp, of(1, address, bobs), 404, "not_found"},
			"a region without stock":   {lamp, of(1, address, south), 422, "region_not_served"},
			"pickup nowhere":           {lamp, of(1, delivery, "pickup"), 422, "invalid_request"},
			"pickup at no point":       {lamp, of(1, delivery, "pickup", point, "moon"), 422, "invalid_request"},
			"pickup where none is":     {lamp, of(1, delivery, "pickup", point, "south"), 422, "invalid_request"},
			"a point without pickup":   {lamp, of(1, address, home, point, "east"), 422, "invalid_request"},
			"a lamp that is not sent":  {lamp, of(1, delivery, "none"), 422, "invalid_request"},
			"an unknown delivery":      {lamp, of(1, address, home, delivery, "drone"), 422, "invalid_request"},
			"a course by mail":         {course, of(1, delivery, "express", address, home), 422, "invalid_request"},
			"a course to be picked up": {course, of(1, delivery, "pickup", point, "east"), 422, "invalid_request"},
			"nothing":                  {lamp, of(0, address, home), 422, "invalid_request"},
			"less than nothing":        {lamp, of(-1, address, home), 422, "invalid_request"},
			"too much at once":         {lamp, of(10000, address, home), 422, "invalid_request"},
		} {
			for call, a := range map[string]site.Answer{
				"confirm": confirm(t, alice, row.path, row.body),
				"submit":  alice.Submit(t, row.path, keyOf(name), row.body),
			} {
				assert.Equal(t, row.code, a.Code(), "%s, %s: %s", name, call, a.Body)
				assert.Equal(t, row.status, a.Status, "%s, %s", name, call)
			}
		}
		assert.Equal(t, map[string]string{"lamp": "50", "lamp~east": "50", "course": "50", "course~0": "50"},
			site.Stock(t, stores, activity))
	})
}

func TestConfirmationIsValidOnlyForItsOrder(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, alice, bob := s.Operator(t), s.Buyer(t, "alice"), s.Buyer(t, "bob")
		stockShop(t, op)
		activity, other := publish(t, op, lampSale("east", "south")), publish(t, op, lampSale("east"))
		home, south := alice.Address(t, "shanghai"), alice.Address(t, "guangdong")
		path := alice.Path(t, activity, "lamp")
		good := alice.Confirm(t, path, client.ConfirmRequest{Quantity: 2, AddressID: home}).Confirmation
		fetched := alice.Confirm(t, path,
			client.ConfirmRequest{Quantity: 2, Delivery: "pickup", PickupPointID: "east"}).Confirmation
		changed := []byte(good)
		changed[20] ^= 1
		two := client.SubmitRequest{Quantity: 2, Confirmation: good}

		for name, row := range map[string]struct {
			who  *site.Person
			path string
			body client.SubmitRequest
		}{
			"another quantity": {alice, path, client.SubmitRequest{Quantity: 1, Confirmation: good}},
			"another address":  {alice, path, client.SubmitRequest{Quantity: 2, AddressID: south, Confirmation: good}},
			"another delivery": {
				alice, path, client.SubmitRequest{Quantity: 2, Delivery: "pickup", Confirmation: good},
			},
			"a pickup point": {
				alice, path, client.SubmitRequest{Quantity: 2, PickupPointID: "east", Confirmation: good},
			},
			"another point": {
				alice, path, client.SubmitRequest{Quantity: 2, PickupPointID: "south", Confirmation: fetched},
			},
			"another sku": {
				alice, alice.Path(t, activity, "course"), client.SubmitRequest{Quantity: 2, Confirmation: good},
			},
			"another sale": {alice, alice.Path(t, other, "lamp"), two},
			"another user": {bob, bob.Path(t, activity, "lamp"), two},
			"changed":      {alice, path, client.SubmitRequest{Quantity: 2, Confirmation: string(changed)}},
			"cut":          {alice, path, client.SubmitRequest{Quantity: 2, Confirmation: good[:len(good)-2]}},
			"made up":      {alice, path, client.SubmitRequest{Quantity: 2, Confirmation: "e30.AAAA"}},
		} {
			a := row.who.Submit(t, row.path, keyOf(name), row.body)
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s: %s", name, a.Body)
			assert.Equal(t, "invalid_request", a.Code(), name)
			assert.Equal(t, "confirmation", wrongField(a), name)
		}
		assert.Equal(t, "50", site.Stock(t, stores, activity)["lamp~east"])
		must(t, http.StatusAccepted, alice.Submit(t, path, "good", two))
		assert.Equal(t, "48", site.Stock(t, stores, activity)["lamp~east"])
	})
}

// wrongField is the first field that a problem names.
func wrongField(a site.Answer) string {
	p := parsed[client.Problem](a)
	if len(p.Errors) == 0 {
		return ""
	}
	return p.Errors[0].Field
}

// The confirmation keeps address and prices after both have changed.
func TestConfirmationIsValidForTenMinutes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Now())
		s := site.Start(t, stores, site.Idle(), site.Time(clock.Now))
		op, alice := s.Operator(t), s.Buyer(t, "alice")
		stockShop(t, op)
		activity := publish(t, op, lampSale("east"))
		home := alice.Address(t, "shanghai")
		body := client.SubmitRequest{AddressID: home}
		body.Confirmation = alice.Confirm(t, alice.Path(t, activity, "lamp"),
			client.ConfirmRequest{AddressID: home}).Confirmation

		must(t, http.StatusNoContent, alice.Call(t, http.MethodDelete, "/api/v1/addresses/"+home, "", nil))
		op.PutSKU(t, "lamp", client.SKURequest{
			Title: "Desk lamp", ShopID: "shop", Kind: "physical", Price: 9900, Currency: "CNY", Stock: 10,
			Freight: client.FreightRequest{Fee: 9000},
		})
		clock.Advance(9 * time.Minute) // the instance's copies have expired
		placed := alice.Submit(t, alice.Path(t, activity, "lamp"), "k1", body).Placed(t)
		s.Drain(t)
		o := alice.GetOrder(t, placed.OrderNumber)
		assert.EqualValues(t, 2500, o.TotalAmount)
		assert.Equal(t, "shanghai", o.Address.Region)

		clock.Advance(11 * time.Minute)
		a := alice.Submit(t, alice.Path(t, activity, "lamp"), "k2", body)
		requireRefusal(t, a, http.StatusUnprocessableEntity, "invalid_request")
		assert.Equal(t, "confirmation", wrongField(a))
		assert.Equal(t, "49", site.Stock(t, stores, activity)["lamp"])
	})
}

func TestConfirmationStaysValidAfterTheSKUIsEdited(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Now())
		s := site.Start(t, stores, site.Idle(), site.Time(clock.Now))
		op, alice := s.Operator(t), s.Buyer(t, "alice")
		stockShop(t, op)
		activity := publish(t, op, lampSale("east"))
		body := client.SubmitRequest{AddressID: alice.Address(t, "shanghai")}
		body.Confirmation = alice.Confirm(t, alice.Path(t, activity, "lamp"),
			client.ConfirmRequest{AddressID: body.AddressID}).Confirmation
		for i, change := range []client.SKURequest{
			{Kind: "physical", Currency: "JPY"}, {Kind: "virtual", Currency: "CNY"},
		} {
			change.Title, change.ShopID, change.Price, change.Stock = "Desk lamp", "shop", 4900, 10
			op.PutSKU(t, "lamp", change)
			clock.Advance(2 * time.Second) // the instance's copies have expired
			must(t, http.StatusAccepted, alice.Submit(t, alice.Path(t, activity, "lamp"), fmt.Sprint("key-", i), body))
		}
	})
}
