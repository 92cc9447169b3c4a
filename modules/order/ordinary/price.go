package ordinary

import (
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/problem"
)

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
