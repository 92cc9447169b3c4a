package pay

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/problem"
)

// refundedOutside completes the report of a refund. It reports false for a refund by this program, which Refunder then
// queries at once if it is under way.
func (pr *Processor) refundedOutside(ctx context.Context, channel string, n *Notification) (bool, error) {
	if n.RefundNumber == "" {
		return false, problem.Unavailable(errors.New("a report of a refund lacks its number"),
			"The refund has no number.")
	}
	if number, _, err := parseGatewayNumber(n.RefundNumber); err == nil {
		var ours int
		const query = `SELECT COUNT(*) FROM refunds WHERE refund_number = ? AND channel = ?`
		if err := pr.db.Write.GetContext(ctx, &ours, query, number, channel); err != nil {
			return false, problem.Unavailable(err, "The refund can't be read right now.")
		}
		if ours > 0 {
			return false, pr.hasten(ctx, number)
		}
	}
	reader, reads := pr.gateways[channel].(RefundReader)
	if n.Amount > 0 || !reads {
		return true, nil
	}
	var err error
	if n.Amount, err = reader.ReadRefund(ctx, n.TransactionID, n.RefundNumber); err != nil {
		return false, problem.Unavailable(err, "The refund can't be read at the gateway right now.")
	}
	return true, nil
}

// hasten makes a refund due that is under way.
func (pr *Processor) hasten(ctx context.Context, n order.Number) error {
	const update = `UPDATE refunds SET next_try_ms = ?
		WHERE refund_number = ? AND status = 'pending' AND under_way_ms > 0`
	if _, err := pr.db.Write.ExecContext(ctx, update, pr.now().UnixMilli(), n); err != nil {
		return problem.Unavailable(err, "The refund can't be stored right now.")
	}
	return nil
}

// bookOutside books a refund that was made at the gateway, once: as refunds that are done, of the payment's order, or
// of all of its orders if it leaves nothing of them. If it could belong to several orders, it is booked
// without an order, and a person must decide. The payment is flagged.
func (pr *Processor) bookOutside(ctx context.Context, tx *sqlx.Tx, p *Payment, n Notification, at time.Time) error {
	amount, booked, err := amountOutside(ctx, tx, p.Channel, n)
	if err != nil || booked {
		return err
	}
	parts, err := partsOutside(ctx, tx, p, n, amount)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := pr.bookPart(ctx, tx, p, n, part, at.UnixMilli()); err != nil {
			return err
		}
	}
	if n.TransactionID == p.Transaction {
		if err := AddRefunded(ctx, tx, p, amount); err != nil {
			return err
		}
	}
	if p.Flag != "" {
		return nil // the flag that it has says more
	}
	return FlagPayment(ctx, tx, p.Number, ReasonOutside, at.UnixMilli())
}

// amountOutside returns the amount of a refund, and whether it is booked. The amount is 0 if its money has not come,
// or if the gateway doesn't say it.
func amountOutside(
	ctx context.Context, tx *sqlx.Tx, channel string, n Notification,
) (amount int64, booked bool, err error) {
	var known struct {
		Came   int `db:"came"`
		Booked int `db:"booked"`
	}
	const query = `SELECT COUNT(*) AS came, (SELECT COUNT(*) FROM refunds r WHERE r.channel = ? AND r.transaction_id = ?
		AND r.outside_id = ?) AS booked FROM payment_transactions WHERE channel = ? AND transaction_id = ?`
	if err := tx.GetContext(ctx, &known, query, channel, n.TransactionID, n.RefundNumber, channel,
		n.TransactionID); err != nil {
		return 0, false, fmt.Errorf("select refunds at the gateway: %w", err)
	}
	switch {
	case known.Booked > 0:
		return 0, true, nil
	case known.Came == 0:
		return 0, false, nil
	case n.Amount > 0:
		return n.Amount, false, nil
	}
	back, err := goneBack(ctx, tx, channel, n.TransactionID)
	return max(n.RefundedTotal-back, 0), false, err
}

// outsidePart is the part of a refund at the gateway that an order gets.
type outsidePart struct {
	order  order.Number // 0 for one that may be of several
	taken  int64        // from the order
	amount int64        // of the refund; less than taken if refunds of no order come to the rest
}

// partsOutside divides a refund among the orders that its transaction paid.
func partsOutside(
	ctx context.Context, tx *sqlx.Tx, p *Payment, n Notification, amount int64,
) (parts []outsidePart, err error) {
	if amount == 0 {
		return nil, nil
	}
	var left []outsidePart
	if n.TransactionID == p.Transaction {
		if left, err = leftOfOrders(ctx, tx, p); err != nil {
			return nil, err
		}
	}
	back, err := goneBack(ctx, tx, p.Channel, n.TransactionID)
	if err != nil {
		return nil, err
	}
	if whole := back+amount >= p.Amount; whole || len(left) == 1 {
		for _, part := range left {
			part.amount = min(part.taken, amount)
			if !whole {
				part.taken = part.amount
			}
			amount -= part.amount
			parts = append(parts, part)
		}
	}
	if amount > 0 {
		parts = append(parts, outsidePart{amount: amount})
	}
	return parts, nil
}

// paidOrders returns the orders that a payment paid, ascending. It leaves out orders whose part of the money went back
// automatically, since they were cancelled or paid otherwise.
func paidOrders(ctx context.Context, tx *sqlx.Tx, p *Payment) (paid []order.Number, err error) {
	const query = `SELECT o.order_number FROM payment_orders o WHERE o.pay_number = ? AND NOT EXISTS (
			SELECT 1 FROM refunds r WHERE r.channel = ? AND r.transaction_id = ? AND r.order_number = o.order_number
			AND r.reason NOT IN ('operator', 'refunded_outside')) ORDER BY o.order_number`
	if err := tx.SelectContext(ctx, &paid, query, p.Number, p.Channel, p.Transaction); err != nil {
		return nil, fmt.Errorf("select the orders that payment %s paid: %w", p.Number, err)
	}
	return paid, nil
}

// leftOfOrders locks the orders that a payment paid, and returns the amount of each that is not refunded.
func leftOfOrders(ctx context.Context, tx *sqlx.Tx, p *Payment) (left []outsidePart, err error) {
	paid, err := paidOrders(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	for _, n := range paid {
		if err := order.LockRow(ctx, tx, n); err != nil {
			return nil, err
		}
		o, err := order.Select(ctx, tx, n)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return nil, err
		case o.Status == order.Paid && o.TotalAmount > o.RefundedAmount:
			left = append(left, outsidePart{order: n, taken: o.TotalAmount - o.RefundedAmount})
		}
	}
	return left, nil
}

// bookPart takes a part of a refund at the gateway from its order, and inserts it as a refund that is done. Vouchers
// that were redeemed stay redeemed: the money is gone.
func (pr *Processor) bookPart(
	ctx context.Context, tx *sqlx.Tx, p *Payment, n Notification, part outsidePart, atMS int64,
) error {
	var number order.Number
	if part.amount > 0 {
		number = pr.number()
	}
	if part.taken > 0 {
		of := order.Part{Refund: number, Amount: &part.taken, Force: true}
		by := order.LogLine{Actor: "gateway:" + p.Channel}
		if _, err := pr.payer.Refund(ctx, tx, part.order, of, atMS, by); err != nil {
			return err
		}
	}
	if part.amount == 0 {
		return nil
	}
	next, _, err := countParts(ctx, tx, p.Channel, n.TransactionID, part.order)
	if err != nil {
		return err
	}
	refund := &Refund{
		Number: number, Payment: p.Number, Channel: p.Channel, Transaction: n.TransactionID, Order: part.order,
		Amount: part.amount, Currency: n.Currency, Reason: ReasonOutside, Status: RefundDone, CreatedMS: atMS,
		DoneMS: atMS, Part: next, Outside: n.RefundNumber,
	}
	return InsertRefund(ctx, tx, p.User, refund)
}
