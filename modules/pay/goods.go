package pay

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
)

// maxGoods bounds the items that Goods names: no gateway takes a longer text.
const maxGoods = 20

// goodsOf names the goods of a payment's orders, in their order.
func goodsOf(ctx context.Context, q sqlx.QueryerContext, p *Payment) (string, error) {
	orders, err := order.SelectAll(ctx, q, p.numbers())
	if err != nil {
		return "", fmt.Errorf("select the goods of payment %s: %w", p.Number, err)
	}
	slices.Reverse(orders)
	return order.GoodsText(orders, maxGoods), nil
}
