package pay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/pay/counts"
)

// reconcile queries one payment. It reports whether the payment needs no more queries, and whether a call
// to the gateway timed out.
func (r *Reconciler) reconcile(ctx context.Context, n order.Number) (decided, hung bool, err error) {
	p, err := SelectPayment(ctx, r.db.Write, n)
	if err != nil || p == nil || (p.Status != Pending && p.Status != Closed) {
		return false, false, err
	}
	if p.Amount == 0 { // begun, but the program ended before it was processed
		err := r.settle.ProcessFree(ctx, p)
		return err == nil, false, err
	}
	gateway, ok := r.gateways[p.Channel]
	if !ok {
		return false, false, fmt.Errorf("channel %s is off", p.Channel)
	}
	found, early, hung, err := r.ask(ctx, gateway, p)
	switch {
	case errors.Is(err, ErrRefundedOutside):
		err = r.close(ctx, p, ReasonOutside) // unless it is flagged already: then this program refunded it
	case err != nil:
	case early:
		return false, hung, r.askNext(ctx, p)
	case found.Paid:
		counts.PaidUnheard.Mark()
		err = r.carryOut(ctx, p, found)
	default:
		err = r.close(ctx, p, "")
	}
	return err == nil, hung, err
}

// ask queries whether a payment is paid. If it is unpaid, and closed in SQL or its time is over, ask closes it at the
// gateway. early says that the payment can still be paid, so that the answer is not final.
func (r *Reconciler) ask(ctx context.Context, gateway Gateway, p *Payment) (found Found, early, hung bool, err error) {
	within := min(r.cfg.AnswerWithin, r.cfg.CallWithin)
	if p.Unanswered > 0 { // the gateway may be slow rather than away
		within = r.cfg.CallWithin
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	query := func() (found Found, err error) {
		defer func(began time.Time) { called(r.settle.counts, p.Channel, counts.Query, began, err) }(time.Now())
		return gateway.Query(ctx, p)
	}
	over := r.clock.Now().UnixMilli() >= r.lastQueryMS(p) // before the call: the answer may be as old
	found, err = query()
	if err == nil && !found.Paid && !found.Closed {
		if p.Status == Pending && !over {
			return found, true, false, nil
		}
		began := time.Now()
		err = gateway.Close(ctx, p)
		called(r.settle.counts, p.Channel, counts.Close, began, err)
		switch {
		case errors.Is(err, ErrPaid): // it was paid between the two calls
			counts.PaidAtClose.Mark()
			found, err = query()
		case errors.Is(err, ErrOpen):
			return found, !over, false, nil
		}
	}
	return found, false, err != nil && ctx.Err() != nil, err
}

// carryOut processes a paid payment, as its webhook would.
func (r *Reconciler) carryOut(ctx context.Context, p *Payment, found Found) error {
	if err := r.settle.Process(ctx, p.Channel, Notification{
		EventID: "query:" + found.TransactionID, TransactionID: found.TransactionID, PayNumber: p.Number,
		Amount: found.Amount, Currency: found.Currency,
	}); err != nil {
		return err
	}
	return r.close(ctx, p, "") // if the money was wrong and is refunded, the payment is done
}

// Never is the time of the next query for a payment that needs no more queries.
const Never = math.MaxInt64

// close closes a payment and ends its queries. A flag marks it for an operator.
func (r *Reconciler) close(ctx context.Context, p *Payment, flag string) error {
	return r.db.InTx(ctx, func(tx *sqlx.Tx) error {
		const update = `UPDATE payments SET status = 'closed', ask_ms = ?
			WHERE pay_number = ? AND status IN ('pending', 'closed')`
		if _, err := tx.ExecContext(ctx, update, int64(Never), p.Number); err != nil {
			return fmt.Errorf("close payment %s: %w", p.Number, err)
		}
		if flag == "" || p.Flag != "" {
			return nil
		}
		return FlagPayment(ctx, tx, p.Number, flag, r.clock.NowMS())
	})
}

// later schedules the next query: soon, while there is still time to pay. A payment that only has to be
// closed waits as long as it is old, up to RefundWaitMax.
func (r *Reconciler) later(ctx context.Context, n order.Number) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer cancel()
	p, err := SelectPayment(ctx, r.db.Write, n)
	if err != nil || p == nil {
		return err
	}
	at := r.clock.Now()
	wait := askAgain
	switch {
	case p.AskMS > at.UnixMilli(): // it was queried early, and is still scheduled
		return r.askAt(ctx, p, p.AskMS, at.UnixMilli())
	case at.UnixMilli() < r.lastQueryMS(p):
		wait = min(wait, askSoon)
	case p.Unanswered < enoughUnanswered: // its orders may wait
		p.Unanswered++
	case p.Status == Closed:
		wait = min(max(wait, at.Sub(time.UnixMilli(max(p.CreatedMS, p.ExpiresMS)))), r.cfg.RefundWaitMax)
	}
	return r.askAt(ctx, p, at.Add(wait).UnixMilli(), p.AskedMS)
}

const (
	// askSoon is the wait after a query without an answer, while there is still time to pay.
	askSoon = 5 * time.Second
	// noteWithin bounds storing the result of a call, even if the run has just ended.
	noteWithin = 3 * time.Second
)

// askNext stores that a payment is unpaid. If it was queried ahead of its schedule, it is queried again at
// the scheduled time; otherwise when the answer is final.
func (r *Reconciler) askNext(ctx context.Context, p *Payment) error {
	at := r.clock.Now().UnixMilli()
	if p.AskMS > at {
		return r.askAt(ctx, p, p.AskMS, at)
	}
	return r.askAt(ctx, p, r.lastQueryMS(p), at)
}

// askAt schedules the next query of a payment and stores p.Unanswered, unless its schedule or status has changed
// since p was read: it may have to be closed at once.
func (r *Reconciler) askAt(ctx context.Context, p *Payment, atMS, askedMS int64) error {
	const update = `UPDATE payments SET ask_ms = ?, asked_ms = ?, unanswered = ?
		WHERE pay_number = ? AND status = ? AND ask_ms = ?`
	if _, err := r.db.Write.ExecContext(ctx, update, atMS, askedMS, p.Unanswered, p.Number, p.Status,
		p.AskMS); err != nil {
		return fmt.Errorf("schedule query of payment %s: %w", p.Number, err)
	}
	return nil
}
