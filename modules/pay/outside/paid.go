package outside

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
)

// PaidRequest is the body of POST /orders/{order_number}/paid: money that the shop took. Provider and Reference name
// the money for good. PaidAt is for the operators' log only: whether money is late is decided when it is reported.
type PaidRequest struct {
	User      string     `json:"user_id" validate:"required,user"`
	Provider  string     `json:"provider" validate:"required,max=32,id"`
	Reference string     `json:"reference" validate:"required,max=90,visible"`
	Amount    *int64     `json:"amount" validate:"required,min=0,max=9007199254740991"`
	Currency  string     `json:"currency" validate:"required,currency"`
	PaidAt    api.Millis `json:"paid_at,omitzero"`
}

// Outcome is what became of money that was reported.
type Outcome string

// The outcomes.
const (
	Paid     Outcome = "paid"     // it paid the order
	Refunded Outcome = "refunded" // it has to go back: a refund of it is under way
)

// PaidView is the answer to a report of money.
type PaidView struct {
	Outcome     Outcome           `json:"outcome"`
	Order       order.Number      `json:"order_number"`
	Transaction string            `json:"transaction_id"`
	Payment     pay.OperatorView  `json:"payment"`
	Refunds     []*pay.RefundView `json:"refunds"` // of this money, the oldest first, at most maxRefunds
	Replayed    bool              `json:"replayed,omitempty"`
}

const (
	// clockSlack is how far the clock of a shop may be ahead.
	clockSlack = 5 * time.Minute
	// maxRefunds bounds the refunds of a PaidView: as many as a transaction may have.
	maxRefunds = 50
)

// Paid processes money that a shop took for an order of a user, once: the same report has the same result. Money that
// can't pay the order, or is not its amount, becomes a refund, which the shop has to carry out. Errors: not_found for
// an order that the user doesn't have, and reference_used.
func (s *Service) Paid(ctx context.Context, n order.Number, by order.LogLine, req PaidRequest) (*PaidView, error) {
	switch {
	case req.Provider == operator:
		return nil, problem.Invalid("provider", "must not be operator: that is the provider of orders marked as paid")
	case strings.Contains(req.Provider, ":"):
		return nil, problem.Invalid("provider", "must have no colon")
	case req.PaidAt.Time().After(s.now().Add(clockSlack)):
		return nil, problem.Invalid("paid_at", "must not be in the future")
	}
	o, err := s.ensure.EnsureStored(ctx, req.User, n)
	if err != nil {
		return nil, err
	}
	transaction := req.Provider + ":" + req.Reference
	if view, err := s.settled(ctx, n, transaction, req); view != nil || err != nil {
		return view, err
	}
	number, err := s.paymentFor(ctx, o)
	if err != nil {
		return nil, problem.Unavailable(err, "The payment can't be stored right now; report it again.")
	}
	before := false
	err = s.processor.Process(ctx, Channel, pay.Notification{
		EventID: transaction, TransactionID: transaction, PayNumber: number, Amount: *req.Amount,
		Currency: req.Currency, By: by,
		Within: func(ctx context.Context, tx *sqlx.Tx, settled pay.Settled) error {
			if before = settled.Before; before {
				return nil
			}
			return oplog.Record(ctx, tx,
				oplog.Entry{Action: "order.paid_outside", On: "order:" + n.String(), After: req})
		},
	})
	if err != nil {
		return nil, unavailable(err)
	}
	view, err := s.settled(ctx, n, transaction, req)
	if err == nil && view == nil {
		err = problem.Unavailable(fmt.Errorf("transaction %s of order %s is not stored", transaction, n),
			"The payment can't be read right now; report it again.")
	}
	if err != nil {
		return nil, err
	}
	view.Replayed = before // by a report at the same time
	return view, nil
}

// unavailable makes an error that is no problem one that says that the report is to be repeated.
func unavailable(err error) error {
	if problem.Is(err) {
		return err
	}
	return problem.Unavailable(err, "The payment can't be stored right now; report it again.")
}

// settled returns what became of a transaction, or nil if nobody has reported it. If it was reported otherwise, for
// another order or with another amount, the error is reference_used.
func (s *Service) settled(
	ctx context.Context, n order.Number, transaction string, req PaidRequest,
) (*PaidView, error) {
	var had struct {
		Payment  order.Number `db:"pay_number"`
		Amount   int64        `db:"amount"`
		Currency string       `db:"currency"`
	}
	const query = `SELECT pay_number, amount, currency FROM payment_transactions
		WHERE channel = ? AND transaction_id = ?`
	err := s.db.Write.GetContext(ctx, &had, query, Channel, transaction)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	var p *pay.Payment
	if err == nil {
		p, err = pay.SelectPayment(ctx, s.db.Write, had.Payment)
	}
	switch {
	case err != nil || p == nil:
		return nil, problem.Unavailable(err, "The payment can't be read right now; report it again.")
	case len(p.Orders) != 1 || p.Orders[0].Order != n:
		return nil, problem.Errorf(CodeReferenceUsed, "The reference was reported for another order.")
	case had.Amount != *req.Amount || had.Currency != req.Currency:
		return nil, problem.Errorf(CodeReferenceUsed, "The reference was reported with %s, not %s.",
			api.Money(had.Amount, had.Currency), api.Money(*req.Amount, req.Currency))
	}
	return s.show(ctx, p, n, transaction)
}

// show returns what became of a transaction of a payment.
func (s *Service) show(ctx context.Context, p *pay.Payment, n order.Number, transaction string) (*PaidView, error) {
	var refunds []pay.Refund
	const query = `SELECT ` + pay.RefundColumns + ` FROM refunds WHERE channel = ? AND transaction_id = ?
		ORDER BY refund_number LIMIT ?`
	err := s.db.Write.SelectContext(ctx, &refunds, query, Channel, transaction, maxRefunds)
	if err == nil {
		err = pay.FillItems(ctx, s.db.Write, refunds)
	}
	if err != nil {
		return nil, problem.Unavailable(err, "The refunds can't be read right now; report the payment again.")
	}
	view := &PaidView{
		Outcome: Refunded, Order: n, Transaction: transaction, Payment: pay.ShowForOperators(p),
		Refunds: []*pay.RefundView{}, Replayed: true,
	}
	if p.Transaction == transaction {
		view.Outcome = Paid
	}
	for i := range refunds {
		view.Refunds = append(view.Refunds, pay.ShowRefund(&refunds[i]))
		if refunds[i].Reason != pay.ReasonOperator { // it went back by itself
			view.Outcome = Refunded
		}
	}
	return view, nil
}
