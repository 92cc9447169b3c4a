package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
)

const addresses = "/api/v1/addresses"

func TestUserCreatesReadsChangesAndDeletesAddresses(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		alice, bob := s.Buyer(t, "alice"), s.Buyer(t, "bob")
		home := map[string]any{
			"receiver": "Alice", "phone": "13800000000", "region": "shanghai", "detail": "人民路 1 号",
		}
		work := map[string]any{
			"receiver": "Alice W.", "phone": "+86 21 5555", "region": "jiangsu", "detail": "2 Mill Lane",
			"is_default": true,
		}

		first := must(t, http.StatusCreated, alice.Call(t, http.MethodPost, addresses, "", home))
		assert.Equal(t, true, first["is_default"], "the first one is the default")
		second := must(t, http.StatusCreated, alice.Call(t, http.MethodPost, addresses, "", work))
		first["is_default"] = false
		assert.Equal(t, []any{second, first}, listed(t, alice), "the default comes first")
		assert.Empty(t, listed(t, bob))

		id := first["address_id"].(string)
		changed := must(t, http.StatusOK, alice.Call(t, http.MethodPut, addresses+"/"+id, "",
			with(with(home, "detail", "3 New Road"), "is_default", true)))
		assert.Equal(t, id, changed["address_id"])
		second["is_default"] = false
		assert.Equal(t, []any{changed, second}, listed(t, alice))

		requireRefusal(t, bob.Call(t, http.MethodPut, addresses+"/"+id, "", home), http.StatusNotFound, "not_found")
		requireRefusal(t, bob.Call(t, http.MethodDelete, addresses+"/"+id, "", nil), http.StatusNotFound, "not_found")
		assert.Equal(t, []any{changed, second}, listed(t, alice))

		must(t, http.StatusNoContent, alice.Call(t, http.MethodDelete, addresses+"/"+id, "", nil))
		requireRefusal(t, alice.Call(t, http.MethodDelete, addresses+"/"+id, "", nil), http.StatusNotFound, "not_found")
		requireRefusal(t, alice.Call(t, http.MethodPut, addresses+"/"+id, "", home), http.StatusNotFound, "not_found")
		assert.Equal(t, []any{second}, listed(t, alice))
	})
}

func listed(t *testing.T, p *site.Person) []any {
	t.Helper()
	return must(t, http.StatusOK, p.Call(t, http.MethodGet, addresses, "", nil))["items"].([]any)
}

// The order has the address as it was, cached or stored.
func TestAnOrderKeepsItsAddressWhenTheUserChangesIt(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		op, alice := s.Operator(t), s.Buyer(t, "alice")
		stockShop(t, op)
		activity := publish(t, op, lampSale("east"))
		home := alice.Address(t, "shanghai")
		number := must(t, http.StatusAccepted,
			alice.Submit(t, alice.Path(t, activity, "lamp"), "k1",
				map[string]any{"quantity": 1, "address_id": home}))["order_number"].(string)

		must(t, http.StatusOK, alice.Call(t, http.MethodPut, addresses+"/"+home, "",
			map[string]any{"receiver": "Bob", "phone": "1", "region": "tibet", "detail": "Elsewhere"}))

		for range 2 {
			o := must(t, http.StatusOK, alice.Call(t, http.MethodGet, "/api/v1/orders/"+number, "", nil))
			address := o["address"].(map[string]any)
			assert.Equal(t, []any{home, "alice", "shanghai", "1 Main Street"},
				[]any{address["address_id"], address["receiver"], address["region"], address["detail"]}, o["source"])
			s.Drain(t)
		}
	})
}
