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
	"onrush/modules/pay/counts"
	"onrush/modules/problem"
	"onrush/modules/redisdb"
	"onrush/modules/sqldb"
)

// Processor decides which orders an incoming payment pays. It processes webhooks and the results of
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
	backoff  refundBackoff
	log      *slog.Logger
	faults   order.Faults
	counts   *counts.Counts
}

// NewProcessor returns a Processor.
func NewProcessor(cfg Config, d Deps) *Processor {
	cfg = cfg.WithDefaults()
	return &Processor{
		cfg: cfg, db: d.DB, ensure: d.Ensure, payer: d.Payer, locks: d.Locks, keys: d.Keys, gateways: d.Gateways,
		now: d.Clock.Now, number: d.Number, backoff: newRefundBackoff(cfg, d.Random), log: d.Log, faults: d.Faults,
		counts: d.Counts,
	}
}

// money is a notification of money, with all that was found out about it before the transaction.
type money struct {
	Notification
	channel string
	missing map[order.Number]bool // the orders of its payment that were not found
}

// Process processes a notification, once: it returns nil only after the commit, or if the same notification or
// transaction was processed before. The error is unavailable, so that the gateway sends the notification
// again, if a store is unavailable, and for the first few deliveries with an unknown payment or order.
func (pr *Processor) Process(ctx context.Context, channel string, n Notification) error {
	if n.Kind != KindMoney {
		return pr.report(ctx, channel, n)
	}
	m := money{Notification: n, channel: channel}
	p, err := SelectPayment(ctx, pr.db.Write, n.PayNumber)
	switch {
	case err != nil:
		return problem.Unavailable(err, "The payment can't be read right now.")
	case p == nil || p.Channel != channel || len(p.Orders) == 0:
		return pr.processUnknown(ctx, m, p == nil)
	}
	names := order.LockNames(pr.keys, p.numbers()...)
	err = pr.locks.Hold(ctx, names, lockWithin, func(ctx context.Context) (err error) {
		if m.missing, err = pr.ensureAll(ctx, p); err != nil {
			return err
		}
		return pr.commit(ctx, m, func(tx *sqlx.Tx) (outcome, error) { return pr.settle(ctx, tx, m) })
	})
	if errors.Is(err, redisdb.ErrLocked) {
		counts.LockBusy.Mark()
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

// commit runs the transaction that processes m. If another transaction has inserted the same row, commit runs the
// transaction once more, which then finds this row.
func (pr *Processor) commit(ctx context.Context, m money, process func(tx *sqlx.Tx) (outcome, error)) error {
	var what outcome
	var err error
	for range 2 {
		err = pr.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
			what, err = process(tx)
			return err
		})
		if !sqldb.IsDuplicate(err) {
			break
		}
	}
	switch {
	case err != nil:
		return err
	case what == outcomeAwaited:
		counts.Awaited.Mark()
		return problem.Unavailable(
			fmt.Errorf("payment %s: %d of its orders were not found", m.PayNumber, len(m.missing)),
			"An order of the payment can't be found right now.")
	}
	pr.counts.Notified(m.channel, string(what))
	pr.log.InfoContext(ctx, "payment settled", "pay_number", m.PayNumber, "channel", m.channel, "outcome", what)
	return pr.faults.After("pay_commit")
}
