package outside

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
)

// MarkPaid pays an unpaid order that SQL has by money that an operator has. record runs in the same transaction. If the
// order is not unpaid, the error is a conflict, and nothing changes.
func (s *Service) MarkPaid(
	ctx context.Context, n order.Number, by order.LogLine, record func(ctx context.Context, tx *sqlx.Tx) error,
) error {
	found, err := order.SelectAll(ctx, s.db.Write, []order.Number{n})
	switch {
	case err != nil:
		return unavailable(err)
	case len(found) == 0:
		return problem.NotFound("order")
	case found[0].Status != order.Unpaid:
		return notUnpaid(string(found[0].Status))
	}
	o := found[0]
	number, err := s.paymentFor(ctx, o)
	if err != nil {
		return unavailable(err)
	}
	transaction := operator + ":" + n.String()
	err = s.processor.Process(ctx, Channel, pay.Notification{
		EventID: transaction, TransactionID: transaction, PayNumber: number, Amount: o.TotalAmount,
		Currency: o.Currency, By: by,
		Within: func(ctx context.Context, tx *sqlx.Tx, settled pay.Settled) error {
			if !settled.Pays {
				return notUnpaid("no longer unpaid")
			}
			return record(ctx, tx)
		},
	})
	if err != nil {
		return unavailable(err)
	}
	return nil
}

func notUnpaid(status string) error {
	return problem.Errorf(problem.CodeConflict, "The order is %s; only an unpaid order can be marked paid.", status)
}

// BookRefund takes a part of a paid order whose money somebody paid back already: the refund is done at once. The
// caller passes the number of the refund in part. Errors: as of order.Payer.Refund, and a conflict if the money came
// by another channel, whose gateway must pay it back.
func (s *Service) BookRefund(
	ctx context.Context, tx *sqlx.Tx, n order.Number, part order.Part, by order.LogLine, note string,
) (*order.Returned, error) {
	at := s.now().UnixMilli()
	paid, err := pay.PaymentThatPaid(ctx, tx, n)
	if errors.Is(err, sql.ErrNoRows) {
		return s.bookWithoutPayment(ctx, tx, n, part, at, by)
	}
	if err != nil {
		return nil, err
	}
	p, err := pay.LockPayment(ctx, tx, paid.Payment)
	switch {
	case err != nil:
		return nil, err
	case p.Channel != Channel:
		return nil, gatewayPays()
	}
	back, err := s.payer.Refund(ctx, tx, n, part, at, by)
	if err != nil {
		return nil, err
	}
	next, err := pay.NextPart(ctx, tx, p, n, back.Whole)
	if err != nil {
		return nil, err
	}
	refund := &pay.Refund{
		Number: part.Refund, Payment: p.Number, Channel: Channel, Transaction: p.Transaction, Order: n,
		Amount: back.Amount, Currency: p.Currency, Reason: pay.ReasonOperator, Status: pay.RefundDone, CreatedMS: at,
		DoneMS: at, Part: next, Who: by.Actor, Note: note, Items: back.Items,
	}
	if err := pay.InsertRefund(ctx, tx, p.User, refund); err != nil {
		return nil, err
	}
	if err := pay.InsertItems(ctx, tx, refund); err != nil {
		return nil, err
	}
	return back, pay.AddRefunded(ctx, tx, p, back.Amount)
}

// bookWithoutPayment takes a part of an order that has no payment: it was marked as paid before that made one.
func (s *Service) bookWithoutPayment(
	ctx context.Context, tx *sqlx.Tx, n order.Number, part order.Part, atMS int64, by order.LogLine,
) (*order.Returned, error) {
	if _, err := order.LockOrders(ctx, tx, []order.Number{n}); err != nil {
		return nil, err
	}
	switch _, err := pay.PaymentThatPaid(ctx, tx, n); {
	case err == nil: // it was paid in the meantime
		return nil, gatewayPays()
	case !errors.Is(err, sql.ErrNoRows):
		return nil, err
	}
	return s.payer.Refund(ctx, tx, n, part, atMS, by)
}

func gatewayPays() error {
	return problem.Errorf(problem.CodeConflict, "A payment paid the order: refund it, and its gateway pays back.")
}
