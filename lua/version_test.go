package lua

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// priced places an order that was priced at a version, by a caller that knows a load.
func priced(t *testing.T, all stores, version, epoch int64, name string) PlaceResult {
	t.Helper()
	return placeCall(t, all, &PlaceCall{
		Lane: lane, Activity: activity, Version: version, Epoch: epoch, Orders: []PlaceOrder{buy(name, "ann", 1)},
	})[0]
}

func TestAnOrderIsPlacedOnlyAtTheVersionByWhichItWasPriced(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all, "version", "3")
	assert.Equal(t, PlaceResult{Code: Outdated, Version: 3}, priced(t, all, 2, 0, "1"))
	assert.Equal(t, PlaceResult{Code: Behind}, priced(t, all, 4, 0, "1"))
	assert.Equal(t, Placed, priced(t, all, 3, 0, "1").Code)
	assert.Equal(t, Replayed, priced(t, all, 2, 0, "1").Code, "a known task is answered")
	closed, err := same(t, all, func(s *Scripts) (bool, error) {
		return s.SetState(t.Context(), lane, activity, StateClosed)
	})
	require.NoError(t, err)
	require.True(t, closed)
	assert.Equal(t, Closed, priced(t, all, 2, 0, "2").Code, "the newer version says so")
	assert.Equal(t, Behind, priced(t, all, 4, 0, "2").Code)
}

func TestARedisOfAnOlderLoadPlacesNothing(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	assert.Equal(t, NotLoaded, priced(t, all, 0, 8, "1").Code)
	assert.Equal(t, NotLoaded, priced(t, all, 0, 10, "1").Code, "epochs are numbers, not texts")
	assert.Equal(t, Placed, priced(t, all, 0, 7, "1").Code)
	assert.Equal(t, Placed, priced(t, all, 0, 6, "2").Code, "it was loaded after the caller read the activity")
}

func TestACopyOfAnActivityIsNotReplacedByAnOlderOne(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	keep := func(version int64, data string) {
		_, err := same(t, all, func(s *Scripts) (bool, error) {
			return true, s.KeepSale(t.Context(), activity, version, 1000, []byte(data))
		})
		require.NoError(t, err)
	}
	keep(0, `{"version":1,"activity":"as older programs wrote it"}`)
	keep(2, `{"version":1,"revision":2,"activity":"new"}`)
	keep(1, `{"version":1,"revision":1,"activity":"old"}`)
	copies, err := all[0].Sales(t.Context(), []string{activity})
	require.NoError(t, err)
	assert.JSONEq(t, `{"version":1,"revision":2,"activity":"new"}`, string(copies[activity]))
	keep(2, `{"version":1,"revision":2,"activity":"loaded again"}`)
	copies, err = all[0].Sales(t.Context(), []string{activity})
	require.NoError(t, err)
	assert.Contains(t, string(copies[activity]), "loaded again")
}
