package complete

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// FillVouchers reads the voucher codes of the paid orders among orders, and how many of their units wait for a code;
// void codes are omitted.
func FillVouchers(ctx context.Context, q sqlx.QueryerContext, orders []*order.Order) error {
	type line struct {
		Number order.Number `db:"order_number"`
		Line   int          `db:"line"`
	}
	items := map[line]*order.Item{}
	var numbers []order.Number
	for _, o := range orders {
		for i := range o.Items {
			if it := &o.Items[i]; it.Kind == catalogue.Voucher && o.Status == order.Paid {
				items[line{o.Number, it.Line}] = it
				if len(numbers) == 0 || numbers[len(numbers)-1] != o.Number {
					numbers = append(numbers, o.Number)
				}
			}
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	var rows []struct {
		line
		Unit int64  `db:"unit"`
		Code string `db:"code"` // "" of a unit that waits
	}
	in, args := sqldb.In(len(numbers)), sqldb.Args(numbers)
	query := `SELECT order_number, line, unit, code FROM vouchers
		WHERE status = 'active' AND order_number IN (` + in + `)
		UNION ALL SELECT order_number, line, unit, '' FROM voucher_waits WHERE order_number IN (` + in + `)
		ORDER BY order_number, line, unit`
	if err := sqlx.SelectContext(ctx, q, &rows, query, append(args, args...)...); err != nil {
		return fmt.Errorf("select vouchers of %d orders: %w", len(numbers), err)
	}
	for _, r := range rows {
		switch it := items[r.line]; {
		case it == nil:
		case r.Code == "":
			it.VouchersWaiting++
		default:
			it.VoucherCodes = append(it.VoucherCodes, r.Code)
		}
	}
	return nil
}
