package order

import "cmp"

// ContendedRows returns keys for sqldb.DB.Share: the contended rows that storing or cancelling the orders
// locks, which are the stock of sales and of ordinary goods.
func ContendedRows(orders ...*Order) []string {
	var keys []string
	for _, o := range orders {
		if o.Type == Seckill {
			keys = append(keys, "sale "+o.Activity)
			continue
		}
		for _, it := range o.Items {
			keys = append(keys, "sku "+it.SKU)
		}
	}
	return keys
}

// StockKey is the key of a row of activity_stock. A transaction locks such rows in the order of Compare.
type StockKey struct{ Activity, SKU, Point string }

// StockOf returns the key of the stock that a seckill order takes from.
func StockOf(o *Order) StockKey { return StockKey{o.Activity, o.Items[0].SKU, o.Point} }

// Compare orders keys by activity, sku and point.
func (k StockKey) Compare(other StockKey) int {
	return cmp.Or(cmp.Compare(k.Activity, other.Activity), cmp.Compare(k.SKU, other.SKU),
		cmp.Compare(k.Point, other.Point))
}
