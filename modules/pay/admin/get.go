package admin

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
)

// maxDetails bounds the refunds and the notifications of a PaymentDetail.
const maxDetails = 100

// Payment returns one payment with its parts, refunds and notifications.
func (s *Service) Payment(ctx context.Context, n order.Number) (*PaymentDetail, error) {
	var found *PaymentDetail
	err := s.db.InView(ctx, func(tx *sqlx.Tx) (err error) {
		found, err = selectDetail(ctx, tx, n)
		return err
	})
	if err != nil && !problem.Is(err) {
		err = problem.Unavailable(err, "The payment can't be read right now.")
	}
	return found, err
}

func selectDetail(ctx context.Context, tx *sqlx.Tx, n order.Number) (*PaymentDetail, error) {
	p, err := pay.SelectPayment(ctx, tx, n)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, problem.NotFound("payment")
	}
	d := &PaymentDetail{
		OperatorView: pay.ShowForOperators(p), Parts: []PaymentPart{}, Refunds: []*pay.RefundView{},
		Disputes: []*pay.DisputeView{}, Events: []Notification{},
	}
	disputes, err := pay.SelectDisputes(ctx, tx, n)
	if err != nil {
		return nil, err
	}
	for i := range disputes {
		d.Disputes = append(d.Disputes, pay.ShowDispute(&disputes[i]))
	}
	for _, po := range p.Orders {
		d.Parts = append(d.Parts, PaymentPart{Order: po.Order, Amount: po.Amount})
	}
	var refunds []pay.Refund
	const selectRefunds = `SELECT ` + pay.RefundColumns + ` FROM refunds WHERE pay_number = ?
		ORDER BY refund_number DESC LIMIT ?`
	if err := tx.SelectContext(ctx, &refunds, selectRefunds, n, maxDetails); err != nil {
		return nil, fmt.Errorf("select refunds of payment %s: %w", n, err)
	}
	if err := pay.FillItems(ctx, tx, refunds); err != nil {
		return nil, err
	}
	for i := range refunds {
		d.Refunds = append(d.Refunds, pay.ShowRefund(&refunds[i]))
	}
	const selectNotifications = `SELECT at_ms, event_id, outcome, transaction_id, amount, currency, flag, who, note
		FROM payment_notifications WHERE pay_number = ? ORDER BY at_ms DESC, event_id DESC LIMIT ?`
	if err := tx.SelectContext(ctx, &d.Events, selectNotifications, n, maxDetails); err != nil {
		return nil, fmt.Errorf("select notifications of payment %s: %w", n, err)
	}
	return d, nil
}

// Refund returns one refund.
func (s *Service) Refund(ctx context.Context, n order.Number) (*pay.RefundView, error) {
	r, err := pay.FindRefund(ctx, s.db.Read, n)
	if err != nil {
		return nil, err
	}
	return pay.ShowRefund(r), nil
}
