package pay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/order/sqldb"
)

// Asker asks gateways about payments whose webhook did not come: those that were paid are carried
// out as if it had, the others are closed.
type Asker struct {
	cfg      Config
	db       *sqldb.DB
	gateways Gateways
	settle   *Settler
	clock    *order.Clock
	now      func() time.Time
}

// NewAsker makes an asker.
func NewAsker(cfg Config, p order.Parts, gateways Gateways, settle *Settler) *Asker {
	return &Asker{cfg: cfg.withDefaults(), db: p.DB, gateways: gateways, settle: settle, clock: p.Clock, now: p.Now}
}

// RunOnce asks about the payments that are due, each channel for about as long as one call may take,
// and returns how many it settled or closed. Those that a newer payment closed are asked about as well:
// the buyer may have paid them, and the webhook may be lost. What is due is decided by the stores' time.
func (a *Asker) RunOnce(ctx context.Context) (done int, err error) {
	if err := a.clock.Sync(ctx); err != nil {
		return 0, fmt.Errorf("ask about payments: %w", err)
	}
	var channels []string
	const query = `SELECT DISTINCT channel FROM payments WHERE status IN ('pending', 'closed') AND ask_ms <= ?`
	if err := a.db.Write.SelectContext(ctx, &channels, query, a.now().UnixMilli()); err != nil {
		return 0, fmt.Errorf("select channels to ask: %w", err)
	}
	return eachChannel(ctx, channels, a.channel)
}

// channel asks one gateway, page after page. It begins no call after the time that one call may take,
// nor after one that ran out of its time: the other channels' next run waits for this one.
func (a *Asker) channel(ctx context.Context, name string) (done int, err error) {
	begin, cancel := context.WithTimeout(ctx, a.cfg.CallWithin)
	defer cancel()
	for {
		// Those that can be paid still come first: an order may hang on it.
		var due []order.Number
		const query = `SELECT pay_number FROM payments WHERE status IN ('pending', 'closed') AND ask_ms <= ? AND channel = ?
			ORDER BY CASE WHEN expires_ms > ? THEN 0 ELSE 1 END, ask_ms, pay_number LIMIT ?`
		at := a.now().UnixMilli()
		if selectErr := a.db.Write.SelectContext(ctx, &due, query, at, name, at, a.cfg.AskPage); selectErr != nil {
			return done, errors.Join(err, fmt.Errorf("select payments to ask about: %w", selectErr))
		}
		for _, n := range due {
			if begin.Err() != nil {
				return done, err
			}
			decided, hung, oneErr := a.one(ctx, n)
			if decided {
				done++
			}
			if oneErr != nil {
				err = errors.Join(err, fmt.Errorf("ask about payment %s: %w", n, oneErr), a.later(ctx, n))
			}
			if hung {
				return done, err
			}
		}
		if len(due) < a.cfg.AskPage {
			return done, err
		}
	}
}

// one asks about one payment. It says whether there is no more to ask, and whether the gateway let the
// calls run out of their time.
func (a *Asker) one(ctx context.Context, n order.Number) (decided, hung bool, err error) {
	p, err := selectPayment(ctx, a.db.Write, n)
	if err != nil || p == nil || (p.Status != Pending && p.Status != Closed) {
		return false, false, err
	}
	if p.Amount == 0 { // begun, and the program ended before it was carried out
		err := a.settle.SettleFree(ctx, p)
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
		return false, hung, a.askAt(ctx, n, p.ExpiresMS)
	case found.Paid:
		err = a.carryOut(ctx, p, found)
	default:
		err = a.close(ctx, p, "")
	}
	return err == nil, hung, err
}

// ask asks whether a payment is paid, and closes it at the gateway if it isn't and its time is over;
// early says that its time is not.
func (a *Asker) ask(ctx context.Context, gateway Gateway, p *Payment) (found Found, early, hung bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.CallWithin)
	defer cancel()
	found, err = gateway.Query(ctx, p)
	if err == nil && !found.Paid && !found.Closed {
		if a.now().UnixMilli() < p.ExpiresMS {
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
func (a *Asker) carryOut(ctx context.Context, p *Payment, found Found) error {
	err := a.settle.Settle(ctx, p.Channel, Notification{
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
func (a *Asker) close(ctx context.Context, p *Payment, flag string) error {
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

// later asks again after a while; soon, while there is still time to pay.
func (a *Asker) later(ctx context.Context, n order.Number) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer cancel()
	p, err := selectPayment(ctx, a.db.Write, n)
	if err != nil || p == nil {
		return err
	}
	at := a.now()
	wait := a.cfg.AskAgain
	if at.UnixMilli() < p.ExpiresMS {
		wait = min(wait, askSoon)
	}
	return a.askAt(ctx, n, at.Add(wait).UnixMilli())
}

const (
	// askSoon is the wait after a gateway that didn't answer while there is still time to pay.
	askSoon = 5 * time.Second
	// noteWithin bounds noting what became of a call, also where the run has just ended.
	noteWithin = 3 * time.Second
)

func (a *Asker) askAt(ctx context.Context, n order.Number, atMS int64) error {
	_, err := a.db.Write.ExecContext(ctx, `UPDATE payments SET ask_ms = ? WHERE pay_number = ? AND status IN ('pending', 'closed')`, atMS, n)
	if err != nil {
		return fmt.Errorf("put off payment %s: %w", n, err)
	}
	return nil
}
