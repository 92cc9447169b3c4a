package ordinary

import (
	"cmp"
	"fmt"
	"slices"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
)

// basket has the items of a request that one shop sells.
type basket struct {
	shop   string
	kind   catalogue.Kind
	skus   []catalogue.SKU
	pieces []int64
	fields []string // the paths of the items in the request, for errors
}

// fillBaskets puts the items whose skus are given into the baskets of their shops, which are ordered by shop id.
func fillBaskets(items []Item, skus map[string]catalogue.SKU) []*basket {
	byShop := map[string]*basket{}
	var baskets []*basket
	for i, it := range items {
		sku, ok := skus[it.SKU]
		if !ok {
			continue
		}
		b := byShop[sku.Shop]
		if b == nil {
			b = &basket{shop: sku.Shop, kind: sku.Kind}
			byShop[sku.Shop] = b
			baskets = append(baskets, b)
		}
		b.skus = append(b.skus, sku)
		b.pieces = append(b.pieces, it.Quantity)
		b.fields = append(b.fields, fmt.Sprintf("items[%d]", i))
		b.kind = wider(b.kind, sku.Kind)
	}
	slices.SortFunc(baskets, func(a, b *basket) int { return cmp.Compare(a.shop, b.shop) })
	return baskets
}

// wider returns the kind of an order with items of both kinds: physical goods need delivery, vouchers
// need a code.
func wider(a, b catalogue.Kind) catalogue.Kind {
	for _, kind := range []catalogue.Kind{catalogue.Physical, catalogue.Voucher} {
		if a == kind || b == kind {
			return kind
		}
	}
	return catalogue.Virtual
}

// itemError is the error of one item of a basket.
type itemError struct {
	at  int // the item
	err *problem.Error
}

func (e *itemError) Error() string { return e.err.Error() }
func (e *itemError) Unwrap() error { return e.err }

// drop removes an item.
func (b *basket) drop(at int) {
	b.skus, b.pieces = slices.Delete(b.skus, at, at+1), slices.Delete(b.pieces, at, at+1)
	b.fields = slices.Delete(b.fields, at, at+1)
	for i, sku := range b.skus {
		if i == 0 {
			b.kind = sku.Kind
		}
		b.kind = wider(b.kind, sku.Kind)
	}
}
