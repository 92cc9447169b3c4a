package pay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
)

// maxGoods bounds the items that Goods names: no gateway takes a longer text.
const maxGoods = 20

// goodsOf names the goods of a payment's orders, in their order, such as "Kettle × 2, Cup".
func goodsOf(ctx context.Context, q sqlx.QueryerContext, p *Payment) (string, error) {
	orders, err := order.SelectAll(ctx, q, p.numbers())
	if err != nil {
		return "", fmt.Errorf("select the goods of payment %s: %w", p.Number, err)
	}
	var names []string
	for _, o := range slices.Backward(orders) {
		for _, it := range o.Items {
			name := it.Title
			if it.Quantity > 1 {
				name = fmt.Sprintf("%s × %d", it.Title, it.Quantity)
			}
			names = append(names, name)
		}
	}
	return strings.Join(names[:min(len(names), maxGoods)], ", "), nil
}
