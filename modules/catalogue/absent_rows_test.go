package catalogue_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/test/kit"
)

// crowd is how many callers come at once.
const crowd = 48

// refused counts the calls of a crowd that failed, over several rounds.
func refused(t *testing.T, rounds int, call func(round, i int) error) (n int) {
	t.Helper()
	for round := range rounds {
		for _, err := range kit.AtOnce(crowd, func(i int) error { return call(round, i) }) {
			if err != nil {
				n++
				t.Logf("%.200v", err)
			}
		}
	}
	return n
}

func TestConcurrentInsertsOfNewRowsSucceed(t *testing.T) {
	t.Parallel()
	const rounds = 5
	kit.EachIsolation(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		addresses := catalogue.NewAddresses(stores.DB, kit.IDs(1), time.Now, slog.New(slog.DiscardHandler))
		goods := catalogue.NewCatalogue(stores.DB, time.Now)
		home := catalogue.Address{Receiver: "Ada", Phone: "1", Region: "r", Detail: "1 Main Street"}
		assert.Zero(t, refused(t, rounds, func(round, i int) error {
			_, err := addresses.Create(ctx, fmt.Sprintf("u%d-%d", round, i), home)
			return err
		}), "addresses")
		assert.Zero(t, refused(t, rounds, func(round, i int) error {
			_, err := goods.PutSKU(ctx, catalogue.SKU{ID: fmt.Sprintf("s%d-%d",
				round, i), Title: "Thing", Shop: "shop", Kind: catalogue.Virtual, Price: 1, Currency: "CNY"})
			return err
		}), "skus")
		assert.Zero(t, refused(t, rounds, func(round, i int) error {
			_, err := goods.PutPoint(ctx, catalogue.Point{ID: fmt.Sprintf("p%d-%d", round, i), Name: "Point"})
			return err
		}), "points")
		assert.Zero(t, refused(t, rounds, func(round, _ int) error {
			_, err := goods.PutPoint(ctx, catalogue.Point{ID: fmt.Sprintf("same%d", round), Name: "Point"})
			return err
		}), "one point")
	})
}

func TestFirstAddressesOfOneUserAtOnceHaveOneDefault(t *testing.T) {
	t.Parallel()
	kit.EachIsolation(t, func(t *testing.T, stores *kit.Stores) {
		addresses := catalogue.NewAddresses(stores.DB, kit.IDs(1), time.Now, slog.New(slog.DiscardHandler))
		home := catalogue.Address{Receiver: "Ada", Phone: "1", Region: "r", Detail: "1 Main Street"}
		for round := range 5 {
			user := fmt.Sprintf("user%d", round)
			for _, err := range kit.AtOnce(32, func(int) error {
				_, err := addresses.Create(t.Context(), user, home)
				return err
			}) {
				require.NoError(t, err)
			}
			list, err := addresses.List(t.Context(), user, api.Page{Page: 1, Size: 50})
			require.NoError(t, err)
			defaults := 0
			for _, a := range list.Items {
				if a.IsDefault {
					defaults++
				}
			}
			assert.Len(t, list.Items, 32)
			assert.Equal(t, 1, defaults)
		}
	})
}
