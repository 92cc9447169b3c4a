package order

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"
)

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
		items := o.Items
		if b := o.Bundle; b != nil { // buyers know it by its title
			items = []Item{{Title: b.Title, Quantity: b.Quantity}}
		}
		for _, it := range items {
			name := it.Title
			if it.Quantity > 1 {
				name = fmt.Sprintf("%s × %d", it.Title, it.Quantity)
			}
			names = append(names, name)
		}
	}
	return strings.Join(names[:min(len(names), 20)], ", ") // no gateway takes a longer text
}
