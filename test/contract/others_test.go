package contract

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

func TestResourcesOfOtherUsersAreNotFound(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := standing(t, stores)
		path := w.path(t, w.ada)
		confirmation := do[client.Confirmation](t, w.ada, 200, "confirm", param("path", path),
			sent(object{"quantity": 1, "address_id": w.address})).Confirmation
		ordinary := do[client.CreateOrders201JSONResponseBody](t, w.ada, 201, "createOrders", key("o1"),
			sent(object{"items": []object{{"sku_id": "lamp", "quantity": 1}}, "address_id": w.address})).
			Orders[0].OrderNumber

		// An operator is nobody special among buyers, nor is one whose name is nearly hers.
		for _, bob := range []*person{
			w.buyer(t, "bob"), w.op, w.buyer(t, "Ada"), w.buyer(t, "ada1"), w.buyer(t, "ad"), w.buyer(t, "àda"),
			w.buyer(t, " ada"),
		} {
			w.sees(t, bob, w.number, ordinary)
			w.uses(t, bob, path, confirmation)
		}
		w.ada.do(t, 200, "getOrder", param("order_number", w.number))

		w.site.Drain(t)
		bob := w.buyer(t, "bob")
		w.sees(t, bob, w.number, ordinary)
		for _, number := range []string{w.number, ordinary} {
			order := do[client.Order](t, w.ada, 200, "getOrder", param("order_number", number))
			assert.Equal(t, "unpaid", order.Status)
		}
		assert.Equal(t, "12 Square", do[client.AddressList](t, w.ada, 200, "listAddresses").Items[0].Detail)
		assert.True(t, do[client.Audit](t, w.op, 200, "auditActivity", param("activity_id", w.activity)).Ok)
		// Hers still work.
		w.ada.do(t, 202, "submit", param("path", path), key("hers"),
			sent(object{"quantity": 1, "confirmation": confirmation}))
		w.ada.do(t, 200, "cancelOrder", param("order_number", w.number))
	})
}

// sees reads Ada's orders, task and address as another user; the answers are the same as for unknown
// ones.
func (w *world) sees(t *testing.T, bob *person, numbers ...string) {
	t.Helper()
	for _, number := range numbers {
		nothing := param("order_number", "4711")
		same(t, bob.do(t, 404, "getOrder", nothing), bob.do(t, 404, "getOrder", param("order_number", number)))
		same(t, bob.do(t, 404, "cancelOrder", nothing), bob.do(t, 404, "cancelOrder", param("order_number", number)))
		assert.Empty(t, do[client.OrderList](t, bob, 200, "listOrders", query("order_number="+number)).Items)
	}
	assert.Empty(t, do[client.OrderList](t, bob, 200, "listOrders").Items)
	tasks := query("activity_id=" + w.activity)
	assert.NotEmpty(t, do[client.ListTasks200JSONResponseBody](t, w.ada, 200, "listTasks", tasks).Items)
	assert.Empty(t, do[client.ListTasks200JSONResponseBody](t, bob, 200, "listTasks", tasks).Items)
	assert.Empty(t, do[client.AddressList](t, bob, 200, "listAddresses").Items)
	for _, id := range []string{"getTask", "watchTask"} {
		same(t, bob.do(t, 404, id, param("task_id", "1~x~y~z")), bob.do(t, 404, id, param("task_id", w.task)))
	}
	same(t, bob.do(t, 404, "replaceAddress", param("address_id", "nothing"), sent(addressBody)),
		bob.do(t, 404, "replaceAddress", param("address_id", w.address), sent(addressBody)))
	same(t, bob.do(t, 404, "deleteAddress", param("address_id", "nothing")),
		bob.do(t, 404, "deleteAddress", param("address_id", w.address)))
}

// uses tries to order with Ada's path, confirmation and address as another user.
func (w *world) uses(t *testing.T, bob *person, hers, confirmation string) {
	t.Helper()
	own := w.path(t, bob)
	withHers := sent(object{"quantity": 1, "address_id": w.address})
	assert.Equal(t, "path_invalid", bob.do(t, 403, "confirm", param("path", hers), withHers).Code())
	assert.Equal(t, "path_invalid", bob.do(t, 403, "submit", param("path", hers), key("b1"), withHers).Code())
	bob.do(t, 404, "confirm", param("path", own), withHers)
	bob.do(t, 404, "submit", param("path", own), key("b2"), withHers)
	bob.do(t, 404, "createOrders", key("b3"),
		sent(object{"items": []object{{"sku_id": "lamp", "quantity": 1}}, "address_id": w.address}))
	bob.do(t, 404, "confirmOrders",
		sent(object{"items": []object{{"sku_id": "lamp", "quantity": 1}}, "address_id": w.address}))
	a := bob.do(t, 422, "submit", param("path", own), key("b4"),
		sent(object{"quantity": 1, "confirmation": confirmation}))
	assert.Equal(t, "invalid_request", a.Code())
}

// same requires that two answers are equal but for the ids of their requests.
func same(t *testing.T, nothing, somebodys site.Answer) {
	t.Helper()
	require.Equal(t, http.StatusNotFound, somebodys.Status)
	none, hers := nothing.JSON(t), somebodys.JSON(t)
	delete(none, "request_id")
	delete(hers, "request_id")
	assert.Equal(t, none, hers)
}

func TestTheSameKeyOfTwoBuyersIsTwoOrders(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		w := standing(t, stores)
		bob := w.buyer(t, "bob")
		address := do[client.Address](t, bob, 201, "createAddress", sent(addressBody)).AddressID
		for _, p := range []struct {
			*person
			address string
		}{{w.ada, w.address}, {bob, address}} {
			p.do(t, 202, "submit", param("path", w.path(t, p.person)), key("same"),
				sent(object{"quantity": 1, "address_id": p.address}))
			p.do(t, 201, "createOrders", key("same"),
				sent(object{"items": []object{{"sku_id": "lamp", "quantity": 1}}, "address_id": p.address}))
		}
		assert.EqualValues(t, 2, do[client.OrderList](t, bob, 200, "listOrders").Total)
		assert.EqualValues(t, 4, do[client.OrderList](t, w.ada, 200, "listOrders").Total)
	})
}
