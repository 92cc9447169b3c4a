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
	"onrush/modules/sqldb"
	"onrush/web/problem"
)

// ensurer makes sure that SQL has an order before something is decided about it.
type ensurer interface {
	EnsureStored(ctx context.Context, user string, n order.Number) (*order.Order, error)
}

// Processor decides what money that came in pays for. Webhooks and queries come here alike.
type Processor struct {
	cfg    Config
	db     *sqldb.DB
	ensure ensurer
	payer  *order.Payer
	locks  *lua.Locks
	keys   lua.Keys
	now    func() time.Time
	number func() order.Number
	log    *slog.Logger
	faults order.Faults
}

// NewProcessor makes a processor; number draws pay and refund numbers.
func NewProcessor(cfg Config, p order.Parts, ensure ensurer, payer *order.Payer, number func() order.Number) *Processor {
	return &Processor{
		cfg: cfg.withDefaults(), db: p.DB, ensure: ensure, payer: payer, locks: p.Locks, keys: p.Lua.Keys, now: p.Now, number: number,
		log: p.Log, faults: p.Faults,
	}
}

// Process carries a notification out, once: it returns nil only after the commit, or when the same
// event or transaction was carried out before. A store that is away is unavailable, so that the gateway
// tells again, and so are an unknown payment and an order that is found nowhere, the first few times.
func (s *Processor) Process(ctx context.Context, channel string, n Notification) error {
	if n.Kind != KindMoney {
		return s.report(ctx, channel, n)
	}
	p, err := selectPayment(ctx, s.db.Write, n.PayNumber)
	switch {
	case err != nil:
		return problem.Unavailable(err, "The payment can't be read right now.")
	case p == nil || p.Channel != channel || len(p.Orders) == 0:
		return s.processUnknown(ctx, channel, n, p == nil)
	}
	err = s.locks.Hold(ctx, order.LockNames(s.keys, p.numbers()...), s.cfg.LockWithin, func(ctx context.Context) error {
		missing, err := s.ensureAll(ctx, p)
		if err != nil {
			return err
		}
		if len(missing) > 0 && p.Deliveries+1 < s.cfg.Deliveries {
			return s.countDelivery(ctx, p, missing)
		}
		return s.commit(ctx, channel, p, n, missing)
	})
	if errors.Is(err, lua.ErrLocked) {
		return problem.Unavailable(err, "The orders are being worked on; send it again.")
	}
	return err
}

// ProcessFree carries out a payment of nothing, for orders that are free: no gateway is asked.
func (s *Processor) ProcessFree(ctx context.Context, p *Payment) error {
	id := "free:" + p.Number.String()
	return s.Process(ctx, p.Channel, Notification{EventID: id, TransactionID: id, PayNumber: p.Number, Currency: p.Currency})
}

// ensureAll makes sure that SQL has every order of a payment, and returns those that are nowhere.
func (s *Processor) ensureAll(ctx context.Context, p *Payment) (missing map[order.Number]bool, err error) {
	missing = map[order.Number]bool{}
	for _, po := range p.Orders {
		_, err := s.ensure.EnsureStored(ctx, p.User, po.Order)
		switch {
		case problem.CodeOf(err) == problem.CodeNotFound:
			missing[po.Order] = true
		case err != nil:
			return nil, err
		}
	}
	return missing, nil
}

// countDelivery notes that a notification came for orders that are nowhere. They may be on a
// Redis that is being brought back, so the gateway is asked to tell again a few times.
func (s *Processor) countDelivery(ctx context.Context, p *Payment, missing map[order.Number]bool) error {
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE payments SET deliveries = deliveries + 1 WHERE pay_number = ?`, p.Number)
		return err
	})
	return problem.Unavailable(errors.Join(fmt.Errorf("payment %s: %d of its orders are nowhere", p.Number, len(missing)), err),
		"An order of the payment can't be found right now.")
}

// outcome is what became of a notification, as the payment's log keeps it.
type outcome string

const (
	outcomePaid     outcome = "paid"
	outcomePartly   outcome = "partly_paid" // some orders were not unpaid any more
	outcomeRefunded outcome = "refunded"
	outcomeRepeated outcome = "repeated" // the transaction was carried out before
	outcomeUnknown  outcome = "unknown_payment"
)

// commit decides and writes everything in one transaction. Rows are locked in the order payment,
// orders ascending, stock.
func (s *Processor) commit(ctx context.Context, channel string, known *Payment, n Notification, missing map[order.Number]bool) error {
	var what outcome
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		at := s.now().UnixMilli()
		p, err := lockPayment(ctx, tx, known.Number) // before anything is read: what is read then is what is so
		if err != nil {
			return err
		}
		fresh, err := insertTransaction(ctx, tx, channel, n, at)
		if err != nil {
			return err
		}
		if what = outcomeRepeated; fresh {
			if what, err = s.decide(ctx, tx, p, n, missing, at); err != nil {
				return err
			}
		}
		if err := insertEvent(ctx, tx, channel, n, what, at); err != nil {
			return err
		}
		return s.faults.After("pay_before_commit")
	})
	switch {
	case sqldb.IsDuplicate(err):
		what = outcomeRepeated // the same event: before, or at the same moment
		if err := s.known(ctx, channel, n); err != nil {
			return err
		}
	case problem.Is(err):
		return err
	case err != nil:
		return problem.Unavailable(err, "The payment can't be stored right now.")
	}
	s.log.InfoContext(ctx, "payment settled", "pay_number", known.Number, "channel", channel, "outcome", what)
	return s.faults.After("pay_commit")
}

// known makes sure that a duplicate was of this event or transaction, and is committed.
func (s *Processor) known(ctx context.Context, channel string, n Notification) error {
	var events int
	const query = `SELECT COUNT(*) FROM payment_transactions WHERE channel = ? AND transaction_id = ?`
	if err := s.db.Write.GetContext(ctx, &events, query, channel, n.TransactionID); err != nil {
		return problem.Unavailable(err, "The payment can't be read right now.")
	}
	if events == 0 { // the event id stands for other money: nothing of this one was carried out
		return problem.Unavailable(fmt.Errorf("event %q of channel %s was used for another transaction", n.EventID, channel),
			"The event is known with another transaction.")
	}
	return nil
}

// decide pays what is unpaid and sends the rest back.
func (s *Processor) decide(ctx context.Context, tx *sqlx.Tx, p *Payment, n Notification, missing map[order.Number]bool, at int64) (outcome, error) {
	whole := func(reason string, flag bool) (outcome, error) {
		if flag {
			if err := flagPayment(ctx, tx, p.Number, reason); err != nil {
				return "", err
			}
		}
		return outcomeRefunded, s.refund(ctx, tx, p, n, 0, n.Amount, reason, at)
	}
	switch {
	case n.Currency != p.Currency:
		return whole(ReasonWrongCurrency, true)
	case n.Amount != p.Amount:
		return whole(ReasonWrongAmount, true)
	case p.Status != Pending && p.Status != Closed:
		return whole(ReasonPaidAlready, false)
	}
	var paid []order.Number
	for _, po := range p.Orders { // ascending
		won, reason := false, ReasonNotUnpaid
		if missing[po.Order] {
			reason = ReasonNoOrder
			if err := flagPayment(ctx, tx, p.Number, reason); err != nil {
				return "", err
			}
		} else {
			var err error
			if won, err = s.payer.Pay(ctx, tx, po.Order, at, order.Event{Actor: "gateway:" + p.Channel}); err != nil {
				return "", err
			}
		}
		if won {
			paid = append(paid, po.Order)
			continue
		}
		if err := s.refund(ctx, tx, p, n, po.Order, po.Amount, reason, at); err != nil {
			return "", err
		}
	}
	what := outcomePaid
	switch {
	case len(paid) == 0:
		what = outcomeRefunded
	case len(paid) < len(p.Orders):
		what = outcomePartly
	}
	status, err := standing(ctx, tx, p, n.TransactionID)
	if err != nil {
		return "", err
	}
	if err := setPaid(ctx, tx, p.Number, status, n.TransactionID, at); err != nil {
		return "", err
	}
	return what, NoteDecided(ctx, tx, paid) // other payments of the orders are useless now
}

func (s *Processor) refund(ctx context.Context, tx *sqlx.Tx, p *Payment, n Notification, o order.Number, amount int64, reason string, at int64) error {
	return insertRefund(ctx, tx, &Refund{
		Number: s.number(), Payment: p.Number, Channel: p.Channel, Transaction: n.TransactionID, Order: o, Amount: amount,
		Currency: n.Currency, Reason: reason, Status: RefundPending, NextTryMS: at, CreatedMS: at,
	})
}
