package pay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/order"
	"onrush/modules/pay/channels"
	"onrush/modules/pay/counts"
	"onrush/modules/sqldb"
)

// Refunder sends refunds to the gateways. A refund keeps its number over all attempts, and the gateway
// pays back once per number, so a crash before its answer is stored is harmless.
type Refunder struct {
	cfg      Config
	db       *sqldb.DB
	gateways Gateways
	now      func() time.Time
	backoff  refundBackoff
	log      *slog.Logger
	faults   order.Faults
	counts   *counts.Counts
}

// NewRefunder returns a Refunder.
func NewRefunder(cfg Config, d Deps) *Refunder {
	cfg = cfg.WithDefaults()
	return &Refunder{
		cfg: cfg, db: d.DB, gateways: d.Gateways, now: d.Clock.Now, log: d.Log,
		backoff: newRefundBackoff(cfg, d.Random), faults: d.Faults, counts: d.Counts,
	}
}

// RunOnce sends the refunds that are due and queries those under way, at most RefundPage per channel, and
// returns how many were completed.
func (r *Refunder) RunOnce(ctx context.Context) (sent int, err error) {
	var due []string
	const query = `SELECT DISTINCT channel FROM refunds WHERE status = 'pending' AND next_try_ms <= ?`
	if err := r.db.Write.SelectContext(ctx, &due, query, r.now().UnixMilli()); err != nil {
		return 0, fmt.Errorf("select channels of due refunds: %w", err)
	}
	return channels.Each(ctx, due, r.page)
}

// page sends the due refunds of one channel. It begins no call after CallWithin, or after a call that timed out, since
// the next run of the other channels waits for this call.
func (r *Refunder) page(ctx context.Context, channel string) (sent int, err error) {
	var due []Refund
	const query = `SELECT ` + RefundColumns + ` FROM refunds
		WHERE status = 'pending' AND next_try_ms <= ? AND channel = ?
		ORDER BY next_try_ms, refund_number LIMIT ?`
	if err := r.db.Write.SelectContext(ctx, &due, query, r.now().UnixMilli(), channel,
		r.cfg.RefundPage+r.db.Busy.Counts()[sqldb.PaymentRows]); err != nil {
		return 0, fmt.Errorf("select due refunds: %w", err)
	}
	begin, cancel := context.WithTimeout(ctx, r.cfg.CallWithin)
	defer cancel()
	for i := range due {
		if begin.Err() != nil {
			break
		}
		payment := rowsOfPayment(due[i].Payment)
		if r.db.Busy.Skips(payment) {
			continue
		}
		var done, hung bool
		waits, oneErr := r.hold(ctx, &due[i])
		if !waits && oneErr == nil {
			waits, oneErr = r.claim(ctx, &due[i])
		}
		if !waits && oneErr == nil {
			done, hung, oneErr = r.send(ctx, &due[i])
		}
		r.db.Busy.Note(payment, oneErr)
		err = errors.Join(err, oneErr) // a refund whose result can't be stored doesn't delay the others
		if done && oneErr == nil {
			sent++
		}
		if hung {
			break
		}
	}
	return sent, err
}

// rowsOfPayment is the owner of the rows of a payment, its refunds among them.
func rowsOfPayment(n order.Number) sqldb.Owner {
	return sqldb.Owner{Kind: sqldb.PaymentRows, ID: n.String()}
}

// send sends one refund and stores the result, even if the run ends in the meantime: otherwise the same
// refund would be first again. It reports whether the refund is done, and whether the call timed out.
func (r *Refunder) send(ctx context.Context, refund *Refund) (done, hung bool, err error) {
	gateway, ok := r.gateways[refund.Channel]
	if ok {
		call, cancel := context.WithTimeout(ctx, r.cfg.CallWithin)
		defer cancel()
		began := time.Now()
		err = gateway.Refund(call, refund)
		called(r.counts, refund.Channel, counts.Refund, began, err)
		hung = err != nil && call.Err() != nil
	} else {
		err = fmt.Errorf("%w: channel %s is off", ErrUnavailable, refund.Channel)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer cancel()
	underWay := errors.Is(err, ErrUnderWay)
	switch {
	case errors.Is(err, ErrResting): // nothing was sent: it stays due, and the run leaves the gateway alone
		return false, true, nil
	case underWay || err == nil:
		if faulty := r.faults.After("refund_sent"); faulty != nil {
			return false, hung, faulty
		}
		if underWay {
			r.counts.Refunded(refund.Channel, counts.UnderWay)
			return false, hung, r.underWay(ctx, refund, err)
		}
		r.counts.Refunded(refund.Channel, counts.Done)
		return true, hung, r.done(ctx, refund)
	case errors.Is(err, ErrNoBalance):
		r.counts.Refunded(refund.Channel, counts.Unavailable)
		return false, hung, r.wait(ctx, refund, WaitsForBalance, err)
	case hung || errors.Is(err, ErrUnavailable):
		r.counts.Refunded(refund.Channel, counts.Unavailable)
		return false, hung, r.wait(ctx, refund, WaitsForGateway, err)
	}
	r.counts.Refunded(refund.Channel, counts.Refused)
	return false, hung, r.failed(ctx, refund, err)
}

// wait stores that the gateway decided nothing or that the balance is too small, and the time of the next
// try. It doesn't count as an attempt: an outage may take hours, and a missing balance days. The waits
// grow with the age of the refund.
func (r *Refunder) wait(ctx context.Context, refund *Refund, what WaitsFor, cause error) error {
	at := r.now()
	next := at.Add(r.backoff.whileAway(at.Sub(time.UnixMilli(refund.CreatedMS)))).UnixMilli()
	r.log.WarnContext(ctx, "refund waits", "refund_number", refund.Number, "channel", refund.Channel, "waits_for", what,
		"error", cause)
	const update = `UPDATE refunds SET next_try_ms = ?, last_error = ?, waits_for = ?
		WHERE refund_number = ? AND status = 'pending'`
	if _, err := r.db.Write.ExecContext(ctx, update, next, shorten(cause.Error()), what, refund.Number); err != nil {
		return fmt.Errorf("schedule refund %s: %w", refund.Number, err)
	}
	return nil
}

// underWay stores that the gateway has accepted the refund, and the time of the next query. It doesn't
// count as an attempt: a bank may take days.
func (r *Refunder) underWay(ctx context.Context, refund *Refund, state error) error {
	at := r.now()
	since := refund.UnderWayMS
	if since == 0 {
		since = at.UnixMilli()
	}
	next := at.Add(r.backoff.whileUnderWay(at.Sub(time.UnixMilli(since)))).UnixMilli()
	const update = `UPDATE refunds SET under_way_ms = ?, next_try_ms = ?, last_error = ?, waits_for = ''
		WHERE refund_number = ? AND status = 'pending' AND renewed = ?`
	if _, err := r.db.Write.ExecContext(ctx, update, since, next, shorten(state.Error()), refund.Number,
		refund.Renewed); err != nil {
		return fmt.Errorf("set refund %s under way: %w", refund.Number, err)
	}
	return nil
}

// done stores that the money was paid back, and updates the payment.
func (r *Refunder) done(ctx context.Context, refund *Refund) error {
	return r.db.InTx(ctx, func(tx *sqlx.Tx) error {
		p, err := LockPayment(ctx, tx, refund.Payment)
		if err != nil {
			return err
		}
		atMS := r.now().UnixMilli()
		res, err := tx.ExecContext(ctx,
			`UPDATE refunds SET status = 'done', done_ms = ?, last_error = '', under_way_ms = 0, waits_for = ''
				WHERE refund_number = ? AND status <> 'done' AND renewed = ?`,
			atMS, refund.Number, refund.Renewed)
		if err != nil {
			return fmt.Errorf("set refund %s done: %w", refund.Number, err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err // another instance stored it, or the gateway reported that it failed
		}
		if refund.Transaction == p.Transaction { // otherwise the money paid no order
			if err := AddRefunded(ctx, tx, p, refund.Amount); err != nil {
				return err
			}
		}
		return WriteRefundEvent(ctx, tx, journal.RefundDone, refund.Number, atMS)
	})
}

// failed stores that the gateway refused a refund, and the time of the next try. The refund is then no
// longer under way. If its gateway number is used up, the next attempt has a new one; the comparison with
// renewed keeps two instances from renewing it twice.
func (r *Refunder) failed(ctx context.Context, refund *Refund, cause error) error {
	status, attempts, renewed := RefundPending, refund.Attempts+1, refund.Renewed
	if attempts >= r.cfg.RefundAttempts {
		status = RefundFailed
	}
	if errors.Is(cause, ErrRefundFailed) {
		renewed++
	}
	if errors.Is(cause, errNothingLeft) { // no later try would send it
		status = RefundFailed
	}
	r.log.WarnContext(ctx, "refund was refused", "refund_number", refund.Number, "attempts", attempts, "state", status,
		"error", cause)
	at := r.now()
	next := at.Add(r.backoff.afterFailure(attempts)).UnixMilli()
	err := r.db.InTx(ctx, func(tx *sqlx.Tx) error {
		res, err := tx.ExecContext(ctx, `UPDATE refunds
			SET status = ?, attempts = ?, next_try_ms = ?, last_error = ?, under_way_ms = 0, renewed = ?, waits_for = ''
			WHERE refund_number = ? AND status = 'pending' AND renewed = ?`,
			status, attempts, next, shorten(cause.Error()), renewed, refund.Number, refund.Renewed)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 || status != RefundFailed {
			return err
		}
		return WriteRefundEvent(ctx, tx, journal.RefundFailed, refund.Number, at.UnixMilli())
	})
	if err != nil {
		return fmt.Errorf("store failure of refund %s: %w", refund.Number, err)
	}
	return nil
}

// shorten cuts the text of an error to the 300 bytes that are stored, without splitting a character.
func shorten(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), 300)], "")
}
