package catalogue_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/test/kit"
)

// copying are the addresses of two instances on one store, with a clock that the test moves.
type copying struct {
	t        *testing.T
	stores   *kit.Stores
	ahead    atomic.Int64
	one, two *catalogue.Addresses
}

func newCopying(t *testing.T, stores *kit.Stores) *copying {
	t.Helper()
	c := &copying{t: t, stores: stores}
	c.one = catalogue.NewAddresses(stores.DB, kit.IDs(1), c.now, slog.New(slog.DiscardHandler))
	c.two = catalogue.NewAddresses(stores.DB, kit.IDs(2), c.now, slog.New(slog.DiscardHandler))
	return c
}

func (c *copying) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// pass moves the clock, and lets the instances follow the changes if they do.
func (c *copying) pass(d time.Duration, follow ...*catalogue.Addresses) {
	c.t.Helper()
	c.ahead.Add(int64(d))
	for _, a := range follow {
		require.NoError(c.t, a.Copies.Refresh(c.t.Context()))
	}
}

func (c *copying) create(user string) catalogue.Address {
	c.t.Helper()
	address, err := c.one.Create(c.t.Context(), user,
		catalogue.Address{Receiver: "Ada", Phone: "1", Region: "north", Detail: "1 Main Street"})
	require.NoError(c.t, err)
	return address
}

// phone returns the phone number in an instance's copy of an address; "" if there is no such address.
func (c *copying) phone(of *catalogue.Addresses, user, id string) string {
	c.t.Helper()
	address, err := of.Copies.Get(c.t.Context(), user, id)
	if problem.CodeOf(err) == problem.CodeNotFound {
		return ""
	}
	require.NoError(c.t, err)
	return address.Phone
}

// settle makes all changes so old that they are no longer followed.
func (c *copying) settle() {
	c.t.Helper()
	_, err := c.stores.DB.Write.ExecContext(c.t.Context(), `UPDATE user_locks SET changed_ms = 0`)
	require.NoError(c.t, err)
}

// behind changes an address without a mark.
func (c *copying) behind(id, phone string) {
	c.t.Helper()
	const update = `UPDATE addresses SET phone = ? WHERE address_id = ?`
	_, err := c.stores.DB.Write.ExecContext(c.t.Context(), update, phone, id)
	require.NoError(c.t, err)
}

func TestAddressesAreReadOnceWhileChangesAreFollowed(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCopying(t, stores)
		home := c.create("ada")
		c.settle()
		c.pass(0, c.two)
		require.Equal(t, "1", c.phone(c.two, "ada", home.AddressID))
		c.behind(home.AddressID, "2")
		c.pass(20*time.Second, c.two)
		assert.Equal(t, "1", c.phone(c.two, "ada", home.AddressID), "the copy is read")
		c.pass(5 * time.Second)
		assert.Equal(t, "2", c.phone(c.two, "ada", home.AddressID), "changes are not followed: it is a second old")
	})
}

func TestAChangedAddressIsKnownToAllInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c, ctx := newCopying(t, stores), t.Context()
		home, other := c.create("ada"), c.create("bob")
		c.pass(time.Minute, c.one, c.two)
		for _, of := range []*catalogue.Addresses{c.one, c.two} {
			require.Equal(t, "1", c.phone(of, "ada", home.AddressID))
			require.Equal(t, "1", c.phone(of, "bob", other.AddressID))
		}
		assert.Empty(t, c.phone(c.two, "bob", home.AddressID), "of another user")

		home.Phone = "2"
		_, err := c.one.Update(ctx, "ada", home)
		require.NoError(t, err)
		assert.Equal(t, "2", c.phone(c.one, "ada", home.AddressID), "at once here")
		c.pass(time.Second/2, c.two)
		assert.Equal(t, "2", c.phone(c.two, "ada", home.AddressID), "and there when it followed")

		office := c.create("ada")
		assert.Equal(t, "1", c.phone(c.two, "ada", office.AddressID), "a new one is looked for")

		require.NoError(t, c.one.Delete(ctx, "ada", home.AddressID))
		assert.Empty(t, c.phone(c.one, "ada", home.AddressID))
		c.pass(0, c.two)
		assert.Empty(t, c.phone(c.two, "ada", home.AddressID))
		assert.Equal(t, "1", c.phone(c.two, "ada", office.AddressID))
	})
}

func TestAChangeThatWasMissedIsFollowedLater(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCopying(t, stores)
		home := c.create("ada")
		c.pass(0, c.two)
		require.Equal(t, "1", c.phone(c.two, "ada", home.AddressID))
		home.Phone = "2"
		_, err := c.one.Update(t.Context(), "ada", home)
		require.NoError(t, err)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for range 3 {
			require.Error(t, c.two.Copies.Refresh(gone))
		}
		c.pass(time.Minute, c.two)
		assert.Equal(t, "2", c.phone(c.two, "ada", home.AddressID))
	})
}

// TestAnInstanceWithoutSQLUsesNoAddressThatItDoesNotFollow cuts one of two instances off. It can't know what the other
// one deletes.
func TestAnInstanceWithoutSQLUsesNoAddressThatItDoesNotFollow(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c, ctx := newCopying(t, stores), t.Context()
		home := c.create("ada")
		cut := stores.ConnectSQL(t)
		c.two = catalogue.NewAddresses(cut, kit.IDs(2), c.now, slog.New(slog.DiscardHandler))
		c.pass(0, c.two)
		require.Equal(t, "1", c.phone(c.two, "ada", home.AddressID))
		require.NoError(t, cut.Close())
		require.Error(t, c.two.Copies.Refresh(ctx))
		assert.Equal(t, "1", c.phone(c.two, "ada", home.AddressID), "it followed a moment ago")
		require.NoError(t, c.one.Delete(ctx, "ada", home.AddressID))
		c.pass(3 * time.Second)
		for range 3 {
			_, err := c.two.Copies.Get(ctx, "ada", home.AddressID)
			assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
			c.pass(time.Second / 4)
		}
	})
}

// TestAChangeThatIsCommittedTooLateIsKnownSoon marks a change as early as if its commit took more than half a minute.
func TestAChangeThatIsCommittedTooLateIsKnownSoon(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCopying(t, stores)
		home := c.create("ada")
		c.settle()
		c.pass(0, c.two)
		require.Equal(t, "1", c.phone(c.two, "ada", home.AddressID))
		home.Phone = "2"
		_, err := c.one.Update(t.Context(), "ada", home)
		require.NoError(t, err)
		c.settle()
		c.pass(30*time.Second, c.two)
		assert.Equal(t, "2", c.phone(c.two, "ada", home.AddressID))
	})
}

func TestErasedAddressesAreForgottenByAllInstances(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCopying(t, stores)
		home := c.create("ada")
		c.pass(0, c.one, c.two)
		for _, of := range []*catalogue.Addresses{c.one, c.two} {
			require.Equal(t, "1", c.phone(of, "ada", home.AddressID))
		}
		require.NoError(t, stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
			n, err := c.one.DeleteAll(t.Context(), tx, "ada")
			assert.Equal(t, int64(1), n)
			return err
		}))
		assert.Empty(t, c.phone(c.one, "ada", home.AddressID))
		c.pass(time.Second/2, c.two)
		assert.Empty(t, c.phone(c.two, "ada", home.AddressID))
	})
}

// TestErasuresAtOnceMarkOneRow lets a crowd lock the row of all users.
func TestErasuresAtOnceMarkOneRow(t *testing.T) {
	t.Parallel()
	kit.EachIsolation(t, func(t *testing.T, stores *kit.Stores) {
		c := newCopying(t, stores)
		assert.Zero(t, refused(t, 3, func(_, i int) error {
			return stores.DB.InTx(t.Context(), func(tx *sqlx.Tx) error {
				_, err := c.one.DeleteAll(t.Context(), tx, string(rune('a'+i)))
				return err
			})
		}))
	})
}

func TestACrowdOfAddressesIsReadTogether(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		c := newCopying(t, stores)
		_ = c.phone(c.two, "new", "no-address") // that there is none is remembered for a second
		assert.Equal(t, "1", c.phone(c.two, "new", c.create("new").AddressID))
		ids := make([]string, crowd)
		for i := range ids {
			ids[i] = c.create(string(rune('A' + i))).AddressID
		}
		for i, err := range kit.AtOnce(crowd, func(i int) error {
			address, err := c.two.Copies.Get(t.Context(), string(rune('A'+i)), ids[i])
			assert.Equal(t, ids[i], address.AddressID)
			return err
		}) {
			require.NoError(t, err, i)
		}
	})
}
