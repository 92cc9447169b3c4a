package catalogue_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/test/goods"
	"onrush/test/kit"
)

var wholePage = api.Page{Page: 1, Size: api.MaxPageSize}

func defaultsOf(t *testing.T, a *catalogue.Addresses, user string) []string {
	t.Helper()
	list, err := a.List(t.Context(), user, wholePage)
	require.NoError(t, err)
	ids := []string{}
	for _, address := range list.Items {
		if address.IsDefault {
			ids = append(ids, address.AddressID)
		}
	}
	return ids
}

func TestOneAddressAtMostIsTheDefault(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := goods.New(s)
		first, second := sh.Address(t, "u", "east"), sh.Address(t, "u", "west")
		assert.True(t, first.IsDefault, "the first becomes it")
		assert.False(t, second.IsDefault)

		second.IsDefault, second.Detail = true, "Road 2"
		changed, err := sh.Addresses.Update(ctx, "u", second)
		require.NoError(t, err)
		assert.Equal(t, second, changed)
		assert.Equal(t, []string{second.AddressID}, defaultsOf(t, sh.Addresses, "u"))
		got, err := sh.Addresses.Get(ctx, "u", second.AddressID)
		require.NoError(t, err)
		assert.Equal(t, second, got)

		require.NoError(t, sh.Addresses.Delete(ctx, "u", second.AddressID))
		assert.Empty(t, defaultsOf(t, sh.Addresses, "u"))
		third := sh.Address(t, "u", "north")
		assert.Equal(t, []string{third.AddressID}, defaultsOf(t, sh.Addresses, "u"))
	})
}

func TestAddressOfAnotherUserDoesNotExist(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := goods.New(s)
		a := sh.Address(t, "u", "east")
		_, err := sh.Addresses.Get(ctx, "v", a.AddressID)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		_, err = sh.Addresses.Update(ctx, "v", a)
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(err))
		assert.Equal(t, problem.CodeNotFound, problem.CodeOf(sh.Addresses.Delete(ctx, "v", a.AddressID)))
		list, err := sh.Addresses.List(ctx, "v", wholePage)
		require.NoError(t, err)
		assert.Empty(t, list.Items)
		_, err = sh.Addresses.Get(ctx, "u", a.AddressID)
		assert.NoError(t, err, "it is still there")
	})
}

func TestUserHasAtMostFiftyAddressesAndOneDefaultWhenManyAreMadeAtOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		create := func() error {
			_, err := sh.Addresses.Create(t.Context(), "u",
				catalogue.Address{Receiver: "Li", Phone: "1", Region: "east", Detail: "Road 1"})
			return err
		}
		for range 50 - 3 {
			require.NoError(t, create())
		}
		errs := kit.AtOnce(6, func(int) error { return create() })
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else {
				assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
			}
		}
		assert.Equal(t, 3, made)
		list, err := sh.Addresses.List(t.Context(), "u", api.Page{Page: 6, Size: 9})
		require.NoError(t, err)
		assert.EqualValues(t, 50, *list.Total)
		assert.Len(t, list.Items, 5)
		assert.Len(t, defaultsOf(t, sh.Addresses, "u"), 1)
	})
}

func TestAddressThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addresses := goods.New(s).Addresses
		for field, spoil := range map[string]func(*catalogue.Address){
			"receiver": func(a *catalogue.Address) { a.Receiver = "" },
			"phone":    func(a *catalogue.Address) { a.Phone = strings.Repeat("1", 41) },
			"region":   func(a *catalogue.Address) { a.Region = "a\tb" },
			"detail":   func(a *catalogue.Address) { a.Detail = "\xff" },
		} {
			a, err := addresses.Create(t.Context(), "u",
				catalogue.Address{Receiver: "李", Phone: "1", Region: "华东", Detail: strings.Repeat("路", 300)})
			require.NoError(t, err)
			spoil(&a)
			_, err = addresses.Create(t.Context(), "u", a)
			requireField(t, err, field)
			_, err = addresses.Update(t.Context(), "u", a)
			requireField(t, err, field)
		}
	})
}

func TestManyCreatesAtTheBoundOfAddressesEndWithExactlyFifty(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	sh := goods.New(s)
	create := func() error {
		_, err := sh.Addresses.Create(t.Context(), "u",
			catalogue.Address{Receiver: "Li", Phone: "1", Region: "east", Detail: "Road 1"})
		return err
	}
	for range 50 - 3 {
		require.NoError(t, create())
	}
	errs := kit.AtOnce(48, func(int) error { return create() })
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
		} else { // a busy database may be unavailable to some
			assert.Contains(t, []problem.Code{problem.CodeConflict, problem.CodeUnavailable}, problem.CodeOf(err),
				"%v", err)
		}
	}
	for made < 3 && create() == nil {
		made++
	}
	assert.Equal(t, 3, made)
	list, err := sh.Addresses.List(t.Context(), "u", api.Page{Page: 1, Size: 100})
	require.NoError(t, err)
	assert.EqualValues(t, 50, *list.Total)
	assert.Len(t, list.Items, 50)
	assert.Len(t, defaultsOf(t, sh.Addresses, "u"), 1)
}
