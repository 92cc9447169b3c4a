package lua

import (
	"iter"
	"strconv"
	"strings"

	"onrush/modules/ids"
)

// Take is units that an order takes of one sku.
type Take struct {
	SKU      string
	Quantity int64
}

// MaxTakes bounds the skus of an order, MaxParts the parts of a bundle, and MaxTakesText the text of either, with the
// marks of MarkedSKU, in bytes.
const (
	MaxTakes     = 10
	MaxParts     = 9
	MaxTakesText = 760
)

// basketUnits stands before the units in the hold of a basket, and takesMark before the text of one in stock_outbox:
// versions without baskets would take the text for the id of a sku. They can't read a hold with either. In the same
// way, reservedUnits and reservedMark stand first for a buyer for whom units are reserved.
const (
	basketUnits   = "b"
	takesMark     = ids.Separator + ids.Separator + "b" + ids.Separator
	reservedUnits = "r"
	reservedMark  = ids.Separator + ids.Separator + "r" + ids.Separator
	bundleMark    = "=" // between a bundle and how many of it
)

// MarkedSKU returns the sku of the hold as a row of stock_outbox has it. Takes and HeldOf read it too.
func (h Held) MarkedSKU() string {
	sku := h.SKU
	if IsBasket(sku) {
		sku = takesMark + sku
	}
	if h.Reserved {
		sku = reservedMark + sku
	}
	return sku
}

// JoinTakes returns the skus of an order as holds and columns have them, and all its units. An order of one sku has the
// sku itself; a basket has `<sku>*<units>,<sku>*<units>`.
func JoinTakes(takes []Take) (sku string, units int64) {
	if len(takes) == 1 {
		return takes[0].SKU, takes[0].Quantity
	}
	return takesText(takes)
}

// takesText is JoinTakes for an order of any number of skus.
func takesText(takes []Take) (sku string, units int64) {
	var text strings.Builder
	for i, t := range takes {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(t.SKU + "*" + strconv.FormatInt(t.Quantity, 10))
		units += t.Quantity
	}
	return text.String(), units
}

// JoinBundle returns the takes of the parts of a bundle as JoinTakes does, with `<bundle>=<how many>,` before them.
func JoinBundle(bundle string, n int64, parts []Take) (sku string, units int64) {
	sku, units = takesText(parts)
	return bundle + bundleMark + strconv.FormatInt(n, 10) + "," + sku, units
}

// Bundle returns the bundle that JoinBundle wrote before its parts, and how many of it; "" if sku has none.
func Bundle(sku string) (bundle string, n int64) {
	first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(sku, reservedMark), takesMark), ",")
	bundle, text, found := strings.Cut(first, bundleMark)
	if !found {
		return "", 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return "", 0
	}
	return bundle, n
}

// Counts returns under which purchase limits an order counts, CountedAll and CountedSKU, and how much: all units, how
// many bundles it is of, if it is of one, and Takes.
func Counts(sku string, units int64) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		if !yield(CountedAll, units) {
			return
		}
		if bundle, n := Bundle(sku); bundle != "" && !yield(CountedSKU(bundle), n) {
			return
		}
		for of, n := range Takes(sku, units) {
			if !yield(CountedSKU(of), n) {
				return
			}
		}
	}
}

// Counted returns how much an order counts under one of the limits.
func Counted(limit, sku string, units int64) int64 {
	for counted, n := range Counts(sku, units) {
		if counted == limit {
			return n
		}
	}
	return 0
}

// IsBasket reports whether JoinTakes made a text of several skus.
func IsBasket(sku string) bool { return strings.IndexByte(sku, '*') >= 0 }

// Takes returns each sku that JoinTakes joined, with its units: of a bundle its parts. What can't be read is left out.
func Takes(sku string, units int64) iter.Seq2[string, int64] {
	sku = strings.TrimPrefix(sku, reservedMark)
	return func(yield func(string, int64) bool) {
		if !IsBasket(sku) {
			yield(sku, units)
			return
		}
		for part := range strings.SplitSeq(strings.TrimPrefix(sku, takesMark), ",") {
			of, text, _ := strings.Cut(part, "*")
			if n, err := strconv.ParseInt(text, 10, 64); err == nil && !yield(of, n) {
				return
			}
		}
	}
}

// Has reports whether the hold has units of a sku.
func (h Held) Has(sku string) bool {
	for of := range Takes(h.SKU, h.Quantity) {
		if of == sku {
			return true
		}
	}
	return false
}

// indexed is what the script gets as the sku of an order: its index among the skus of the call; of a basket
// `<index>*<units>,<index>*<units>`, of a bundle with `<index>=<how many>,` before it.
func indexed(o *PlaceOrder, index map[string]int) any {
	if !IsBasket(o.SKU) {
		return index[o.SKU]
	}
	var takes []Take
	for sku, units := range Takes(o.SKU, o.Quantity) {
		takes = append(takes, Take{strconv.Itoa(index[sku]), units})
	}
	if bundle, n := Bundle(o.SKU); bundle != "" {
		text, _ := JoinBundle(strconv.Itoa(index[bundle]), n, takes)
		return text
	}
	text, _ := JoinTakes(takes)
	return text
}

// ofSKU splits the value of a refusal of a basket, `<sku>~<value>`.
func ofSKU(value any) (sku string, of any) {
	text, basket := value.(string)
	if !basket {
		return "", value
	}
	sku, number, _ := strings.Cut(text, ids.Separator)
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return "", value
	}
	return sku, n
}
