package order

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order/sqldb"
)

// fillVouchers reads the codes of the paid voucher orders among these; a void code isn't shown.
func fillVouchers(ctx context.Context, q sqlx.QueryerContext, orders []*Order) error {
	var numbers []Number
	for _, o := range orders {
		if o.Kind == Voucher && o.Status == Paid {
			numbers = append(numbers, o.Number)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	var rows []struct {
		Number Number `db:"order_number"`
		Code   string `db:"code"`
	}
	query := `SELECT order_number, code FROM vouchers WHERE status = 'active' AND order_number IN (` + sqldb.In(len(numbers)) + `)`
	if err := sqlx.SelectContext(ctx, q, &rows, query, numberArgs(numbers)...); err != nil {
		return fmt.Errorf("select vouchers of %d orders: %w", len(numbers), err)
	}
	codes := make(map[Number]string, len(rows))
	for _, r := range rows {
		codes[r.Number] = r.Code
	}
	for _, o := range orders {
		o.VoucherCode = codes[o.Number]
	}
	return nil
}
