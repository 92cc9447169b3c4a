package pay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
)

// one asks about one payment. It says whether there is no more to ask, and whether the gateway let the
// calls run out of their time.
func (a *Reconciler) reconcile(ctx context.Context, n order.Number) (decided, hung bool, err error) {
	p, err := selectPayment(ctx, a.db.Write, n)
	if err != nil || p == nil || (p.Status != Pending && p.Status != Closed) {
		return false, false, err
	}
	if p.Amount == 0 { // begun, and the program ended before it was carried out
		err := a.settle.ProcessFree(ctx, p)
		return err == nil, false, err
	}
	gateway, ok := a.gateways[p.Channel]
	if !ok {
		return false, false, fmt.Errorf("channel %s is off", p.Channel)
	}
	found, early, hung, err := a.ask(ctx, gateway, p)
	switch {
	case errors.Is(err, ErrRefundedOutside):
		err = a.close(ctx, p, ReasonOutside) // but where it is flagged already: then the refund is our own
	case err != nil:
	case early:
		return false, hung, a.askNext(ctx, p)
	case found.Paid:
		err = a.carryOut(ctx, p, found)
	default:
		err = a.close(ctx, p, "")
	}
	return err == nil, hung, err
}

// ask asks whether a payment is paid, and closes it at the gateway if it isn't and is closed here or
// its time is over; early says that it can still be paid.
func (a *Reconciler) ask(ctx context.Context, gateway Gateway, p *Payment) (found Found, early, hung bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.CallWithin)
	defer cancel()
	found, err = gateway.Query(ctx, p)
	if err == nil && !found.Paid && !found.Closed {
		if p.Status == Pending && a.now().UnixMilli() < p.ExpiresMS {
			return found, true, false, nil
		}
		err = gateway.Close(ctx, p)
		if errors.Is(err, ErrPaid) { // it was paid between the two calls
			found, err = gateway.Query(ctx, p)
		}
	}
	return found, false, err != nil && ctx.Err() != nil, err
}

// carryOut settles what was paid, as if the webhook had come.
func (a *Reconciler) carryOut(ctx context.Context, p *Payment, found Found) error {
	err := a.settle.Process(ctx, p.Channel, Notification{
		EventID: "query:" + found.TransactionID, TransactionID: found.TransactionID, PayNumber: p.Number,
		Amount: found.Amount, Currency: found.Currency,
	})
	if err != nil {
		return err
	}
	return a.close(ctx, p, "") // where the money was wrong, and went back, there is no more to ask
}

// never is when a payment is asked about whose gateway has nothing more to say.
const never = math.MaxInt64

// close ends the asking about a payment; a flag is for an operator.
func (a *Reconciler) close(ctx context.Context, p *Payment, flag string) error {
	return a.db.InTx(ctx, func(tx *sqlx.Tx) error {
		const update = `UPDATE payments SET status = 'closed', ask_ms = ? WHERE pay_number = ? AND status IN ('pending', 'closed')`
		if _, err := tx.ExecContext(ctx, update, int64(never), p.Number); err != nil {
			return fmt.Errorf("close payment %s: %w", p.Number, err)
		}
		if flag == "" || p.Flag != "" {
			return nil
		}
		return flagPayment(ctx, tx, p.Number, flag)
	})
}

// later asks again after a while; soon, while there is still time to pay. One that only has to be closed
// waits as long as it is old, up to RefundWaitMax.
func (a *Reconciler) later(ctx context.Context, n order.Number) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer cancel()
	p, err := selectPayment(ctx, a.db.Write, n)
	if err != nil || p == nil {
		return err
	}
	at := a.now()
	wait := a.cfg.AskAgain
	switch {
	case p.AskMS > at.UnixMilli(): // it was asked about early, and will be again
		return a.askAt(ctx, p, p.AskMS, at.UnixMilli())
	case at.UnixMilli() < p.ExpiresMS:
		wait = min(wait, askSoon)
	case p.Status == Closed:
		wait = min(max(wait, at.Sub(time.UnixMilli(max(p.CreatedMS, p.ExpiresMS)))), a.cfg.RefundWaitMax)
	}
	return a.askAt(ctx, p, at.Add(wait).UnixMilli(), p.AskedMS)
}

const (
	// askSoon is the wait after a gateway that didn't answer while there is still time to pay.
	askSoon = 5 * time.Second
	// noteWithin bounds noting what became of a call, also where the run has just ended.
	noteWithin = 3 * time.Second
)

// askNext notes that a payment is not paid yet. One that was asked about ahead of its time is asked about
// again then, and every other one when its time to be paid is over.
func (a *Reconciler) askNext(ctx context.Context, p *Payment) error {
	at := a.now().UnixMilli()
	if p.AskMS > at {
		return a.askAt(ctx, p, p.AskMS, at)
	}
	return a.askAt(ctx, p, p.ExpiresMS, at)
}

// askAt notes when a payment is asked about, unless that, or its status, was changed after p was read: it
// may have to be closed at once.
func (a *Reconciler) askAt(ctx context.Context, p *Payment, atMS, askedMS int64) error {
	const update = `UPDATE payments SET ask_ms = ?, asked_ms = ? WHERE pay_number = ? AND status = ? AND ask_ms = ?`
	if _, err := a.db.Write.ExecContext(ctx, update, atMS, askedMS, p.Number, p.Status, p.AskMS); err != nil {
		return fmt.Errorf("put off payment %s: %w", p.Number, err)
	}
	return nil
}
