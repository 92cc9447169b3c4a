package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/catalogue"
	"onrush/modules/sqldb"
)

// MaxVouchers bounds the vouchers of an order, since each has its own code, which every list of orders
// contains.
const MaxVouchers = 100

// VoucherStatus is the state of a voucher.
type VoucherStatus string

// The states of a voucher.
const (
	VoucherActive   VoucherStatus = "active"
	VoucherRedeemed VoucherStatus = "redeemed"
	VoucherVoid     VoucherStatus = "void"     // its unit was refunded
	VoucherDisputed VoucherStatus = "disputed" // while the buyer's bank disputes the payment
	VoucherLost     VoucherStatus = "lost"     // the buyer's bank took the money back
)

// voucherTries bounds how often the codes of an order are generated, in case one is taken.
const voucherTries = 3

// issueVouchers inserts a code for each unit of the vouchers of an order.
func (p *Payer) issueVouchers(ctx context.Context, tx *sqlx.Tx, o *Order) error {
	type unit struct {
		line int
		unit int64
	}
	var units []unit
	for _, it := range o.Items {
		for n := int64(1); it.Kind == catalogue.Voucher && n <= it.Quantity; n++ {
			units = append(units, unit{it.Line, n})
		}
	}
	for chunk := range slices.Chunk(units, MaxVouchers) {
		insert := `INSERT INTO vouchers (order_number, line, unit, code, status) VALUES ` +
			sqldb.Repeat("(?,?,?,?,'active')", len(chunk))
		var err error
		for range voucherTries {
			args := make([]any, 0, 4*len(chunk))
			for _, u := range chunk {
				args = append(args, o.Number, u.line, u.unit, p.code())
			}
			// On every store a duplicate key undoes only this statement, not the transaction.
			if _, err = tx.ExecContext(ctx, insert, args...); !sqldb.IsDuplicate(err) {
				break
			}
		}
		if err != nil {
			return fmt.Errorf("insert %d vouchers of order %s: %w", len(chunk), o.Number, err)
		}
	}
	return nil
}

// FillVouchers reads the voucher codes of the paid orders among orders; void codes are omitted.
func FillVouchers(ctx context.Context, q sqlx.QueryerContext, orders []*Order) error {
	type line struct {
		Number Number `db:"order_number"`
		Line   int    `db:"line"`
	}
	items := map[line]*Item{}
	var numbers []Number
	for _, o := range orders {
		for i := range o.Items {
			if it := &o.Items[i]; it.Kind == catalogue.Voucher && o.Status == Paid {
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
		Code string `db:"code"`
	}
	query := `SELECT order_number, line, code FROM vouchers
		WHERE status = 'active' AND order_number IN (` + sqldb.In(len(numbers)) + `) ORDER BY order_number, line, unit`
	if err := sqlx.SelectContext(ctx, q, &rows, query, sqldb.Args(numbers)...); err != nil {
		return fmt.Errorf("select vouchers of %d orders: %w", len(numbers), err)
	}
	for _, r := range rows {
		if it := items[r.line]; it != nil {
			it.VoucherCodes = append(it.VoucherCodes, r.Code)
		}
	}
	return nil
}

// FirstVoucher returns the first voucher code of the items, or "".
func FirstVoucher(items []Item) string {
	for _, it := range items {
		if len(it.VoucherCodes) > 0 {
			return it.VoucherCodes[0]
		}
	}
	return ""
}
