package fulfilment

import (
	"context"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/order/complete"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// goesTo returns the address of an order.
func (s *scene) goesTo(t testing.TB, n order.Number) string {
	t.Helper()
	o, err := order.Select(t.Context(), s.db.Read, n)
	require.NoError(t, err)
	return o.Address.AddressID
}

func TestABuyerChangesTheAddressOfAnOrderUntilItIsPacked(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, ctx := open(stores), t.Context()
		for n, status := range []order.Status{order.Unpaid, order.Paid} {
			n := order.Number(n + 1)
			s.places(t, n, status, nil)
			for range 2 { // its own address changes nothing
				require.NoError(t, s.addresses.Change(ctx, "ada", n, "office", "10.0.0.2"))
			}
			assert.Equal(t, "office", s.goesTo(t, n))
			assert.Equal(t, []string{"address_changed"}, s.log(t, n))
			assert.Equal(t, []string{"order.address_changed"}, s.events(t, n))
			former, err := complete.FormerAddresses(ctx, s.db.Read, n)
			require.NoError(t, err)
			require.Len(t, former, 1)
			assert.Equal(t, home, former[0].Address)
		}
		code := func(user string, n order.Number, address string) string {
			return problem.CodeOf(s.addresses.Change(ctx, user, n, address, "")).Name
		}
		assert.Equal(t, "other_freight", code("ada", 2, "abroad"))
		assert.Equal(t, "not_found", code("ada", 2, "nowhere"))
		assert.Equal(t, "not_found", code("bob", 2, "home"))
		require.NoError(t, s.marker.Mark(ctx, 2, by, Mark{State: order.Packed}, nil))
		assert.Equal(t, "already_packed", code("ada", 2, "home"))
		assert.Equal(t, "office", s.goesTo(t, 2))

		s.served.stale = true
		require.NoError(t, s.addresses.Change(ctx, "ada", 1, "home", ""), "it is resolved again")
		assert.Equal(t, 1, s.served.forgets)
		for range maxChanges/2 - 1 {
			require.NoError(t, s.addresses.Change(ctx, "ada", 1, "office", ""))
			require.NoError(t, s.addresses.Change(ctx, "ada", 1, "home", ""))
		}
		assert.Equal(t, "conflict", code("ada", 1, "office"), "it changes a bounded number of times")
	})
}

func TestAnArchivedOrderKeepsItsAddressAndIsNotRecalled(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := open(stores)
		s.places(t, 1, order.Paid, func(o *order.Order) { o.PaidMS = at.Add(-order.MinKeep).UnixMilli() })
		require.NoError(t, s.db.InTx(t.Context(), func(tx *sqlx.Tx) error {
			return order.Archive(t.Context(), tx, []order.Number{1})
		}))
		for _, address := range []string{"home", "office"} {
			err := s.addresses.Change(t.Context(), "ada", 1, address, "")
			assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
		}
		var archived int
		require.NoError(t, s.db.Read.GetContext(t.Context(), &archived, `SELECT COUNT(*) FROM orders_archive`))
		assert.Equal(t, 1, archived)
	})
}

// Buyers and operators come at once: whoever comes first decides, and the log says what happened.
func TestNoAddressChangesAfterTheOrderIsPacked(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := open(stores)
		const orders = 8
		for n := range order.Number(orders) {
			s.places(t, n+1, order.Paid, nil)
		}
		errs := kit.AtOnce(48, func(i int) error {
			n := order.Number(i%orders + 1)
			if i/orders%2 == 0 {
				return s.addresses.Change(context.WithoutCancel(t.Context()), "ada", n, "office", "")
			}
			return s.marker.Mark(context.WithoutCancel(t.Context()), n, by, Mark{State: order.Packed}, nil)
		})
		for i, err := range errs {
			if err != nil {
				assert.Equal(t, complete.CodeAlreadyPacked, problem.CodeOf(err), "%d: %v", i, err)
			}
		}
		for n := range order.Number(orders) {
			log, to := s.log(t, n+1), "home"
			if len(log) == 2 {
				to = "office"
				assert.Equal(t, []string{"address_changed", "packed"}, log)
			} else {
				assert.Equal(t, []string{"packed"}, log)
			}
			assert.Equal(t, to, s.goesTo(t, n+1))
		}
	})
}

func TestAnErasureForgetsFormerAddressesAndParcels(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, ctx := open(stores), t.Context()
		s.places(t, 1, order.Paid, nil)
		require.NoError(t, s.addresses.Change(ctx, "ada", 1, "office", ""))
		require.NoError(t, s.marker.Mark(ctx, 1, by, parcel, nil))
		s.forgets(t, "ada", 1)
		former, err := complete.FormerAddresses(ctx, s.db.Read, 1)
		require.NoError(t, err)
		assert.Empty(t, former)
		found, err := complete.Fulfilments(ctx, s.db.Read, []order.Number{1})
		require.NoError(t, err)
		assert.Empty(t, found[1].TrackingNumber)
		assert.Equal(t, "DHL", found[1].Carrier)
		again := s.marker.Mark(ctx, 1, by, parcel, nil)
		assert.Equal(t, problem.CodeConflict, problem.CodeOf(again), "the number doesn't come back")
		require.NoError(t, s.marker.Mark(ctx, 1, by, Mark{State: order.Delivered}, nil), "the parcel still arrives")
	})
}
