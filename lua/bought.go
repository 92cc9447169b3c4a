package lua

import (
	"iter"
	"strings"

	"onrush/modules/ids"
)

// CountedAll counts all units that a user bought in an activity, under the limit of the activity.
const CountedAll = "a"

// CountedSKU counts the units of one sku that a user bought, under the limit of that sku.
func CountedSKU(sku string) string { return "s:" + sku }

// CountedReserved counts, by stock point, the units of a sku in orders of buyers for whom units are reserved.
func CountedReserved(sku string) string { return "r:" + sku }

// IsReserved reports whether a counted is one of CountedReserved.
func IsReserved(counted string) bool { return strings.HasPrefix(counted, "r:") }

// Count is what a field of the bought hash counts: Counted, and Name, whose units or at which stock point, as of
// BoughtField.
type Count struct{ Counted, Name string }

// Counts returns where a hold counts, and how much: under its limits, and at its stock point if units are reserved for
// its buyer.
func (h Held) Counts() iter.Seq2[Count, int64] {
	return func(yield func(Count, int64) bool) {
		for counted, n := range Counts(h.SKU, h.Quantity) {
			if !yield(Count{counted, h.Buyer()}, n) {
				return
			}
		}
		if !h.Reserved {
			return
		}
		for sku, n := range Takes(h.SKU, h.Quantity) {
			if !yield(Count{CountedReserved(sku), h.Point}, n) {
				return
			}
		}
	}
}

// Counted returns in which field of the bought hash a hold counts for a counted, and how much; 0 if it doesn't.
func (h Held) Counted(counted string) (field string, units int64) {
	for c, n := range h.Counts() {
		if c.Counted == counted {
			return BoughtField(c.Counted, c.Name), n
		}
	}
	return "", 0
}

// BoughtField returns the field of the bought hash for a buyer, who is a user or a limit key, or with CountedReserved
// for a stock point; counted is CountedAll or a value of CountedSKU or CountedReserved.
func BoughtField(counted, user string) string {
	if counted == CountedAll {
		return counted + ":" + user
	}
	return ids.Join(counted, user)
}

// ParseBoughtField returns the counted and the user that a field of the bought hash was made from by BoughtField.
// ok is false if the field can't be read.
func ParseBoughtField(field string) (counted, user string, ok bool) {
	counted, user, ok = strings.Cut(field, ":")
	if ok && (counted == "s" || counted == "r") {
		var parts []string
		if parts, ok = ids.Split(user, 2); ok {
			counted, user = counted+":"+parts[0], parts[1]
		}
	}
	return counted, user, ok && user != ""
}
