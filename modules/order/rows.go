package order

// rowsOf returns keys for sqldb.DB.Share: the contended rows that storing or cancelling the orders locks,
// which are the stock of sales and of ordinary goods.
func rowsOf(orders ...*Order) []string {
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
