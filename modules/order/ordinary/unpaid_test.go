package ordinary

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/test/goods"
	"onrush/test/kit"
)

// The first round is of a user without any row, the second of one whose rows everybody wants; each sku is another, so
// that only the user is shared.
func TestAUserAtOnceHasABoundedNumberOfUnpaidOrders(t *testing.T) {
	t.Parallel()
	kit.EachIsolation(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		for i := range 48 {
			goods.PutSKUs(t, sh.Catalogue, goods.Code(fmt.Sprint("sku-", i), "shop"))
		}
		p := NewPlacer(5, Deps{
			DB: s.DB, Catalogue: sh.Catalogue, Destinations: sh.Destinations, Now: kit.NewClock(now).Now,
			Random: counting(), Log: slog.New(slog.DiscardHandler),
		})
		place := func(user string, i int) error {
			_, _, err := p.Place(t.Context(), user, fmt.Sprint("key-", i), "",
				Request{Items: items(fmt.Sprint("sku-", i), 1)})
			return err
		}
		round := func(first int) (placed []int) {
			for i, err := range kit.AtOnce(48, func(i int) error { return place("ada", i) }) {
				if err == nil {
					placed = append(placed, i)
					continue
				}
				if code := problem.CodeOf(err); code != problem.CodeUnavailable { // many waited for one row
					require.Equal(t, order.CodeTooManyUnpaid, code, "%d: %v", first+i, err)
				}
			}
			return placed
		}
		placed := round(0)
		require.Len(t, placed, 5)
		require.NoError(t, place("bob", 47), "another user")
		for range 2 {
			assert.ElementsMatch(t, placed, round(0), "a repetition is answered, whatever else is refused")
		}
		assert.Equal(t, 6, countOrders(t, s))
		for _, status := range []order.Status{order.Paid, order.Cancelled} {
			var number order.Number
			require.NoError(t, s.DB.Write.GetContext(t.Context(), &number,
				`SELECT MAX(number) FROM orders WHERE user_id = 'ada' AND status = 'unpaid'`))
			_, err := s.DB.Write.ExecContext(t.Context(), `UPDATE orders SET status = ? WHERE number = ?`, status,
				number)
			require.NoError(t, err)
			now := round(0)
			require.Len(t, now, len(placed)+1, "one more after one is %s", status)
			placed = now
		}
		assert.Equal(t, 8, countOrders(t, s))
	})
}

func TestAnyNumberOfUnpaidOrdersWithoutABound(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t)
	sh := goods.New(s)
	goods.PutSKUs(t, sh.Catalogue, goods.Code("sku", "shop"))
	p := newPlacer(s, sh, counting())
	for i := range 5 { // what the sku has
		_, _, err := p.Place(t.Context(), "ada", fmt.Sprint(i), "", Request{Items: items("sku", 1)})
		require.NoError(t, err)
	}
	var locks int
	require.NoError(t, s.DB.Read.GetContext(t.Context(), &locks,
		`SELECT COUNT(*) FROM user_locks WHERE user_id = 'ada'`))
	assert.Zero(t, locks)
}
