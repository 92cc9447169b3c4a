package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web/client"
)

const addresses = "/api/v1/addresses"

func TestUserCreatesReadsChangesAndDeletesAddresses(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := site.Start(t, stores, site.Idle())
		alice, bob := s.Buyer(t, "alice"), s.Buyer(t, "bob")
		home := client.AddressRequest{
			Receiver: "Alice", Phone: "13800000000", Region: "shanghai", Detail: "人民路 1 号",
		}
		work := client.AddressRequest{
			Receiver: "Alice W.", Phone: "+86 21 5555", Region: "jiangsu", Detail: "2 Mill Lane", IsDefault: true,
		}

		first := alice.CreateAddress(t, home)
		assert.True(t, first.IsDefault, "the first one is the default")
		second := alice.CreateAddress(t, work)
		first.IsDefault = false
		assert.Equal(t, []client.Address{second, first}, alice.ListAddresses(t), "the default comes first")
		assert.Empty(t, bob.ListAddresses(t))

		id := first.AddressID
		home.Detail, home.IsDefault = "3 New Road", true
		changed := site.Read[client.Address](t, http.StatusOK,
			alice.Call(t, http.MethodPut, addresses+"/"+id, "", home))
		assert.Equal(t, id, changed.AddressID)
		second.IsDefault = false
		assert.Equal(t, []client.Address{changed, second}, alice.ListAddresses(t))

		requireRefusal(t, bob.Call(t, http.MethodPut, addresses+"/"+id, "", home), http.StatusNotFound, "not_found")
		requireRefusal(t, bob.Call(t, http.MethodDelete, addresses+"/"+id, "", nil), http.StatusNotFound, "not_found")
		assert.Equal(t, []client.Address{changed, second}, alice.ListAddresses(t))

		must(t, http.StatusNoContent, alice.Call(t, http.MethodDelete, addresses+"/"+id, "", nil))
		requireRefusal(t, alice.Call(t, http.MethodDelete, addresses+"/"+id, "", nil), http.StatusNotFound, "not_found")
		requireRefusal(t, alice.Call(t, http.MethodPut, addresses+"/"+id, "", home), http.StatusNotFound, "not_found")
		assert.Equal(t, []client.Address{second}, alice.ListAddresses(t))
	})
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
		number := alice.Submit(t, alice.Path(t, activity, "lamp"), "k1",
			client.SubmitRequest{AddressID: home}).Placed(t).OrderNumber

		must(t, http.StatusOK, alice.Call(t, http.MethodPut, addresses+"/"+home, "",
			client.AddressRequest{Receiver: "Bob", Phone: "1", Region: "tibet", Detail: "Elsewhere"}))

		for range 2 {
			o := alice.GetOrder(t, number)
			assert.Equal(t, client.Address{
				AddressID: home, Receiver: "alice", Phone: "13800000000", Region: "shanghai", Detail: "1 Main Street",
				IsDefault: true,
			}, o.Address, o.Source)
			s.Drain(t)
		}
	})
}
