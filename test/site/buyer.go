package site

import (
	"net/http"
	"testing"

	"onrush/web/client"
)

// The methods here and in operator.go have the names of the operations in web/openapi.yaml. They fail the test unless
// the call succeeds. A query has no question mark.

// GetActivity reads a sale as buyers see it.
func (p *Person) GetActivity(t testing.TB, activity string) client.Activity {
	t.Helper()
	return get[client.Activity](t, p, "/api/v1/activities/"+activity)
}

// ListActivities reads a page of the sales that buyers see.
func (p *Person) ListActivities(t testing.TB, query string) client.ActivityList {
	t.Helper()
	return get[client.ActivityList](t, p, "/api/v1/activities?"+query)
}

// Confirm previews an order on a path.
func (p *Person) Confirm(t testing.TB, path string, body client.ConfirmRequest) client.Confirmation {
	t.Helper()
	return Read[client.Confirmation](t, http.StatusOK,
		p.Call(t, http.MethodPost, "/api/v1/seckill/"+path+"/confirm", "", body))
}

// GetTask reads what became of a submit.
func (p *Person) GetTask(t testing.TB, task string) client.Task {
	t.Helper()
	return get[client.Task](t, p, "/api/v1/seckill/tasks/"+task)
}

// GetOrder reads one order of the caller.
func (p *Person) GetOrder(t testing.TB, number string) client.Order {
	t.Helper()
	return get[client.Order](t, p, "/api/v1/orders/"+number)
}

// ListOrders reads a page of the caller's orders.
func (p *Person) ListOrders(t testing.TB, query string) client.OrderList {
	t.Helper()
	return get[client.OrderList](t, p, "/api/v1/orders?"+query)
}

// CreateOrders places ordinary orders, one per shop.
func (p *Person) CreateOrders(t testing.TB, key string, body client.OrderRequest) []client.Order {
	t.Helper()
	return Read[client.CreateOrders201JSONResponseBody](t, http.StatusCreated,
		p.Call(t, http.MethodPost, "/api/v1/orders", key, body)).Orders
}

// CancelOrder cancels an order of the caller.
func (p *Person) CancelOrder(t testing.TB, number string) client.Order {
	t.Helper()
	return Read[client.Order](t, http.StatusOK,
		p.Call(t, http.MethodPost, "/api/v1/orders/"+number+"/cancel", "", nil))
}

// GetPayment reads a payment of the caller.
func (p *Person) GetPayment(t testing.TB, number string) client.Payment {
	t.Helper()
	return get[client.Payment](t, p, "/api/v1/payments/"+number)
}

// ListPayments lists the caller's payments of an order.
func (p *Person) ListPayments(t testing.TB, order string) []client.Payment {
	t.Helper()
	return get[client.PaymentList](t, p, "/api/v1/payments?order_number="+order).Items
}

// BeginPayment begins a payment of orders on the sandbox.
func (p *Person) BeginPayment(t testing.TB, key string, orders ...string) client.Payment {
	t.Helper()
	return Read[client.Payment](t, http.StatusCreated, p.Pay(t, key, orders...))
}

// CreateAddress stores an address of the caller.
func (p *Person) CreateAddress(t testing.TB, body client.AddressRequest) client.Address {
	t.Helper()
	return Read[client.Address](t, http.StatusCreated, p.Call(t, http.MethodPost, "/api/v1/addresses", "", body))
}

// ListAddresses reads the addresses of the caller.
func (p *Person) ListAddresses(t testing.TB) []client.Address {
	t.Helper()
	return get[client.AddressList](t, p, "/api/v1/addresses").Items
}
