package ordinary

import (
	"cmp"
	"fmt"
	"slices"

	"onrush/modules/catalogue"
	"onrush/modules/order"
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

// order returns the order of a basket. A fault of one of its items is an itemError.
func (b *basket) order(dest catalogue.Destination) (*order.Order, error) {
	o := &order.Order{Status: order.Unpaid, Content: order.Content{
		Type: order.Ordinary, Kind: b.kind, Shop: b.shop, Point: dest.Point, Currency: b.skus[0].Currency,
		Address: dest.Address, Delivery: dest.Delivery, PickupPoint: dest.PickupPoint,
	}}
	var rules []catalogue.FreightRule // of the items that are sent
	vouchers := int64(0)
	for i, sku := range b.skus {
		if sku.Currency != o.Currency {
			return nil, &itemError{i, problem.Invalid(b.fields[i]+".sku_id",
				"is in %s, but other items of shop %s are in %s", sku.Currency, b.shop, o.Currency)}
		}
		amount, err := catalogue.Amount(sku.Price, b.pieces[i])
		if err == nil {
			o.GoodsAmount, err = catalogue.Total(o.GoodsAmount, amount)
		}
		if err != nil {
			return nil, &itemError{i, catalogue.ErrAmount(b.fields[i] + ".quantity")}
		}
		o.Items = append(o.Items, order.Item{
			Line: i + 1, SKU: sku.ID, Kind: sku.Kind, Title: sku.Title, ImageURL: sku.ImageURL, Quantity: b.pieces[i],
			Price: sku.Price, Point: dest.Point,
		})
		switch sku.Kind {
		case catalogue.Physical:
			rules = append(rules, sku.Freight)
		case catalogue.Voucher:
			if vouchers += b.pieces[i]; vouchers > order.MaxVouchers {
				return nil, &itemError{i, problem.Invalid(b.fields[i]+".quantity", "an order has at most %d vouchers",
					order.MaxVouchers)}
			}
		case catalogue.Virtual:
		}
	}
	o.FreightAmount = catalogue.Freight(o.GoodsAmount, rules, dest)
	var err error
	if o.TotalAmount, err = catalogue.Total(o.GoodsAmount, o.FreightAmount); err != nil {
		return nil, &itemError{0, catalogue.ErrAmount(b.fields[0] + ".quantity")}
	}
	return o, nil
}
