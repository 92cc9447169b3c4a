package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Hold is the effect of a payment's disputes on the vouchers of its orders.
type Hold string

// The values of Hold. A voucher that was redeemed stays so.
const (
	Released Hold = "released" // they can be redeemed
	Held     Hold = "held"     // they can't be redeemed while a dispute is open
	Lost     Hold = "lost"     // they are void: the buyer has the money, unless the dispute is won after all
)

// HoldVouchers holds, voids or releases the vouchers of orders, which must be ascending. The log of an order shows it
// if a voucher changed.
func (p *Payer) HoldVouchers(
	ctx context.Context, tx *sqlx.Tx, orders []Number, hold Hold, atMS int64, e LogLine,
) error {
	update := `UPDATE vouchers SET status = 'disputed' WHERE order_number = ? AND status IN ('active', 'lost')`
	switch hold {
	case Held:
	case Released:
		update = `UPDATE vouchers SET status = 'active' WHERE order_number = ? AND status IN ('disputed', 'lost')`
	case Lost:
		update = `UPDATE vouchers SET status = 'lost' WHERE order_number = ? AND status IN ('active', 'disputed')`
	}
	for _, n := range orders {
		if err := LockRow(ctx, tx, n); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx, update, n)
		if err != nil {
			return fmt.Errorf("vouchers of order %s: %s: %w", n, hold, err)
		}
		changed, err := res.RowsAffected()
		if err != nil {
			return fmt.Errorf("vouchers of order %s: %s: %w", n, hold, err)
		}
		waits, err := holdWaits(ctx, tx, n, hold)
		if err != nil {
			return err
		}
		if changed+waits == 0 {
			continue
		}
		e.Order, e.AtMS, e.Action = n, atMS, "vouchers_"+string(hold)
		if err := AddLogLine(ctx, tx, e); err != nil {
			return err
		}
	}
	return nil
}

// holdWaits keeps the units of an order that wait for a code from getting one while its payment is disputed or lost.
func holdWaits(ctx context.Context, tx *sqlx.Tx, n Number, hold Hold) (changed int64, err error) {
	held := 1
	if hold == Released {
		held = 0
	}
	const update = `UPDATE voucher_waits SET held = ? WHERE order_number = ? AND held <> ?`
	res, err := tx.ExecContext(ctx, update, held, n, held)
	if err != nil {
		return 0, fmt.Errorf("waiting vouchers of order %s: %s: %w", n, hold, err)
	}
	return res.RowsAffected()
}

// voidFor voids the vouchers of the units that a refund takes from an order: all of them if the order is completely
// refunded, else the vouchers that the refund names, or as many of each line as it takes units. The error is
// voucher_redeemed if it would have to void a redeemed voucher, or if the refund is of an amount without units while a
// voucher of the order is redeemed. It is voucher_not_named if the money that is kept would not pay for the vouchers
// that can still be redeemed. A forced part has neither error. The caller must hold a lock on the order's row, which
// redeeming takes too.
func voidFor(ctx context.Context, tx *sqlx.Tx, o *Order, r *Returned, part Part) error {
	codes, err := codesOf(ctx, tx, o.Number)
	if err != nil {
		return err
	}
	if (r.Whole || len(r.Items) == 0) && codes.someRedeemed() && !part.Force {
		return errRedeemed()
	}
	if r.Whole {
		const update = `UPDATE vouchers SET status = 'void' WHERE order_number = ?
			AND status IN ('active', 'disputed', 'lost')`
		if _, err := tx.ExecContext(ctx, update, o.Number); err != nil {
			return fmt.Errorf("void vouchers of order %s: %w", o.Number, err)
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM voucher_waits WHERE order_number = ?`, o.Number); err != nil {
			return fmt.Errorf("end the wait of order %s: %w", o.Number, err)
		}
		return nil
	}
	for _, u := range r.Items {
		units, err := codes.take(u, part.Force)
		if err != nil {
			return err
		}
		if err := voidUnits(ctx, tx, o.Number, u.Line, units); err != nil {
			return err
		}
	}
	kept := o.TotalAmount - o.RefundedAmount - r.Amount
	if r.Amount > 0 && codes.worth(o) > kept && !part.Force {
		return problem.Errorf(CodeVoucherNotNamed, "Vouchers of the order would stay redeemable without their money. "+
			"Name the units or the codes that are refunded, or force the refund.")
	}
	return nil
}

// voucherCode is a voucher of an order.
type voucherCode struct {
	Line   int           `db:"line"`
	Unit   int64         `db:"unit"`
	Code   string        `db:"code"`
	Status VoucherStatus `db:"status"`
}

// redeemable reports whether the voucher can be redeemed, or can again after a dispute, or once it has a code.
func (c *voucherCode) redeemable() bool {
	return c.Status == voucherWaiting || c.Status == VoucherActive || c.Status == VoucherDisputed ||
		c.Status == VoucherLost
}

// voucherCodes are the vouchers of an order, also those that wait for a code, the last units of each line first.
type voucherCodes []*voucherCode

func codesOf(ctx context.Context, tx *sqlx.Tx, n Number) (codes voucherCodes, err error) {
	const query = `SELECT line, unit, code, status FROM vouchers WHERE order_number = ?
		UNION ALL SELECT line, unit, '', 'waiting' FROM voucher_waits WHERE order_number = ? ORDER BY line, unit DESC`
	if err := tx.SelectContext(ctx, &codes, query, n, n); err != nil {
		return nil, fmt.Errorf("select vouchers of order %s: %w", n, err)
	}
	return codes, nil
}

func (c voucherCodes) someRedeemed() bool {
	return slices.ContainsFunc(c, func(code *voucherCode) bool { return code.Status == VoucherRedeemed })
}

// worth returns the price of the vouchers that can be redeemed.
func (c voucherCodes) worth(o *Order) (amount int64) {
	for _, code := range c {
		if code.redeemable() {
			amount += priceOf(o, []Units{{Line: code.Line, Quantity: 1}})
		}
	}
	return amount
}

// take marks the vouchers that u names, or as many of its line, as void and returns their units. With force it skips
// redeemed vouchers.
func (c voucherCodes) take(u Units, force bool) (units []int64, err error) {
	candidates := slices.DeleteFunc(slices.Clone(c), func(code *voucherCode) bool {
		named := code.Code != "" && slices.Contains(u.Vouchers, code.Code)
		return code.Line != u.Line || len(u.Vouchers) > 0 && !named
	})
	redeemed, void := false, 0
	for _, code := range candidates {
		switch {
		case int64(len(units)) == u.Quantity:
		case code.redeemable():
			code.Status = VoucherVoid
			units = append(units, code.Unit)
		case code.Status == VoucherRedeemed:
			redeemed = true
		default:
			void++
		}
	}
	switch {
	case len(u.Vouchers) > 0 && (void > 0 || len(candidates) != len(u.Vouchers)):
		return nil, problem.Invalid("items", "name a voucher twice, or one that is void or not of the order")
	case redeemed && int64(len(units)) < u.Quantity && !force:
		return nil, errRedeemed()
	}
	return units, nil // older versions issued fewer codes than units: what lacks a code needs none to be void
}

func errRedeemed() error {
	return problem.Errorf(CodeVoucherRedeemed, "A voucher of what would be refunded was redeemed.")
}

// voidUnits voids the codes of units of a line, and ends the wait of those that have none.
func voidUnits(ctx context.Context, tx *sqlx.Tx, n Number, line int, units []int64) error {
	if len(units) == 0 {
		return nil
	}
	where := ` WHERE order_number = ? AND line = ? AND unit IN (` + sqldb.In(len(units)) + `)`
	args := append([]any{n, line}, sqldb.Args(units)...)
	if _, err := tx.ExecContext(ctx, `UPDATE vouchers SET status = 'void'`+where, args...); err != nil {
		return fmt.Errorf("void vouchers of order %s: %w", n, err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM voucher_waits`+where, args...); err != nil {
		return fmt.Errorf("end the wait of order %s: %w", n, err)
	}
	return nil
}
