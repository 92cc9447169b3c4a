package pay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
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

// outcome is the result of a notification.
type outcome string

// The outcomes that are stored with notifications.
const (
	outcomePaid     outcome = "paid"
	outcomePartly   outcome = "partly_paid" // some orders were no longer unpaid
	outcomeRefunded outcome = "refunded"
	outcomeRepeated outcome = "repeated" // the transaction was processed before
	outcomeUnknown  outcome = "unknown_payment"
)

// The outcomes of notifications that are not stored.
const (
	outcomeKnown   outcome = "known"   // the notification was processed before
	outcomeAwaited outcome = "awaited" // an order was not found yet: the gateway has to send the notification again
)

// settle processes money for a payment in a transaction: it locks and reads what decides, decides, and does it. Rows
// are locked in the order payment, orders ascending, stock.
func (pr *Processor) settle(ctx context.Context, tx *sqlx.Tx, m money) (outcome, error) {
	p, err := LockPayment(ctx, tx, m.PayNumber) // first, so that all that follows is read under the lock
	if err != nil {
		return "", err
	}
	had, err := selectProcessed(ctx, tx, m)
	if err != nil {
		return "", err
	}
	unpaid, err := order.LockOrders(ctx, tx, p.numbers())
	if err != nil {
		return "", err
	}
	at := pr.now().UnixMilli()
	s := pr.decide(p, m, had, unpaid)
	switch s.outcome {
	case outcomeAwaited:
		const update = `UPDATE payments SET deliveries = deliveries + 1 WHERE pay_number = ?`
		_, err = tx.ExecContext(ctx, update, p.Number)
	case outcomeKnown: // there is nothing to do
	case outcomeRepeated:
		err = insertNotification(ctx, tx, m.channel, m.Notification, s.outcome, at)
	default:
		err = pr.carryOut(ctx, tx, p, m, s, at)
	}
	if err == nil && m.Within != nil {
		before := s.outcome == outcomeKnown || s.outcome == outcomeRepeated
		err = m.Within(ctx, tx, Settled{Before: before, Pays: len(s.pays) > 0})
	}
	if err != nil {
		return "", fmt.Errorf("settle payment %s: %w", p.Number, err)
	}
	return s.outcome, pr.faults.After("pay_before_commit")
}

// processed says whether a notification, or its transaction, was processed before.
type processed struct {
	Transaction  bool `db:"had_transaction"`
	Notification bool `db:"had_notification"`
}

// selectProcessed reads what of a notification was processed before. The error is unavailable if another transaction
// has the id of the notification, so that this one can't be processed.
func selectProcessed(ctx context.Context, q sqlx.QueryerContext, m money) (had processed, err error) {
	const query = `SELECT
		(SELECT COUNT(*) FROM payment_transactions WHERE channel = ? AND transaction_id = ?) AS had_transaction,
		(SELECT COUNT(*) FROM payment_notifications WHERE channel = ? AND event_id = ?) AS had_notification`
	err = sqlx.GetContext(ctx, q, &had, query, m.channel, m.TransactionID, m.channel, m.EventID)
	switch {
	case err != nil:
		return had, fmt.Errorf("select transaction: %w", err)
	case had.Notification && !had.Transaction:
		return had, problem.Unavailable(
			fmt.Errorf("notification %q of channel %s was used for another transaction", m.EventID, m.channel),
			"The event is known with another transaction.")
	}
	return had, nil
}

// carryOut does what decide returned.
func (pr *Processor) carryOut(
	ctx context.Context, tx *sqlx.Tx, p *Payment, m money, s settlement, atMS int64,
) error {
	if err := insertTransaction(ctx, tx, m, atMS); err != nil {
		return err
	}
	by := cmp.Or(m.By, order.LogLine{Actor: "gateway:" + p.Channel})
	for _, n := range s.pays {
		if won, err := pr.payer.Pay(ctx, tx, n, atMS, by); err != nil {
			return err
		} else if !won {
			return fmt.Errorf("order %s is no longer unpaid, although its row is locked", n)
		}
	}
	for _, part := range s.refunds {
		counts.GoesBack(part.reason)
		if err := InsertRefund(ctx, tx, p.User, &Refund{
			Number: pr.number(), Payment: p.Number, Channel: p.Channel, Transaction: m.TransactionID, Order: part.order,
			Amount: part.amount, Currency: m.Currency, Reason: part.reason, Status: RefundPending, NextTryMS: atMS,
			CreatedMS: atMS,
		}); err != nil {
			return err
		}
	}
	if s.status != "" {
		if err := setPaid(ctx, tx, p, s, m.TransactionID, atMS); err != nil {
			return err
		}
	}
	if s.flag != "" {
		if err := FlagPayment(ctx, tx, p.Number, s.flag, atMS); err != nil {
			return err
		}
	}
	if err := insertNotification(ctx, tx, m.channel, m.Notification, s.outcome, atMS); err != nil {
		return err
	}
	return EnqueueCloses(ctx, tx, s.pays) // closes other payments of the orders
}

// insertTransaction inserts a transaction of money that came in.
func insertTransaction(ctx context.Context, tx *sqlx.Tx, m money, atMS int64) error {
	const insert = `INSERT INTO payment_transactions (channel, transaction_id, pay_number, amount, currency, at_ms)
		VALUES (?, ?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, m.channel, m.TransactionID, m.PayNumber, m.Amount, m.Currency,
		atMS); err != nil {
		return fmt.Errorf("insert transaction: %w", err)
	}
	return nil
}

// setPaid stores that a transaction paid a payment, and how much of it paid orders.
func setPaid(ctx context.Context, tx *sqlx.Tx, p *Payment, s settlement, transaction string, atMS int64) error {
	n, status, earned := p.Number, s.status, int64(0)
	for _, po := range p.Orders {
		if slices.Contains(s.pays, po.Order) {
			earned += po.Amount
		}
	}
	const update = `UPDATE payments SET status = ?, transaction_id = ?, paid_ms = ?, earned = ?
		WHERE pay_number = ? AND status IN ('pending', 'closed')`
	res, err := tx.ExecContext(ctx, update, status, transaction, atMS, earned, n)
	if err != nil {
		return fmt.Errorf("set payment %s %s: %w", n, status, err)
	}
	changed, err := res.RowsAffected()
	if err == nil && changed != 1 {
		err = errors.New("it is neither pending nor closed")
	}
	if err != nil {
		return fmt.Errorf("set payment %s %s: %w", n, status, err)
	}
	return nil
}

// insertNotification inserts a notification with its outcome.
func insertNotification(
	ctx context.Context, tx *sqlx.Tx, channel string, n Notification, what outcome, atMS int64,
) error {
	const insert = `INSERT INTO payment_notifications (channel, event_id, pay_number, transaction_id, amount, currency,
		outcome, at_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	if _, err := tx.ExecContext(ctx, insert, channel, n.EventID, n.PayNumber, n.TransactionID, n.Amount, n.Currency,
		what, atMS); err != nil {
		return fmt.Errorf("insert notification: %w", err)
	}
	return nil
}
