package pay

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/changes"
	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/web/api"
	"onrush/web/problem"
)

// Operations has the operators' operations on payments and refunds.
type Operations struct {
	db     *sqldb.DB
	payer  *order.Payer
	now    func() time.Time
	number func() order.Number
}

// NewOperations returns Operations.
func NewOperations(d Deps) *Operations {
	return &Operations{db: d.DB, payer: d.Payer, now: d.Clock.Now, number: d.Number}
}

// PaymentFilter selects payments; zero values select all.
type PaymentFilter struct {
	Status  Status
	Channel string
	User    string
	Order   order.Number
	Flagged *bool // whether an operator must examine them
}

// RefundFilter selects refunds; zero values select all.
type RefundFilter struct {
	Status  RefundStatus
	Channel string
	Payment order.Number
	Order   order.Number
	// WaitsFor selects pending refunds by what they wait for.
	WaitsFor WaitsFor
}

// OperatorPaymentView is a payment in the operators' API.
type OperatorPaymentView struct {
	PaymentView
	User        string `json:"user_id"`
	Transaction string `json:"transaction_id,omitempty"`
	Flag        string `json:"flag,omitempty"`
}

// RefundView is a refund in the operators' API.
type RefundView struct {
	Number      order.Number  `json:"refund_number"`
	Payment     order.Number  `json:"pay_number"`
	Channel     string        `json:"channel"`
	Transaction string        `json:"transaction_id"`
	Order       *order.Number `json:"order_number,omitempty"` // absent: the whole transaction
	Amount      int64         `json:"amount"`
	Currency    string        `json:"currency"`
	Reason      string        `json:"reason"`
	Status      RefundStatus  `json:"status"`
	Attempts    int           `json:"attempts"`
	LastError   string        `json:"last_error,omitempty"`
	NextTry     api.Millis    `json:"next_try_at,omitzero"`
	WaitsFor    WaitsFor      `json:"waits_for,omitempty"`      // a pending one that the gateway has not refused
	UnderWay    api.Millis    `json:"under_way_since,omitzero"` // the gateway has accepted it, but not yet paid back
	Created     api.Millis    `json:"created_at"`
	Done        api.Millis    `json:"done_at,omitzero"`
}

// Refund refunds a paid order: the order, its vouchers and the refund change in one transaction. It
// doesn't give units back. An order that isn't paid is a conflict.
func (o *Operations) Refund(ctx context.Context, who, from string, n order.Number) (*RefundView, error) {
	paid, err := o.paymentOf(ctx, n)
	if err != nil {
		return nil, err
	}
	var refund *Refund
	err = o.db.InTx(ctx, func(tx *sqlx.Tx) error {
		at := o.now().UnixMilli()
		p, err := lockPayment(ctx, tx, paid.Payment)
		if err != nil {
			return err
		}
		won, err := o.payer.Refund(ctx, tx, n, at, order.Event{Actor: "operator:" + who, ClientIP: from})
		if err != nil {
			return err
		}
		if !won {
			return problem.Errorf(problem.CodeConflict, "The order is not paid.")
		}
		refund = &Refund{
			Number: o.number(), Payment: p.Number, Channel: p.Channel, Transaction: p.Transaction, Order: n,
			Amount: paid.Amount, Currency: p.Currency, Reason: ReasonOperator, Status: RefundPending, NextTryMS: at,
			CreatedMS: at,
		}
		if err := insertRefund(ctx, tx, refund); err != nil {
			return err
		}
		if err := changes.Write(ctx, tx, changes.Change{
			Action: "order.refunded", On: "order:" + n.String(), After: showRefund(refund),
		}); err != nil {
			return err
		}
		return setStanding(ctx, tx, p)
	})
	switch {
	case err != nil && !problem.Is(err):
		return nil, problem.Unavailable(err, "The order can't be refunded right now.")
	case err != nil:
		return nil, err
	}
	shown := showRefund(refund)
	return &shown, nil
}

// paymentOf returns the payment whose money paid an order. It is a conflict if no money paid the order,
// or if the money is being refunded already.
func (o *Operations) paymentOf(ctx context.Context, n order.Number) (PaymentOrder, error) {
	var paid PaymentOrder
	const find = `SELECT o.pay_number, o.order_number, o.amount FROM payments p
		JOIN payment_orders o ON o.pay_number = p.pay_number
		WHERE o.order_number = ? AND p.status IN ('paid', 'refunding', 'refunded') AND p.transaction_id <> ''
		AND NOT EXISTS (SELECT 1 FROM refunds r
			WHERE r.pay_number = p.pay_number AND r.transaction_id = p.transaction_id
			AND r.order_number = o.order_number)`
	err := o.db.Write.GetContext(ctx, &paid, find, n)
	if !errors.Is(err, sql.ErrNoRows) {
		if err != nil {
			err = problem.Unavailable(err, "The order can't be refunded right now.")
		}
		return paid, err
	}
	var orders int
	switch err := o.db.Write.GetContext(ctx, &orders, `SELECT COUNT(*) FROM orders WHERE number = ?`, n); {
	case err != nil:
		return paid, problem.Unavailable(err, "The order can't be refunded right now.")
	case orders == 0:
		return paid, problem.NotFound("order")
	}
	return paid, problem.Errorf(problem.CodeConflict, "The order is not paid.")
}

// setStanding updates the status of a payment after a refund of it has changed.
func setStanding(ctx context.Context, tx *sqlx.Tx, p *Payment) error {
	status, err := standing(ctx, tx, p, p.Transaction)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE payments SET status = ? WHERE pay_number = ?`,
		status, p.Number); err != nil {
		return fmt.Errorf("set payment %s %s: %w", p.Number, status, err)
	}
	return nil
}

// Retry sends a failed refund again, from the start of its backoff.
func (o *Operations) Retry(ctx context.Context, n order.Number) (*RefundView, error) {
	var changed int64
	err := o.db.InTx(ctx, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx,
			`UPDATE refunds SET status = 'pending', attempts = 0, next_try_ms = ?, waits_for = ''
				WHERE refund_number = ? AND status <> 'done'`, o.now().UnixMilli(), n)
		if err != nil {
			return err
		}
		if changed, err = res.RowsAffected(); err != nil || changed == 0 {
			return err
		}
		return changes.Write(ctx, tx, changes.Change{Action: "refund.retried", On: "refund:" + n.String()})
	})
	if err != nil {
		return nil, problem.Unavailable(err, "The refund can't be retried right now.")
	}
	var r Refund
	err = o.db.Write.GetContext(ctx, &r, `SELECT `+refundColumns+` FROM refunds WHERE refund_number = ?`, n)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, problem.NotFound("refund")
	case err != nil:
		return nil, problem.Unavailable(err, "The refund can't be read right now.")
	case changed == 0:
		return nil, problem.Errorf(problem.CodeConflict, "The refund is done.")
	}
	shown := showRefund(&r)
	return &shown, nil
}

func showRefund(r *Refund) RefundView {
	shown := RefundView{
		Number: r.Number, Payment: r.Payment, Channel: r.Channel, Transaction: r.Transaction, Amount: r.Amount,
		Currency: r.Currency, Reason: r.Reason, Status: r.Status, Attempts: r.Attempts, LastError: r.LastError,
		Created: api.Millis(r.CreatedMS), Done: api.Millis(r.DoneMS),
	}
	if r.Order != 0 {
		shown.Order = &r.Order
	}
	if r.Status == RefundPending {
		shown.WaitsFor = r.WaitsFor
		shown.NextTry, shown.UnderWay = api.Millis(r.NextTryMS), api.Millis(r.UnderWayMS)
	}
	return shown
}

func (f PaymentFilter) conditions() (w sqldb.Where) {
	w.AndIf(f.Status != "", "status = ?", f.Status)
	w.AndIf(f.Channel != "", "channel = ?", f.Channel)
	w.AndIf(f.User != "", "user_id = ?", f.User)
	w.AndIf(f.Order != 0, "pay_number IN (SELECT pay_number FROM payment_orders WHERE order_number = ?)", f.Order)
	if f.Flagged != nil {
		w.And(map[bool]string{true: "flag <> ''", false: "flag = ''"}[*f.Flagged])
	}
	return w
}

func (f RefundFilter) conditions() (w sqldb.Where) {
	w.AndIf(f.Status != "", "status = ?", f.Status)
	w.AndIf(f.Channel != "", "channel = ?", f.Channel)
	w.AndIf(f.WaitsFor != "", "status = 'pending' AND waits_for = ?", f.WaitsFor)
	w.AndIf(f.Payment != 0, "pay_number = ?", f.Payment)
	w.AndIf(f.Order != 0, "order_number = ?", f.Order)
	return w
}

// Payments lists payments, newest first.
func (o *Operations) Payments(
	ctx context.Context, f PaymentFilter, page api.Page,
) (api.List[OperatorPaymentView], error) {
	w := f.conditions()
	list := api.List[OperatorPaymentView]{Page: page.Page, PageSize: page.Size}
	err := o.db.InView(ctx, func(tx *sqlx.Tx) error {
		var total int64
		if err := tx.GetContext(ctx, &total, `SELECT COUNT(*) FROM payments`+w.String(), w.Args()...); err != nil {
			return fmt.Errorf("count payments: %w", err)
		}
		list.Total = &total
		var payments []Payment
		query := `SELECT ` + paymentColumns + ` FROM payments` + w.String() +
			` ORDER BY pay_number DESC LIMIT ? OFFSET ?`
		if err := tx.SelectContext(ctx, &payments, query, w.Args(page.Size, page.Offset())...); err != nil {
			return fmt.Errorf("select payments: %w", err)
		}
		for i := range payments {
			p := &payments[i]
			if err := fillOrders(ctx, tx, p); err != nil {
				return err
			}
			list.Items = append(list.Items,
				OperatorPaymentView{PaymentView: *show(p), User: p.User, Transaction: p.Transaction, Flag: p.Flag})
		}
		return nil
	})
	if err != nil {
		return list, problem.Unavailable(err, "The payments can't be read right now.")
	}
	return list, nil
}

// Refunds lists refunds, newest first.
func (o *Operations) Refunds(ctx context.Context, f RefundFilter, page api.Page) (api.List[RefundView], error) {
	w := f.conditions()
	list := api.List[RefundView]{Page: page.Page, PageSize: page.Size}
	err := o.db.InView(ctx, func(tx *sqlx.Tx) error {
		var total int64
		if err := tx.GetContext(ctx, &total, `SELECT COUNT(*) FROM refunds`+w.String(), w.Args()...); err != nil {
			return fmt.Errorf("count refunds: %w", err)
		}
		list.Total = &total
		var refunds []Refund
		query := `SELECT ` + refundColumns + ` FROM refunds` + w.String() +
			` ORDER BY refund_number DESC LIMIT ? OFFSET ?`
		if err := tx.SelectContext(ctx, &refunds, query, w.Args(page.Size, page.Offset())...); err != nil {
			return fmt.Errorf("select refunds: %w", err)
		}
		for i := range refunds {
			list.Items = append(list.Items, showRefund(&refunds[i]))
		}
		return nil
	})
	if err != nil {
		return list, problem.Unavailable(err, "The refunds can't be read right now.")
	}
	return list, nil
}
