package catalogue

import "math/bits"

// Portion is units of goods that are sold together with others at one price. Price is the price of a unit alone, at
// least 0, and Units is at least 1.
type Portion struct{ Price, Units int64 }

// Shares splits a price among portions and returns the price of one unit of each: in proportion to the prices alone, or
// the same for each unit if all are free. The portion with the fewest units (Lowest) gets what rounding leaves. So the
// price must be a multiple of its units, and the other shares are rounded down so far that the rest is such a multiple
// too.
func Shares(price int64, portions []Portion) []int64 {
	var sum uint64
	weights := make([]uint64, len(portions))
	for i, p := range portions {
		weights[i] = uint64(p.Price) //nolint:gosec // a price is at least 0
		sum += weights[i] * uint64(p.Units)
	}
	if sum == 0 {
		for i, p := range portions {
			weights[i] = 1
			sum += uint64(p.Units) //nolint:gosec // units are at least 1
		}
	}
	last := Lowest(portions)
	low, left := portions[last].Units, price
	shares := make([]int64, len(portions))
	for i, p := range portions {
		if i == last {
			continue
		}
		high, product := bits.Mul64(uint64(price), weights[i]) //nolint:gosec // as above
		share, _ := bits.Div64(high, product, sum)             // at most the price: sum is at least weights[i]
		step := low / gcd(low, p.Units)
		shares[i] = int64(share) / step * step //nolint:gosec // as the line before says
		left -= shares[i] * p.Units
	}
	shares[last] = left / low
	return shares
}

// Lowest returns the index of the first portion with the fewest units.
func Lowest(portions []Portion) (at int) {
	for i, p := range portions {
		if p.Units < portions[at].Units {
			at = i
		}
	}
	return at
}

// gcd returns the greatest common divisor of two numbers above 0.
func gcd(a, b int64) int64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
