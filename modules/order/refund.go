package order

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/order/sources"
	"onrush/modules/order/versions"
	"onrush/modules/problem"
)

// Part is the part of a paid order that is refunded. Without Amount and Items it is the rest of the order.
type Part struct {
	Refund Number // of the refund, for the event
	// Amount is in minor units. If it is nil and there are Items, it is the sum of their prices. If it is 0, the Items
	// are taken without money, which was paid back in another way.
	Amount *int64
	Items  []Units
	// Force refunds units even if their vouchers were redeemed, and an amount even if it names no vouchers; these
	// vouchers don't change.
	Force bool
}

// Units are units of one sku of an order.
type Units struct {
	Line     int    `json:"-" db:"line"`
	SKU      string `json:"sku_id" db:"sku_id" validate:"required,id"`
	Quantity int64  `json:"quantity" db:"quantity" validate:"required,min=1,max=1000000000"`
	// Vouchers are the codes of the units, if the refund names them: as many as Quantity.
	Vouchers []string `json:"voucher_codes,omitempty" db:"-" validate:"max=100,dive,required,max=32,visible"`
}

// Returned says what a refund took from an order.
type Returned struct {
	Amount int64
	Whole  bool    // the order is completely refunded now
	Items  []Units // with their lines; empty if the refund named none
}

// Refund takes a part of a paid order for a refund, which the caller records in the same transaction. It adds the
// amount and the units to the refunded amount and units of the order's rows by compare-and-set, so that all refunds
// together never exceed the order. When the whole amount is taken, the order becomes refunded and all its vouchers
// void; before that, the vouchers of the part's units become void, and the money that is kept must pay for the other
// vouchers. Units stay sold until Restock. The caller must hold a lock on the payment's row. Errors: not_found,
// conflict for an order that is not paid, refund_too_large, voucher_redeemed, voucher_not_named, invalid_request for a
// sku or a voucher that the order lacks.
func (p *Payer) Refund(
	ctx context.Context, tx *sqlx.Tx, n Number, part Part, atMS int64, e LogLine,
) (*Returned, error) {
	o, err := LockOrder(ctx, tx, n)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, problem.NotFound("order")
	case err != nil:
		return nil, err
	case o.Status == Refunded:
		return nil, problem.Errorf(problem.CodeConflict, "The order is refunded already.")
	case o.Status != Paid:
		return nil, problem.Errorf(problem.CodeConflict, "The order is not paid.")
	}
	r := &Returned{}
	if r.Items, err = takeUnits(ctx, tx, o, part.Items); err != nil {
		return nil, err
	}
	left := o.TotalAmount - o.RefundedAmount
	switch {
	case part.Amount != nil:
		r.Amount = *part.Amount
	case len(part.Items) > 0:
		r.Amount = priceOf(o, r.Items)
	default:
		r.Amount = left
	}
	if err := takeAmount(ctx, tx, o, r.Amount); err != nil {
		return nil, err
	}
	if r.Whole, err = wholeBack(ctx, tx, o, r, left); err != nil {
		return nil, err
	}
	if err := voidFor(ctx, tx, o, r, part); err != nil {
		return nil, err
	}
	for i := range r.Items {
		r.Items[i].Vouchers = nil // they are void now; the refund keeps its units only
	}
	e.Order, e.AtMS, e.Action = n, atMS, LoggedPartlyRefunded
	if r.Whole {
		e.Action = string(Refunded)
		if err := p.closeRefunded(ctx, tx, o, atMS); err != nil {
			return nil, err
		}
	}
	if err := AddLogLine(ctx, tx, e); err != nil {
		return nil, err
	}
	if err := p.changed.writeRefunded(ctx, tx, atMS, o, r, part.Refund); err != nil {
		return nil, err
	}
	if r.Whole {
		if err := countChange(ctx, tx, []*Order{o}, Paid, Refunded); err != nil {
			return nil, err
		}
	}
	return r, versions.Raise(ctx, tx, o.User)
}

// LoggedPartlyRefunded is the action in the log of an order of which a part was refunded.
const LoggedPartlyRefunded = "partly_refunded"

// LockOrder locks an order's row until the transaction ends and reads it; if there is none, the error wraps
// sql.ErrNoRows.
func LockOrder(ctx context.Context, tx *sqlx.Tx, n Number) (*Order, error) {
	if err := LockRow(ctx, tx, n); err != nil {
		return nil, err
	}
	return Select(ctx, tx, n)
}

// takeAmount adds an amount to the refunded amount of an order that LockOrder read.
func takeAmount(ctx context.Context, tx *sqlx.Tx, o *Order, amount int64) error {
	const update = `UPDATE orders SET refunded_amount = refunded_amount + ?
		WHERE number = ? AND status = 'paid' AND refunded_amount <= total_amount - ?`
	res, err := tx.ExecContext(ctx, update, amount, o.Number, amount)
	if err != nil {
		return fmt.Errorf("add to the refunds of order %s: %w", o.Number, err)
	}
	changed, err := res.RowsAffected()
	switch {
	case err != nil:
		return fmt.Errorf("add to the refunds of order %s: %w", o.Number, err)
	case changed != 1:
		return problem.Errorf(CodeRefundTooLarge, "Of the order, %s is left to refund, not %s.",
			api.Money(o.TotalAmount-o.RefundedAmount, o.Currency), api.Money(amount, o.Currency))
	}
	row := o.Source()
	row.Refunded += amount
	return sources.Update(ctx, tx, row)
}

// takeUnits adds units to the refunded units of an order's items, in the order of their lines, and returns
// them with their lines.
func takeUnits(ctx context.Context, tx *sqlx.Tx, o *Order, units []Units) ([]Units, error) {
	wanted := make(map[string]Units, len(units))
	for i, u := range units {
		if wanted[u.SKU].Quantity > 0 {
			return nil, problem.Invalid(fmt.Sprintf("items[%d].sku_id", i), "must not be given twice")
		}
		if n := len(u.Vouchers); n > 0 && int64(n) != u.Quantity {
			return nil, problem.Invalid(fmt.Sprintf("items[%d].voucher_codes", i), "must have a code for each unit")
		}
		wanted[u.SKU] = u
	}
	if len(units) > 0 {
		if err := keepItems(ctx, tx, o); err != nil {
			return nil, err
		}
	}
	var taken []Units
	for _, it := range o.Items { // by line; an order has one of each sku
		u := wanted[it.SKU]
		quantity := u.Quantity
		if quantity == 0 {
			continue
		}
		delete(wanted, it.SKU)
		const update = `UPDATE order_items SET refunded_quantity = refunded_quantity + ?
			WHERE order_number = ? AND line = ? AND refunded_quantity <= quantity - ?`
		res, err := tx.ExecContext(ctx, update, quantity, o.Number, it.Line, quantity)
		if err != nil {
			return nil, fmt.Errorf("add to the refunded units of order %s: %w", o.Number, err)
		}
		changed, err := res.RowsAffected()
		switch {
		case err != nil:
			return nil, fmt.Errorf("add to the refunded units of order %s: %w", o.Number, err)
		case changed != 1:
			return nil, problem.Errorf(CodeRefundTooLarge, "Sku %s has fewer than %d left to refund.",
				it.SKU, quantity)
		}
		u.Line = it.Line
		taken = append(taken, u)
	}
	for i, u := range units {
		if wanted[u.SKU].Quantity > 0 {
			return nil, problem.Invalid(fmt.Sprintf("items[%d].sku_id", i), "is not in the order")
		}
	}
	return taken, nil
}

// keepItems inserts the items of an order of a sale, whose row is locked, unless an earlier refund did.
func keepItems(ctx context.Context, tx *sqlx.Tx, o *Order) error {
	if o.Type != Seckill {
		return nil
	}
	var known int
	const query = `SELECT COUNT(*) FROM order_items WHERE order_number = ?`
	if err := tx.GetContext(ctx, &known, query, o.Number); err != nil {
		return fmt.Errorf("count the items of order %s: %w", o.Number, err)
	}
	if known > 0 {
		return nil
	}
	return insertItems(ctx, tx, o)
}

// priceOf returns what units of an order cost.
func priceOf(o *Order, units []Units) (amount int64) {
	for _, u := range units {
		for _, it := range o.Items {
			if it.Line == u.Line {
				amount += it.Price * u.Quantity
			}
		}
	}
	return amount
}

// wholeBack reports whether r completes the refund of an order. left is the amount of the order that was not refunded
// before r. A free order, which has no amount, is complete when all its units are refunded.
func wholeBack(ctx context.Context, tx *sqlx.Tx, o *Order, r *Returned, left int64) (bool, error) {
	if o.TotalAmount > 0 || len(r.Items) == 0 {
		return r.Amount == left, nil
	}
	var units int64
	const query = `SELECT COALESCE(SUM(quantity - refunded_quantity), 0) FROM order_items WHERE order_number = ?
		AND line > 0`
	if err := tx.GetContext(ctx, &units, query, o.Number); err != nil {
		return false, fmt.Errorf("count the units left of order %s: %w", o.Number, err)
	}
	return units == 0, nil
}

// closeRefunded moves a completely refunded order from paid to refunded.
func (p *Payer) closeRefunded(ctx context.Context, tx *sqlx.Tx, o *Order, atMS int64) error {
	won, err := setStatus(ctx, tx, o.Number, Paid, Refunded, atMS, "")
	if err != nil {
		return err
	}
	if !won {
		return fmt.Errorf("order %s is no longer paid, although its row is locked", o.Number)
	}
	return nil // it is counted after its event, since others wait for the counts
}
