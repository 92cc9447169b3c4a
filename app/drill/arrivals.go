package drill

import "slices"

// byArrival returns the visitors in the order in which they come.
func byArrival(visitors []Visitor, sales []*sale) []Visitor {
	all := slices.Clone(visitors)
	slices.SortStableFunc(all, func(a, b Visitor) int {
		return sales[a.Sale].StartsAt.Add(a.At).Compare(sales[b.Sale].StartsAt.Add(b.At))
	})
	return all
}
