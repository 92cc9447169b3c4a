package order

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
)

// maxGoods bounds the items that a text names: no gateway takes a longer one.
const maxGoods = 20

// GoodsOf names the goods of orders for people, such as "Kettle × 2, Cup", in the order of the numbers.
func GoodsOf(ctx context.Context, q sqlx.QueryerContext, numbers []Number) (string, error) {
	orders, err := SelectAll(ctx, q, numbers)
	if err != nil {
		return "", fmt.Errorf("select the goods of orders: %w", err)
	}
	slices.Reverse(orders)
	return goodsText(orders), nil
}

func goodsText(orders []*Order) string {
	var names []string
	for _, o := range orders {
		for _, it := range o.Items {
			name := it.Title
			if it.Quantity > 1 {
				name = fmt.Sprintf("%s × %d", it.Title, it.Quantity)
			}
			names = append(names, name)
		}
	}
	return strings.Join(names[:min(len(names), maxGoods)], ", ")
}
