package catalogue

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Together the portions cost the price, whatever the prices are, and each share is within a step of its proportion.
func TestSharesAreThePriceInProportion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var portions []Portion
		var worth, units float64
		for range rapid.IntRange(2, 9).Draw(t, "portions") {
			p := Portion{
				Price: rapid.OneOf(rapid.Just[int64](0), rapid.Int64Range(0, 1e12)).Draw(t, "price alone"),
				Units: rapid.Int64Range(1, 999).Draw(t, "units"),
			}
			portions = append(portions, p)
			worth, units = worth+float64(p.Price)*float64(p.Units), units+float64(p.Units)
		}
		last := Lowest(portions)
		low := portions[last].Units
		price := rapid.Int64Range(0, 1e12/low).Draw(t, "price") * low
		var sum int64
		for i, share := range Shares(price, portions) {
			require.GreaterOrEqual(t, share, int64(0))
			require.LessOrEqual(t, share, price)
			sum += share * portions[i].Units
			ideal := float64(price) / units
			if worth > 0 {
				ideal = float64(price) / worth * float64(portions[i].Price)
			}
			if step := low / gcd(low, portions[i].Units); i != last {
				require.InDelta(t, ideal, share, float64(step)+0.01, "portion %d", i)
			}
		}
		require.Equal(t, price, sum)
	})
}

func TestPortionsOfOnePriceCostTheSame(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []int64{100, 99}, Shares(19_900, []Portion{{150, 100}, {150, 100}}))
	assert.Equal(t, []int64{166, 502}, Shares(1000, []Portion{{300, 3}, {900, 1}}))
}
