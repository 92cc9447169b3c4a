package pay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/redisdb"
	"onrush/modules/sqldb"
)

// Processor decides which orders received money pays for. It processes webhooks and the results of
// queries.
type Processor struct {
	cfg      Config
	db       *sqldb.DB
	ensure   ensurer
	payer    *order.Payer
	locks    *redisdb.Locks
	keys     lua.Keys
	gateways Gateways
	now      func() time.Time
	number   func() order.Number
	log      *slog.Logger
	faults   order.Faults
}

// NewProcessor returns a Processor.
func NewProcessor(cfg Config, d Deps) *Processor {
	return &Processor{
		cfg: cfg.WithDefaults(), db: d.DB, ensure: d.Ensure, payer: d.Payer, locks: d.Locks, keys: d.Keys,
		gateways: d.Gateways, now: d.Clock.Now, number: d.Number, log: d.Log, faults: d.Faults,
	}
}

// Process processes a notification, once: it returns nil only after the commit, or if the same notification or
// transaction was processed before. The error is unavailable, so that the gateway sends the notification
// again, if a store is unavailable, and for the first few deliveries with an unknown payment or order.
func (pr *Processor) Process(ctx context.Context, channel string, n Notification) error {
	if n.Kind != KindMoney {
		return pr.report(ctx, channel, n)
	}
	p, err := SelectPayment(ctx, pr.db.Write, n.PayNumber)
	switch {
	case err != nil:
		return problem.Unavailable(err, "The payment can't be read right now.")
	case p == nil || p.Channel != channel || len(p.Orders) == 0:
		return pr.processUnknown(ctx, channel, n, p == nil)
	}
	names := order.LockNames(pr.keys, p.numbers()...)
	err = pr.locks.Hold(ctx, names, pr.cfg.LockWithin, func(ctx context.Context) error {
		missing, err := pr.ensureAll(ctx, p)
		if err != nil {
			return err
		}
		if len(missing) > 0 && p.Deliveries+1 < pr.cfg.Deliveries {
			return pr.countDelivery(ctx, p, missing)
		}
		return pr.commit(ctx, channel, p, n, missing)
	})
	if errors.Is(err, redisdb.ErrLocked) {
		return problem.Unavailable(err, "The orders are locked by another request; send it again.")
	}
	return err
}

// ProcessFree processes a payment with amount 0, for free orders, without a gateway.
func (pr *Processor) ProcessFree(ctx context.Context, p *Payment) error {
	id := "free:" + p.Number.String()
	return pr.Process(ctx, p.Channel,
		Notification{EventID: id, TransactionID: id, PayNumber: p.Number, Currency: p.Currency})
}

// ensureAll makes sure that SQL has every order of a payment, and returns those that were not found.
func (pr *Processor) ensureAll(ctx context.Context, p *Payment) (missing map[order.Number]bool, err error) {
	missing = map[order.Number]bool{}
	for _, po := range p.Orders {
		_, err := pr.ensure.EnsureStored(ctx, p.User, po.Order)
		switch {
		case problem.CodeOf(err) == problem.CodeNotFound:
			missing[po.Order] = true
		case err != nil:
			return nil, err
		}
	}
	return missing, nil
}

// countDelivery counts a notification for orders that were not found. They may be in a Redis that is
// being restored, so the first few notifications are refused and the gateway sends them again.
func (pr *Processor) countDelivery(ctx context.Context, p *Payment, missing map[order.Number]bool) error {
	err := pr.db.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE payments SET deliveries = deliveries + 1 WHERE pay_number = ?`, p.Number)
		return err
	})
	return problem.Unavailable(
		errors.Join(fmt.Errorf("payment %s: %d of its orders were not found", p.Number, len(missing)), err),
		"An order of the payment can't be found right now.")
}

// commit processes a notification in one transaction. Rows are locked in the order payment, orders
// ascending, stock.
func (pr *Processor) commit(
	ctx context.Context, channel string, known *Payment, n Notification, missing map[order.Number]bool,
) error {
	var what outcome
	err := pr.db.InTx(ctx, func(tx *sqlx.Tx) error {
		at := pr.now().UnixMilli()
		p, err := lockPayment(ctx, tx, known.Number) // before other reads, so that they see the state under the lock
		if err != nil {
			return err
		}
		fresh, err := insertTransaction(ctx, tx, channel, n, at)
		if err != nil {
			return err
		}
		if what = outcomeRepeated; fresh {
			if what, err = pr.decide(ctx, tx, p, n, missing, at); err != nil {
				return err
			}
		}
		if err := insertEvent(ctx, tx, channel, n, what, at); err != nil {
			return err
		}
		return pr.faults.After("pay_before_commit")
	})
	switch {
	case sqldb.IsDuplicate(err):
		what = outcomeRepeated // the same notification was processed before, or concurrently
		if err := pr.known(ctx, channel, n); err != nil {
			return err
		}
	case problem.Is(err):
		return err
	case err != nil:
		return problem.Unavailable(err, "The payment can't be stored right now.")
	}
	pr.log.InfoContext(ctx, "payment settled", "pay_number", known.Number, "channel", channel, "outcome", what)
	return pr.faults.After("pay_commit")
}

// known checks that the notification or transaction of a duplicate is committed.
func (pr *Processor) known(ctx context.Context, channel string, n Notification) error {
	var known int
	const query = `SELECT COUNT(*) FROM payment_transactions WHERE channel = ? AND transaction_id = ?`
	if err := pr.db.Write.GetContext(ctx, &known, query, channel, n.TransactionID); err != nil {
		return problem.Unavailable(err, "The payment can't be read right now.")
	}
	if known == 0 { // another transaction has this notification id, so this one was not processed
		return problem.Unavailable(
			fmt.Errorf("notification %q of channel %s was used for another transaction", n.EventID, channel),
			"The event is known with another transaction.")
	}
	return nil
}
