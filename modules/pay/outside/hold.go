package outside

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/pay"
	"onrush/modules/problem"
	"onrush/modules/sign"
)

// HoldRequest is the body of POST /orders/{order_number}/hold: the shop's checkout is under way for the order of a
// user. Reference names the checkout; the same one with another Until moves the end.
type HoldRequest struct {
	User      string     `json:"user_id" validate:"required,user"`
	Reference string     `json:"reference" validate:"required,max=90,visible"`
	Until     api.Millis `json:"until" validate:"required"`
}

// HoldView is a payment that holds its order.
type HoldView struct {
	pay.OperatorView
	Reference string     `json:"reference"`
	Until     api.Millis `json:"until"`
}

const (
	// holdBeyond is how long after the time to pay of an order it can be held at most, however often.
	holdBeyond = 24 * time.Hour
	// maxPayments is how many payments an order may have before it is held, as before a buyer begins one.
	maxPayments = 20
)

// Held is what the operators' log has of a hold.
type Held struct {
	Reference string     `json:"reference"`
	Until     api.Millis `json:"until"`
}

// Hold makes an unpaid order wait for the shop's checkout until a time, at most 24 h after its time to pay. It is a
// pending payment: it closes the earlier ones, such as one that the buyer began, and a newer one closes it. Errors:
// not_found, not_payable, and invalid_request.
func (s *Service) Hold(ctx context.Context, n order.Number, req HoldRequest) (*HoldView, error) {
	at := s.now()
	if !req.Until.Time().After(at) {
		return nil, problem.Invalid("until", "must be in the future")
	}
	o, err := s.ensure.EnsureStored(ctx, req.User, n)
	if err != nil {
		return nil, err
	}
	switch latest := o.PayBefore.Time().Add(holdBeyond); {
	case o.Status != order.Unpaid:
		return nil, problem.Errorf(pay.CodeNotPayable, "The order is %s; only an unpaid order can be held.", o.Status)
	case o.TotalAmount == 0:
		return nil, problem.Errorf(pay.CodeNotPayable, "The order is free; report it as paid with the amount 0.")
	case req.Until.Time().After(latest):
		return nil, problem.Invalid("until", "must not be after %s, 24 hours after the time to pay",
			latest.UTC().Format(time.RFC3339))
	}
	p, replayed, err := s.holdOnce(ctx, o, req, at)
	if err != nil {
		return nil, unavailable(err)
	}
	if p, err = s.moveEnd(ctx, n, p, req, at); err != nil {
		return nil, unavailable(err)
	}
	if p.Status != pay.Pending {
		return nil, problem.Errorf(pay.CodeNotPayable, "The hold has ended: the payment is %s.", p.Status)
	}
	p.Replayed = replayed
	return &HoldView{
		OperatorView: pay.ShowForOperators(p), Reference: req.Reference, Until: api.Millis(p.ExpiresMS),
	}, nil
}

// holdOnce inserts the payment that holds an order, or returns the one that its reference has.
func (s *Service) holdOnce(
	ctx context.Context, o *order.Order, req HoldRequest, at time.Time,
) (p *pay.Payment, had bool, err error) {
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		unpaid, err := order.LockOrders(ctx, tx, []order.Number{o.Number})
		switch {
		case err != nil:
			return err
		case len(unpaid) == 0:
			return problem.Errorf(pay.CodeNotPayable, "The order is no longer unpaid.")
		}
		task := "hold." + sign.Digest(16, o.Number.String(), req.Reference)
		p = &pay.Payment{}
		err = tx.GetContext(ctx, p, `SELECT `+pay.PaymentColumns+` FROM payments WHERE task_id = ?`, task)
		switch had = err == nil; {
		case had && (p.Status != pay.Pending || p.ExpiresMS <= at.UnixMilli()):
			return problem.Errorf(pay.CodeNotPayable, "The hold with this reference has ended.")
		case had:
			return nil
		case !errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("select the hold of order %s: %w", o.Number, err)
		}
		newest, err := mayHold(ctx, tx, o, at.UnixMilli())
		if err != nil {
			return err
		}
		p = s.payment(o, s.number(), &pay.Payment{
			Task: task, Status: pay.Pending, CreatedMS: max(at.UnixMilli(), newest+1),
			ExpiresMS: int64(req.Until), AskMS: int64(req.Until),
		})
		if err := pay.InsertPayment(ctx, tx, p); err != nil {
			return err
		}
		return recordHold(ctx, tx, o.Number, req)
	})
	return p, had, err
}

// mayHold checks that an order, whose row is locked, may have another payment. It returns the creation time of its
// newest payment, or 0.
func mayHold(ctx context.Context, tx *sqlx.Tx, o *order.Order, atMS int64) (newestMS int64, err error) {
	var had struct {
		Payments int   `db:"payments"`
		NewestMS int64 `db:"newest_ms"`
		Holds    int   `db:"holds"` // that have not ended
	}
	const query = `SELECT COUNT(*) AS payments, COALESCE(MAX(p.created_ms), 0) AS newest_ms,
			COALESCE(SUM(CASE WHEN p.channel = ? AND p.status = 'pending' AND p.expires_ms > ? THEN 1 ELSE 0 END), 0)
				AS holds
		FROM payment_orders o JOIN payments p ON p.pay_number = o.pay_number WHERE o.order_number = ?`
	err = tx.GetContext(ctx, &had, query, Channel, atMS, o.Number)
	switch {
	case err != nil:
		return 0, fmt.Errorf("count payments of order %s: %w", o.Number, err)
	case had.Payments >= maxPayments:
		return 0, problem.Errorf(pay.CodeNotPayable, "The order has had %d payments, which is the maximum.",
			had.Payments)
	case int64(o.PayBefore) <= atMS && had.Holds == 0:
		return 0, problem.Errorf(pay.CodeNotPayable, "The time to pay the order is over.")
	}
	return had.NewestMS, nil
}

// moveEnd closes the earlier payments of an order that p holds, and moves the end of the hold if the request has
// another one. It returns the payment after that. The rows of payments are locked without the order's, since
// whoever locks both begins with the payment.
func (s *Service) moveEnd(
	ctx context.Context, n order.Number, p *pay.Payment, req HoldRequest, at time.Time,
) (after *pay.Payment, err error) {
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		p.Orders = []pay.PaymentOrder{{Payment: p.Number, Order: n, Amount: p.Amount}}
		if err := pay.CloseEarlier(ctx, tx, p, at.UnixMilli()); err != nil {
			return err
		}
		if after, err = pay.LockPayment(ctx, tx, p.Number); err != nil {
			return err
		}
		if after.Status != pay.Pending || after.ExpiresMS == int64(req.Until) {
			return nil
		}
		after.ExpiresMS = int64(req.Until)
		const update = `UPDATE payments SET expires_ms = ?, ask_ms = ? WHERE pay_number = ? AND status = 'pending'`
		if _, err := tx.ExecContext(ctx, update, after.ExpiresMS, after.ExpiresMS, p.Number); err != nil {
			return fmt.Errorf("move the end of hold %s: %w", p.Number, err)
		}
		return recordHold(ctx, tx, n, req)
	})
	return after, err
}

func recordHold(ctx context.Context, tx *sqlx.Tx, n order.Number, req HoldRequest) error {
	return oplog.Record(ctx, tx, oplog.Entry{
		Action: "order.held", On: "order:" + n.String(), After: Held{req.Reference, req.Until},
	})
}
