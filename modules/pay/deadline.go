package pay

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// The deadline of an order and its payments:
//
//	begun ──── query ──── the gateway's expiry ── last query ── the order's deadline
//	           askBefore  expireBefore            expiredAfter
//
// An order is cancelled at its deadline only if the last query of each of its payments was answered. A gateway that
// ends no payment by itself is queried at the deadline, and closes the payment by a call. If the time that is left is
// shorter than a gateway accepts, the payment expires after the deadline, and the order waits for it.

// enoughUnanswered is how many queries of an expired payment remain without an answer before its orders no longer
// wait for it. Money that is found later is refunded.
const enoughUnanswered = 10

// Awaited returns which of the orders have a payment that the gateway may have taken money for: the last query of the
// payment was not answered yet. It stops returning an order after enoughUnanswered queries, about ten minutes. It is an
// order.Awaited.
func Awaited(ctx context.Context, q sqlx.QueryerContext, numbers []order.Number) ([]order.Number, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var awaited []order.Number
	query := `SELECT DISTINCT o.order_number FROM payment_orders o JOIN payments p ON p.pay_number = o.pay_number
		WHERE o.order_number IN (` + sqldb.In(len(numbers)) + `)
		AND p.status IN ('pending', 'closed') AND p.ask_ms < ? AND p.unanswered < ?`
	args := append(sqldb.Args(numbers), int64(Never), enoughUnanswered)
	if err := sqlx.SelectContext(ctx, q, &awaited, query, args...); err != nil {
		return nil, fmt.Errorf("select orders with open payments: %w", err)
	}
	return awaited, nil
}

// expiry returns when the gateway of a payment that begins now must stop taking money, if its orders' time to pay ends
// at end.
func (s *Service) expiry(channel string, now, end time.Time) time.Time {
	gateway, ok := s.gateways[channel].(ExpiringGateway)
	if !ok {
		return end // it is closed by a call
	}
	expiry := end.Add(-min(expireBefore, end.Sub(now)/4))
	if earliest := now.Add(gateway.ShortestTime() + s.cfg.CallWithin); expiry.Before(earliest) {
		return earliest // the first call and its repetitions may take CallWithin
	}
	return expiry
}

// tooLate reports whether a payment may no longer begin at its gateway: the gateway would let it expire later than
// ExpiresMS.
func (s *Service) tooLate(p *Payment) bool {
	gateway, ok := s.gateways[p.Channel].(ExpiringGateway)
	return ok && s.now().Add(gateway.ShortestTime()).UnixMilli() > p.ExpiresMS
}

// lastQueryMS is the time from which the answer that a payment is unpaid is final, in milliseconds.
func (r *Reconciler) lastQueryMS(p *Payment) int64 {
	if _, ok := r.gateways[p.Channel].(ExpiringGateway); ok {
		return p.ExpiresMS + expiredAfter.Milliseconds()
	}
	return p.ExpiresMS
}

// silence is how long a channel has answered no query, as far as one Reconciler knows.
type silence struct{ since, last time.Time }

// heard records whether a channel answered in a run, and returns since when it has been silent, or the zero time. A
// silence counts from the start if the Reconciler made no run for askAgain: nobody may have queried the gateway.
func (r *Reconciler) heard(channel string, answered bool) (since time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if answered {
		delete(r.silent, channel)
		return time.Time{}
	}
	now := r.clock.Now()
	s := r.silent[channel]
	if s.since.IsZero() || now.Sub(s.last) > askAgain {
		s.since = now
	}
	s.last = now
	r.silent[channel] = s
	return s.since
}

// giveUp ends the wait for the payments of a channel that has been silent as long as a single payment would be queried,
// if they expired at least as long ago. Otherwise most of them would wait on, since few are queried while a gateway
// hangs.
func (r *Reconciler) giveUp(ctx context.Context, channel string, since time.Time) error {
	now := r.clock.Now()
	enough := now.Add(-enoughUnanswered * askAgain)
	if since.IsZero() || since.After(enough) {
		return nil
	}
	const update = `UPDATE payments SET unanswered = ? WHERE channel = ? AND status = ? AND ask_ms <= ?
		AND expires_ms <= ? AND unanswered < ?`
	for _, status := range []Status{Pending, Closed} {
		if _, err := r.db.Write.ExecContext(ctx, update, enoughUnanswered, channel, status, now.UnixMilli(),
			enough.UnixMilli(), enoughUnanswered); err != nil {
			return fmt.Errorf("give up payments: %w", err)
		}
	}
	return nil
}
