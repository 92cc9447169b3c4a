package pay

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/modules/sqldb"
)

// RefundRequest is the body of POST /orders/{order_number}/refund: the part of a paid order to refund. Without
// Amount and Items it is the rest of the order. An Amount of 0 takes Items without money.
type RefundRequest struct {
	Amount *int64        `json:"amount" validate:"omitempty,min=0,max=9007199254740991"`
	Reason string        `json:"reason" validate:"max=200,line"`
	Items  []order.Units `json:"items" validate:"max=100,dive"`
	Force  bool          `json:"force"`
}

// digest returns the digest by which requests with the same key are compared.
func (r RefundRequest) digest(n order.Number) string {
	parts := []string{n.String(), r.Reason, strconv.FormatBool(r.Force), ""}
	if r.Amount != nil {
		parts[3] = strconv.FormatInt(*r.Amount, 10)
	}
	for _, u := range r.Items {
		parts = append(parts, u.SKU, strconv.FormatInt(u.Quantity, 10))
		parts = append(parts, u.Vouchers...)
	}
	return sign.Digest(12, parts...)
}

// Operator is who operates, and the IP address of the client.
type Operator struct{ Name, ClientIP string }

// actor returns the name in logs.
func (o Operator) actor() string { return "operator:" + o.Name }

// maxRefunds bounds the refunds of one transaction: WeChat Pay makes at most 50 (its document on applying for a
// refund). One of them is kept for each order of the payment, for the rest of the order.
const maxRefunds = 50

// Refund refunds a paid order or a part of it: the order, its vouchers, the payment and the refund change in
// one transaction, and Refunder sends the refund. Units return to the stock only by a restock. The same key and body
// return the same refund. Errors: as of order.Payer.Refund, and idempotency_key_reused.
func (o *Operations) Refund(
	ctx context.Context, by Operator, key string, n order.Number, req RefundRequest,
) (*RefundView, error) {
	refund, err := o.refundOnce(ctx, by, newRefundKey(by, req.digest(n), "order", key), n, req)
	if err != nil && !problem.Is(err) {
		err = problem.Unavailable(err, "The order can't be refunded right now; send it again with the same "+
			"Idempotency-Key.")
	}
	if err != nil {
		return nil, err
	}
	return ShowRefund(refund), nil
}

func (o *Operations) refundOnce(
	ctx context.Context, by Operator, key refundKey, n order.Number, req RefundRequest,
) (*Refund, error) {
	if req.Amount != nil && *req.Amount == 0 && len(req.Items) == 0 {
		return nil, problem.Invalid("amount", "must be above 0, unless items are refunded")
	}
	if had, err := o.replayRefund(ctx, key); had != nil || err != nil {
		return had, err
	}
	paid, err := o.paymentOf(ctx, n)
	if err != nil {
		return nil, err
	}
	var refund *Refund
	err = o.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		refund, err = o.refundIn(ctx, tx, by, key, paid, req)
		return err
	})
	if errors.Is(err, errReplayed) || sqldb.IsDuplicate(err) { // the same key at the same time
		if had, replayErr := o.replayRefund(ctx, key); had != nil || replayErr != nil {
			return had, replayErr
		}
	}
	if err != nil {
		return nil, err
	}
	return refund, o.faults.After("refund_commit")
}

// refundIn refunds a part of an order. It locks, in this order, as a notification does: payment, order.
func (o *Operations) refundIn(
	ctx context.Context, tx *sqlx.Tx, by Operator, key refundKey, paid PaymentOrder, req RefundRequest,
) (*Refund, error) {
	p, err := LockPayment(ctx, tx, paid.Payment)
	if err != nil {
		return nil, err
	}
	switch had, err := selectKey(ctx, tx, key); {
	case err != nil:
		return nil, err
	case had != nil:
		return nil, errReplayed
	}
	at := o.now().UnixMilli()
	number := o.number()
	part := order.Part{Refund: number, Amount: req.Amount, Items: req.Items, Force: req.Force}
	back, err := o.payer.Refund(ctx, tx, paid.Order, part, at, order.LogLine{Actor: by.actor(), ClientIP: by.ClientIP})
	if err != nil {
		return nil, err
	}
	if coarse, ok := o.gateways[p.Channel].(CoarseGateway); ok {
		if err := coarse.CheckRefund(p.Currency, back.Amount); err != nil {
			return nil, err
		}
	}
	if err := checkLeft(ctx, tx, p, back.Amount); err != nil {
		return nil, err
	}
	next, err := NextPart(ctx, tx, p, paid.Order, back.Whole)
	if err != nil {
		return nil, err
	}
	refund := &Refund{
		Number: number, Payment: p.Number, Channel: p.Channel, Transaction: p.Transaction, Order: paid.Order,
		Amount: back.Amount, Currency: p.Currency, Reason: ReasonOperator, Status: RefundPending, NextTryMS: at,
		CreatedMS: at, Part: next, Who: by.actor(), Note: req.Reason, Items: back.Items,
	}
	if err := InsertRefund(ctx, tx, p.User, refund); err != nil {
		return nil, err
	}
	if err := InsertItems(ctx, tx, refund); err != nil {
		return nil, err
	}
	key.Refund = refund.Number
	if err := insertKey(ctx, tx, key, at); err != nil {
		return nil, err
	}
	if err := oplog.Record(ctx, tx, oplog.Entry{
		Action: "order.refunded", On: "order:" + paid.Order.String(), After: ShowRefund(refund),
	}); err != nil {
		return nil, err
	}
	return refund, setStanding(ctx, tx, p)
}

// InsertItems inserts the units that a refund names.
func InsertItems(ctx context.Context, tx *sqlx.Tx, r *Refund) error {
	if len(r.Items) == 0 {
		return nil
	}
	args := make([]any, 0, 4*len(r.Items))
	for _, u := range r.Items {
		args = append(args, r.Number, u.Line, u.SKU, u.Quantity)
	}
	insert := `INSERT INTO refund_items (refund_number, line, sku_id, quantity) VALUES ` +
		sqldb.Repeat("(?,?,?,?)", len(r.Items))
	if _, err := tx.ExecContext(ctx, insert, args...); err != nil {
		return fmt.Errorf("insert items of refund %s: %w", r.Number, err)
	}
	return nil
}

// checkLeft refuses a refund of more than the payment's money that has neither gone back nor is disputed. The orders
// count the refunds of their own; one that was made at the gateway may be of no order.
func checkLeft(ctx context.Context, tx *sqlx.Tx, p *Payment, amount int64) error {
	if amount == 0 {
		return nil
	}
	back, err := goneBack(ctx, tx, p.Channel, p.Transaction)
	if err != nil {
		return err
	}
	disputed, err := disputedAmount(ctx, tx, p)
	if err != nil {
		return err
	}
	if disputed > 0 && amount > p.Amount-back-disputed {
		return problem.Errorf(CodeDisputed,
			"The buyer's bank disputes the payment: a refund would pay the buyer twice.")
	}
	if left := p.Amount - back; amount > left {
		return problem.Errorf(order.CodeRefundTooLarge, "Of the payment, %s is left to refund, not %s: the gateway "+
			"reported other refunds.", api.Money(max(left, 0), p.Currency), api.Money(amount, p.Currency))
	}
	return nil
}

// goneBack returns the amount of a transaction that went back or is going back.
func goneBack(ctx context.Context, tx *sqlx.Tx, channel, transaction string) (amount int64, err error) {
	const query = `SELECT COALESCE(SUM(amount), 0) FROM refunds WHERE channel = ? AND transaction_id = ?
		AND (outside_id = '' OR status = 'done')`
	if err := tx.GetContext(ctx, &amount, query, channel, transaction); err != nil {
		return 0, fmt.Errorf("add up refunds of transaction: %w", err)
	}
	return amount, nil
}

// NextPart returns which refund of an order the next one is. If that isn't the last one, the payment must have
// refunds left for all of its orders.
func NextPart(ctx context.Context, tx *sqlx.Tx, p *Payment, n order.Number, last bool) (int, error) {
	next, all, err := countParts(ctx, tx, p.Channel, p.Transaction, n)
	if err != nil {
		return 0, err
	}
	if !last && all+len(p.Orders) >= maxRefunds {
		return 0, problem.Errorf(problem.CodeConflict,
			"The payment has had %d refunds; now an order of it can only be refunded completely.", all)
	}
	return next, nil
}

// countParts returns which refund of an order of a transaction the next one is, and how many refunds the transaction
// has.
func countParts(
	ctx context.Context, tx *sqlx.Tx, channel, transaction string, n order.Number,
) (next, all int, err error) {
	var had struct {
		Next int `db:"next_part"`
		All  int `db:"refunds"`
	}
	const query = `SELECT COALESCE(MAX(CASE WHEN order_number = ? THEN part + 1 ELSE 0 END), 0) AS next_part,
		COUNT(*) AS refunds FROM refunds WHERE channel = ? AND transaction_id = ?`
	if err := tx.GetContext(ctx, &had, query, n, channel, transaction); err != nil {
		return 0, 0, fmt.Errorf("count refunds of a transaction: %w", err)
	}
	return had.Next, had.All, nil
}

// paymentOf returns the payment whose money paid an order. It is never a payment whose money for the order went back
// automatically, since the order was cancelled or paid otherwise. It is a conflict if no money paid the order.
func (o *Operations) paymentOf(ctx context.Context, n order.Number) (PaymentOrder, error) {
	paid, err := PaymentThatPaid(ctx, o.db.Write, n)
	if !errors.Is(err, sql.ErrNoRows) {
		return paid, err
	}
	stored, err := order.SelectStored(ctx, o.db.Write, []order.Number{n})
	if err != nil {
		return paid, err
	}
	if len(stored) == 0 {
		return paid, problem.NotFound("order")
	}
	if stored[n].Status == order.Paid {
		return paid, problem.Errorf(problem.CodeConflict, "The order was marked as paid, without a payment to refund. "+
			"Pay back where its money came in, and mark it as refunded.")
	}
	return paid, problem.Errorf(problem.CodeConflict, "The order is not paid.")
}

// PaymentThatPaid returns the payment whose money paid an order; if there is none, the error is sql.ErrNoRows.
func PaymentThatPaid(ctx context.Context, q sqlx.QueryerContext, n order.Number) (paid PaymentOrder, err error) {
	const find = `SELECT o.pay_number, o.order_number, o.amount FROM payments p
		JOIN payment_orders o ON o.pay_number = p.pay_number
		WHERE o.order_number = ? AND p.status IN ('paid', 'refunding', 'refunded') AND p.transaction_id <> ''
		AND NOT EXISTS (SELECT 1 FROM refunds r
			WHERE r.channel = p.channel AND r.transaction_id = p.transaction_id
			AND r.order_number = o.order_number AND r.reason NOT IN ('operator', 'refunded_outside'))`
	err = sqlx.GetContext(ctx, q, &paid, find, n)
	return paid, err
}
