package pay

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// maxGoods bounds the items that Goods names: no gateway takes a longer text.
const maxGoods = 20

// goodsOf names the goods of a payment's orders, in their order, such as "Kettle × 2, Cup".
func goodsOf(ctx context.Context, q sqlx.QueryerContext, p *Payment) (string, error) {
	var items []struct {
		Title    string `db:"title"`
		Quantity int64  `db:"quantity"`
	}
	query := `SELECT title, quantity FROM order_items WHERE order_number IN (` + sqldb.In(len(p.Orders)) + `)
		ORDER BY order_number, line LIMIT ?`
	if err := sqlx.SelectContext(ctx, q, &items, query, append(sqldb.Args(p.numbers()), maxGoods)...); err != nil {
		return "", fmt.Errorf("select the goods of payment %s: %w", p.Number, err)
	}
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = it.Title
		if it.Quantity > 1 {
			names[i] = fmt.Sprintf("%s × %d", it.Title, it.Quantity)
		}
	}
	return strings.Join(names, ", "), nil
}
