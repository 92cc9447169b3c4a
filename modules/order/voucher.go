package order

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/catalogue"
	"onrush/modules/sqldb"
)

// MaxVouchers bounds the vouchers of an order, since each has its own code, which every list of orders contains.
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
	// voucherWaiting is the status of a unit that has no code yet; voucher_waits has a row for it.
	voucherWaiting VoucherStatus = "waiting"
)

// voucherTries bounds how often the codes of an order are generated, in case one is taken.
const voucherTries = 3

// issueVouchers inserts a code for each unit of the vouchers of an order: an imported code if the sku has a pool,
// otherwise a generated one. If the pool has no code left, the unit waits, and the log of the order shows it.
func (p *Payer) issueVouchers(ctx context.Context, tx *sqlx.Tx, o *Order, atMS int64) error {
	items := slices.DeleteFunc(slices.Clone(o.Items), func(it Item) bool { return it.Kind != catalogue.Voucher })
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.SKU, b.SKU) }) // all lock pools in this order
	var generated []voucherUnit
	waiting := 0
	for _, it := range items {
		units := make([]voucherUnit, it.Quantity)
		for i := range units {
			units[i] = voucherUnit{o.Number, it.Line, int64(i) + 1}
		}
		pooled, err := hasPool(ctx, tx, it.SKU)
		switch {
		case err != nil:
			return err
		case !pooled:
			generated = append(generated, units...)
			continue
		}
		wait, err := issueFromPool(ctx, tx, it.SKU, units, atMS)
		if err != nil {
			return err
		}
		waiting += wait
	}
	if waiting > 0 {
		line := LogLine{Order: o.Number, AtMS: atMS, Actor: "system", Action: LoggedVouchersWaiting}
		if err := AddLogLine(ctx, tx, line); err != nil {
			return err
		}
	}
	return p.generateCodes(ctx, tx, o, generated)
}

// generateCodes inserts new codes for units.
func (p *Payer) generateCodes(ctx context.Context, tx *sqlx.Tx, o *Order, units []voucherUnit) error {
	for chunk := range slices.Chunk(units, MaxVouchers) {
		insert := `INSERT INTO vouchers (order_number, line, unit, code, status) VALUES ` +
			sqldb.Repeat("(?,?,?,?,'active')", len(chunk))
		var err error
		for range voucherTries {
			args := make([]any, 0, 4*len(chunk))
			for _, u := range chunk {
				args = append(args, o.Number, u.Line, u.Unit, p.code())
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

// FirstVoucher returns the first voucher code of the items, or "".
func FirstVoucher(items []Item) string {
	for _, it := range items {
		if len(it.VoucherCodes) > 0 {
			return it.VoucherCodes[0]
		}
	}
	return ""
}
