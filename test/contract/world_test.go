package contract

import (
	"testing"
	"time"

	"onrush/test/kit"
	"onrush/web/client"
)

// world is a shop with a sale of a lamp, an operator and a buyer.
type world struct {
	*shop
	op, ada               *person
	activity, draft       string
	lane                  int
	address, number, task string
	dead                  string
	room                  string // a sale with a waiting room, once a place is asked for
	full                  string // a sale with a waiting list that is sold out, once one is needed
	lots                  string // a draw that starts later, once one is needed
	coming                string // a published sale that starts later, once one is needed
	closed                string // a sale that was taken offline, once one is needed
	money                 money
	many                  money  // a paid order of many lamps
	back                  string // an order that was marked as refunded
	cash                  string // an order of many lamps that was marked as paid
	outside               string // a refund of it that is under way
	voucher               string // a code
	delivery              string // to an endpoint, once one is registered
	key                   string // id of a key, once one is made
}

// answers runs the test of a resource on each kind of stores, in a world of its own. What it calls is covered.
func answers(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := open(t, stores)
		s.covered = covered[stores.Name]
		test(t, s.offer(t))
	})
}

type object = map[string]any

var (
	lampBody = object{
		"title":       "Lamp",
		"shop_id":     "shop-1",
		"image_url":   "https://example.com/lamp.jpg",
		"kind":        "physical",
		"description": "Warm light,\n\tthree levels",
		"price":       4900,
		"currency":    "EUR",
		"stock":       1000,
		"freight":     object{"fee": 500, "free_over": 100000},
	}
	pointBody = object{
		"name": "North", "regions": []string{"DE-HH", "DE-SH"}, "freight_extra": 100, "pickup": true,
		"address": "Am Sandtorkai 1", "hours": "9 to 20",
	}
	addressBody = object{
		"receiver": "Ada", "phone": "+44 20", "region": "DE-HH", "detail": "12 Square", "is_default": true,
	}
)

func saleBody() object {
	now := time.Now()
	return object{
		"title": "Lamps at noon", "shop_id": "shop-1", "starts_at": now.Add(-time.Minute),
		"ends_at": now.Add(time.Hour), "pay_within_s": 900, "pay_grace_s": 300, "purchase_limit": 100000,
		"permit_ratio": 50.5,
		"description":  "Desk lamps,\n\thalf price", "image_url": "https://example.com/sale.jpg",
		"images":   []any{"https://example.com/1.jpg", "https://example.com/2.jpg"},
		"segments": []any{"members"}, "offer_within_s": 600, "expected_visitors": 5000,
		"skus": []object{{
			"sku_id": "lamp", "flash_price": 1900, "purchase_limit": 100000,
			"stock": []object{{"point_id": "north", "quantity": 100000}, {"point_id": "0", "quantity": 100000}},
			"waves": []object{{"at": now.Add(45 * time.Minute), "point_id": "north", "quantity": 1}},
		}},
	}
}

// voucherBody is a voucher with a price.
func voucherBody(price int) object {
	body := clone(lampBody)
	body["kind"], body["price"], body["freight"] = "voucher", price, object{"fee": 0, "free_over": 0}
	return body
}

// offer adds the lamp to the catalogue, drafts a sale, publishes another, and stores an address of the buyer.
func (s *shop) offer(t testing.TB) *world {
	t.Helper()
	w := &world{shop: s, op: s.operator(t), ada: s.buyer(t, "ada")}
	w.op.do(t, 200, "putSKU", param("sku_id", "lamp"), sent(lampBody))
	w.op.do(t, 200, "putPoint", param("point_id", "north"), sent(pointBody))
	w.draft = do[client.AdminActivity](t, w.op, 201, "createActivity", sent(saleBody())).ActivityID
	open := saleBody()
	open["permit_ratio"] = -1 // with permits a path is valid for one order
	w.activity = do[client.AdminActivity](t, w.op, 201, "createActivity", sent(open)).ActivityID
	w.lane = do[client.AdminActivity](t, w.op, 200, "publishActivity", param("activity_id", w.activity)).Lane
	w.address = do[client.Address](t, w.ada, 201, "createAddress", sent(addressBody)).AddressID
	return w
}

// path gets an order path for the lamp of the sale.
func (w *world) path(t testing.TB, p *person) string {
	t.Helper()
	return do[client.Path](t, p, 200, "takePath", sent(object{"activity_id": w.activity, "sku_id": "lamp"})).Path
}

// places lets ada order a lamp of the sale.
func (w *world) places(t testing.TB, k string) client.Submitted {
	t.Helper()
	return do[client.Submitted](t, w.ada, 202, "submit", param("path", w.path(t, w.ada)), key(k),
		sent(object{"quantity": 1, "address_id": w.address}))
}
