package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// confirm requests a preview of an order.
func confirm(t *testing.T, p *site.Person, path string, body map[string]any) site.Answer {
	t.Helper()
	return p.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "", body)
}

func with(body map[string]any, key string, value any) map[string]any {
	body = maps.Clone(body)
	body[key] = value
	return body
}

// delivered is an order, and what its preview and the order itself say.
type delivered struct {
	path           string
	body           map[string]any
	delivery       string
	point          string
	region         any
	goods, freight float64
}

// deliveredOrders are orders by the paths of two skus to addresses in three regions.
func deliveredOrders(lamp, course, home, south, far string) map[string]delivered {
	return map[string]delivered{
		"express by default": {
			lamp, map[string]any{"quantity": 1, "address_id": home}, "express", "east", "shanghai", 1900, 600,
		},
		"express": {lamp, map[string]any{
			"quantity": 2, "address_id": home, "delivery": "express",
		}, "express", "east", "shanghai", 3800, 600},
		"a point that is dear": {
			lamp, map[string]any{"quantity": 1, "address_id": south}, "express", "south", "guangdong", 1900, 800,
		},
		"a region of no point": {
			lamp, map[string]any{"quantity": 1, "address_id": far}, "express", "0", "tibet", 1900, 600,
		},
		"freight is free over": {
			lamp, map[string]any{"quantity": 6, "address_id": home}, "express", "east", "shanghai", 11400, 0,
		},
		"the extra is not": {
			lamp, map[string]any{"quantity": 6, "address_id": south}, "express", "south", "guangdong", 11400, 200,
		},
		"pickup": {lamp, map[string]any{
			"quantity": 1, "delivery": "pickup", "pickup_point_id": "east",
		}, "pickup", "east", nil, 1900, 0},
		"a thing that is none": {course, map[string]any{"quantity": 3}, "none", "0", nil, 2700, 0},
		"none, said": {
			course, map[string]any{"quantity": 1, "delivery": "none"}, "none", "0", nil, 900, 0,
		},
	}
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
			confirmed := must(t, http.StatusOK, confirm(t, alice, row.path, row.body))
			assert.Equal(t, row.point, confirmed["point_id"], name)
			numbers := map[bool]string{}
			for _, confirms := range []bool{true, false} {
				body, key := row.body, keyOf(name+" plain")
				if confirms {
					body, key = with(row.body, "confirmation", confirmed["confirmation"]), keyOf(name+" confirmed")
				}
				numbers[confirms] = must(t, http.StatusAccepted,
					alice.Submit(t, row.path, key, body))["order_number"].(string)
			}
			s.Drain(t)
			for confirms, number := range numbers {
				o := must(t, http.StatusOK, alice.Call(t, http.MethodGet, "/api/v1/orders/"+number, "", nil))
				for _, shown := range []map[string]any{confirmed, o} {
					assert.Equal(t, row.delivery, shown["delivery"], name)
					assert.InDelta(t, row.goods, shown["goods_amount"], 0, name)
					assert.InDelta(t, row.freight, shown["freight_amount"], 0, name)
					assert.InDelta(t, row.goods+row.freight, shown["total_amount"], 0, name)
					assert.Equal(t, "CNY", shown["currency"], name)
					assert.Equal(t, row.body["pickup_point_id"], shown["pickup_point_id"], name)
					address, _ := shown["address"].(map[string]any)
					assert.Equal(t, row.region, address["region"], name)
				}
				assert.Equal(t, confirmed["items"], o["items"], "%s, confirmed: %v", name, confirms)
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

		for name, row := range map[string]struct {
			path   string
			body   map[string]any
			status int
			code   string
		}{
			"no address": {lamp, map[string]any{"quantity": 1}, 422, "address_required"},
			"no address for express": {
				lamp, map[string]any{"quantity": 1, "delivery": "express"}, 422, "address_required",
			},
			"somebody else's address": {lamp, map[string]any{"quantity": 1, "address_id": bobs}, 404, "not_found"},
			"a region without stock": {
				lamp, map[string]any{"quantity": 1, "address_id": south}, 422, "region_not_served",
			},
			"pickup nowhere": {
				lamp, map[string]any{"quantity": 1, "delivery": "pickup"}, 422, "invalid_request",
			},
			"pickup at no point": {lamp, map[string]any{
				"quantity": 1, "delivery": "pickup", "pickup_point_id": "moon",
			}, 422, "invalid_request"},
			"pickup where none is": {lamp, map[string]any{
				"quantity": 1, "delivery": "pickup", "pickup_point_id": "south",
			}, 422, "invalid_request"},
			"a point without pickup": {lamp, map[string]any{
				"quantity": 1, "address_id": home, "pickup_point_id": "east",
			}, 422, "invalid_request"},
			"a lamp that is not sent": {
				lamp, map[string]any{"quantity": 1, "delivery": "none"}, 422, "invalid_request",
			},
			"an unknown delivery": {
				lamp, map[string]any{"quantity": 1, "address_id": home, "delivery": "drone"}, 422, "invalid_request",
			},
			"a course by mail": {course, map[string]any{
				"quantity": 1, "delivery": "express", "address_id": home,
			}, 422, "invalid_request"},
			"a course to be picked up": {
				course,
				map[string]any{"quantity": 1, "delivery": "pickup", "pickup_point_id": "east"},
				422,
				"invalid_request",
			},
			"nothing":           {lamp, map[string]any{"quantity": 0, "address_id": home}, 422, "invalid_request"},
			"less than nothing": {lamp, map[string]any{"quantity": -1, "address_id": home}, 422, "invalid_request"},
			"too much at once":  {lamp, map[string]any{"quantity": 10000, "address_id": home}, 422, "invalid_request"},
		} {
			for call, a := range map[string]site.Answer{
				"confirm": confirm(t, alice, row.path, row.body),
				"submit":  alice.Submit(t, row.path, keyOf(name), row.body),
			} {
				assert.Equal(t, row.code, a.Code(), "%s, %s: %s", name, call, a.Body)
				assert.Equal(t, row.status, a.Status, "%s, %s", name, call)
			}
		}
		assert.Equal(t, map[string]string{"lamp": "50", "lamp:east": "50", "course": "50", "course:0": "50"},
			stockInRedis(t, stores, activity))
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
		good := must(t, http.StatusOK,
			confirm(t, alice, path, map[string]any{"quantity": 2, "address_id": home}))["confirmation"].(string)
		fetched := must(t, http.StatusOK, confirm(t, alice, path,
			map[string]any{"quantity": 2, "delivery": "pickup", "pickup_point_id": "east"}))["confirmation"].(string)
		changed := []byte(good)
		changed[20] ^= 1

		for name, row := range map[string]struct {
			who  *site.Person
			path string
			body map[string]any
		}{
			"another quantity": {alice, path, map[string]any{"quantity": 1, "confirmation": good}},
			"another address":  {alice, path, map[string]any{"quantity": 2, "address_id": south, "confirmation": good}},
			"another delivery": {
				alice, path, map[string]any{"quantity": 2, "delivery": "pickup", "confirmation": good},
			},
			"a pickup point": {
				alice, path, map[string]any{"quantity": 2, "pickup_point_id": "east", "confirmation": good},
			},
			"another point": {
				alice, path, map[string]any{"quantity": 2, "pickup_point_id": "south", "confirmation": fetched},
			},
			"another sku": {
				alice, alice.Path(t, activity, "course"), map[string]any{"quantity": 2, "confirmation": good},
			},
			"another sale": {alice, alice.Path(t, other, "lamp"), map[string]any{"quantity": 2, "confirmation": good}},
			"another user": {bob, bob.Path(t, activity, "lamp"), map[string]any{"quantity": 2, "confirmation": good}},
			"changed":      {alice, path, map[string]any{"quantity": 2, "confirmation": string(changed)}},
			"cut":          {alice, path, map[string]any{"quantity": 2, "confirmation": good[:len(good)-2]}},
			"made up":      {alice, path, map[string]any{"quantity": 2, "confirmation": "e30.AAAA"}},
		} {
			a := row.who.Submit(t, row.path, keyOf(name), row.body)
			assert.Equal(t, http.StatusUnprocessableEntity, a.Status, "%s: %s", name, a.Body)
			assert.Equal(t, "invalid_request", a.Code(), name)
			assert.Equal(t, "confirmation", wrongField(a.JSON(t)), name)
		}
		assert.Equal(t, "50", stockInRedis(t, stores, activity)["lamp:east"])
		must(t, http.StatusAccepted, alice.Submit(t, path, "good", map[string]any{"quantity": 2, "confirmation": good}))
		assert.Equal(t, "48", stockInRedis(t, stores, activity)["lamp:east"])
	})
}

// wrongField is the first field that a problem names.
func wrongField(problem map[string]any) any {
	fields, _ := problem["errors"].([]any)
	if len(fields) == 0 {
		return nil
	}
	return fields[0].(map[string]any)["field"]
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
		body := map[string]any{"quantity": 1, "address_id": home}
		body["confirmation"] = must(t, http.StatusOK,
			confirm(t, alice, alice.Path(t, activity, "lamp"), body))["confirmation"]

		must(t, http.StatusNoContent, alice.Call(t, http.MethodDelete, "/api/v1/addresses/"+home, "", nil))
		must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/skus/lamp", "", map[string]any{
			"title": "Desk lamp", "shop_id": "shop", "kind": "physical", "price": 9900, "currency": "CNY", "stock": 10,
			"freight": map[string]any{"fee": 9000, "free_over": 0},
		}))
		clock.Advance(9 * time.Minute) // the instance's copies have expired
		placed := must(t, http.StatusAccepted, alice.Submit(t, alice.Path(t, activity, "lamp"), "k1", body))
		s.Drain(t)
		o := must(t, http.StatusOK,
			alice.Call(t, http.MethodGet, "/api/v1/orders/"+placed["order_number"].(string), "", nil))
		assert.InDelta(t, 2500, o["total_amount"], 0)
		assert.Equal(t, "shanghai", o["address"].(map[string]any)["region"])

		clock.Advance(11 * time.Minute)
		a := alice.Submit(t, alice.Path(t, activity, "lamp"), "k2", body)
		requireRefusal(t, a, http.StatusUnprocessableEntity, "invalid_request")
		assert.Equal(t, "confirmation", wrongField(a.JSON(t)))
		assert.Equal(t, "49", stockInRedis(t, stores, activity)["lamp"])
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
		body := map[string]any{"quantity": 1, "address_id": alice.Address(t, "shanghai")}
		body["confirmation"] = must(t, http.StatusOK,
			confirm(t, alice, alice.Path(t, activity, "lamp"), body))["confirmation"]
		for i, change := range []map[string]any{
			{"kind": "physical", "currency": "JPY"}, {"kind": "virtual", "currency": "CNY"},
		} {
			change["title"], change["shop_id"], change["price"], change["stock"] = "Desk lamp", "shop", 4900, 10
			must(t, http.StatusOK, op.Call(t, http.MethodPut, admin+"/skus/lamp", "", change))
			clock.Advance(2 * time.Second) // the instance's copies have expired
			must(t, http.StatusAccepted, alice.Submit(t, alice.Path(t, activity, "lamp"), fmt.Sprint("key-", i), body))
		}
	})
}
