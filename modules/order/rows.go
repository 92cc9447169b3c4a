package order

// rowsOf names the rows that storing or cancelling the orders locks and that many others want: the
// stock of a sale, or of ordinary goods. They are keys of sqldb.DB.Share.
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
