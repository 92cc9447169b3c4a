package pay

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/order"
	"onrush/modules/problem"
)

// PaymentView is a payment in the buyers' API.
type PaymentView struct {
	Number   order.Number   `json:"pay_number"`
	Amount   int64          `json:"amount"`
	Currency string         `json:"currency"`
	Status   Status         `json:"status"`
	Channel  string         `json:"channel"`
	Next     *Next          `json:"next,omitempty"` // while it can be paid
	Refunded int64          `json:"refunded_amount"`
	Orders   []order.Number `json:"order_numbers"`
	Created  api.Millis     `json:"created_at"`
	Paid     api.Millis     `json:"paid_at,omitzero"`
	Replayed bool           `json:"replayed,omitempty"`
}

// Get returns a user's payment.
func (s *Service) Get(ctx context.Context, user string, n order.Number) (*PaymentView, error) {
	p, err := SelectPayment(ctx, s.db.Read, n)
	switch {
	case err != nil:
		return nil, problem.Unavailable(err, "The payment can't be read right now.")
	case p == nil || p.User != user:
		return nil, problem.NotFound("payment")
	}
	return s.show(ctx, p)
}

// show returns the view of a payment, with how to pay it while it is payable.
func (s *Service) show(ctx context.Context, p *Payment) (*PaymentView, error) {
	if p.Status != Pending || p.NextJSON == "" {
		return Show(p), nil
	}
	payable, err := s.payable(ctx, s.db.Read, p)
	if err != nil || !payable {
		return Show(p), err
	}
	return ShowNext(p)
}

// ShowNext returns the view of a payment with how to pay it.
func ShowNext(p *Payment) (*PaymentView, error) {
	shown := Show(p)
	shown.Next = &Next{}
	if err := json.Unmarshal([]byte(p.NextJSON), shown.Next); err != nil {
		return nil, fmt.Errorf("read next of payment %s: %w", p.Number, err)
	}
	return shown, nil
}

// payable reports whether money for a payment would pay an order: its time is not over, and one of its
// orders is unpaid.
func (s *Service) payable(ctx context.Context, q sqlx.QueryerContext, p *Payment) (bool, error) {
	if p.ExpiresMS <= s.now().UnixMilli() {
		return false, nil
	}
	unpaid, err := order.CountUnpaid(ctx, q, p.numbers())
	if err != nil {
		return false, problem.Unavailable(err, "The orders can't be read right now.")
	}
	return unpaid > 0, nil
}

// Show returns the view of a payment without how to pay it.
func Show(p *Payment) *PaymentView {
	return &PaymentView{
		Number: p.Number, Amount: p.Amount, Currency: p.Currency, Status: p.Status, Channel: p.Channel,
		Refunded: p.Refunded, Orders: p.numbers(), Created: api.Millis(p.CreatedMS), Paid: api.Millis(p.PaidMS),
		Replayed: p.Replayed,
	}
}

// OperatorView is a payment in the operators' API.
type OperatorView struct {
	PaymentView
	User        string `json:"user_id"`
	Transaction string `json:"transaction_id,omitempty"`
	Flag        string `json:"flag,omitempty"`
}

// ShowForOperators returns the view of a payment for operators.
func ShowForOperators(p *Payment) OperatorView {
	return OperatorView{PaymentView: *Show(p), User: p.User, Transaction: p.Transaction, Flag: p.Flag}
}
