package attribution

import (
	"cmp"
	"container/heap"
	"slices"
)

// Sums add up orders.
type Sums struct {
	Orders  int64    `json:"orders"`  // in all states
	Amounts []Amount `json:"amounts"` // by currency; empty while none is paid
}

// Amount is what was paid in a currency, in minor units.
type Amount struct {
	Currency   string `json:"currency"`
	PaidOrders int64  `json:"paid_orders"`
	Paid       int64  `json:"paid_amount"`
	Refunded   int64  `json:"refunded_amount"` // of Paid, by refunds that are done or under way
	Net        int64  `json:"net_amount"`      // Paid − Refunded
}

// group is what SQL added up: orders of a currency.
type group struct {
	Orders, PaidOrders, Paid, Refunded int64
	Currency                           string
}

func (s *Sums) add(g group) {
	s.Orders += g.Orders
	if g.PaidOrders != 0 {
		s.addAmount(Amount{g.Currency, g.PaidOrders, g.Paid, g.Refunded, g.Paid - g.Refunded}, 1)
	}
}

// addAmount adds an amount, as often as times says, and removes a currency that has no paid orders any more.
func (s *Sums) addAmount(a Amount, times int64) {
	i, found := slices.BinarySearchFunc(s.Amounts, a.Currency, func(has Amount, currency string) int {
		return cmp.Compare(has.Currency, currency)
	})
	if !found {
		s.Amounts = slices.Insert(s.Amounts, i, Amount{Currency: a.Currency})
	}
	has := &s.Amounts[i]
	has.PaidOrders += times * a.PaidOrders
	has.Paid += times * a.Paid
	has.Refunded += times * a.Refunded
	has.Net += times * a.Net
	if has.PaidOrders == 0 {
		s.Amounts = slices.Delete(s.Amounts, i, i+1)
	}
}

// less returns the sums without the sums of some values.
func (s *Sums) less(values []Value) Sums {
	rest := Sums{s.Orders, append([]Amount{}, s.Amounts...)}
	for i := range values {
		rest.Orders -= values[i].Orders
		for _, a := range values[i].Amounts {
			rest.addAmount(a, -1)
		}
	}
	return rest
}

// Value is what came of the orders that name one value.
type Value struct {
	Value string `json:"value"`
	Sums
	rank int64 // by which it is sorted
}

// compareValues sorts the largest rank first.
func compareValues(a, b Value) int {
	return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.Value, b.Value))
}

// largest keeps the values that come first; as a heap, the last of them is at its top.
type largest []Value

func (l largest) Len() int           { return len(l) }
func (l largest) Less(i, j int) bool { return compareValues(l[i], l[j]) > 0 }
func (l largest) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *largest) Push(v any)        { *l = append(*l, v.(Value)) } //nolint:forcetypeassert // add pushes values
func (l *largest) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// add adds a value to at most most values.
func (l *largest) add(v Value, most int) {
	switch {
	case len(*l) < most:
		heap.Push(l, v)
	case compareValues(v, (*l)[0]) < 0:
		(*l)[0] = v
		heap.Fix(l, 0)
	}
}
