package lua

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAUserHasABoundedNumberOfCachedOrders(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Stock(lane, activity), "sku1", 1<<40, "sku1~0", 1<<40).Err()
	})
	const most = MaxCached - 1
	orders := make([]PlaceOrder, most)
	for i := range orders {
		orders[i] = buy(strconv.Itoa(10_000+i), "ann", 1)
	}
	for _, part := range [][]PlaceOrder{orders[:MaxPlaceOrders], orders[MaxPlaceOrders:]} {
		for _, result := range place(t, all, part...) {
			require.Equal(t, Placed, result.Code)
		}
	}

	last, above, again, other := buy("1", "ann", 1), buy("2", "ann", 1), orders[0], buy("3", "bob", 1)
	refused := PlaceResult{Code: TooManyCached}
	want := []PlaceResult{
		placedAs(last), refused, {Code: Replayed, Number: again.Number, State: TaskSubmitted}, placedAs(other),
	}
	assert.Equal(t, want, place(t, all, last, above, again, other))
	assert.Equal(t, []PlaceResult{refused}, place(t, all, above), "also in a batch of its own")

	all.each(t, func(s *Scripts) error { // as if it had moved to SQL
		return s.Redis.HDel(t.Context(), s.Keys.Orders(lane, "ann"), OrderField(again.Number)).Err()
	})
	assert.Equal(t, []PlaceResult{placedAs(above)}, place(t, all, above))
}
