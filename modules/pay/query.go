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
	now      func() time.Time
}

// NewAsker makes an asker.
func NewAsker(cfg Config, p order.Parts, gateways Gateways, settle *Settler) *Asker {
	return &Asker{cfg: cfg.withDefaults(), db: p.DB, gateways: gateways, settle: settle, now: p.Now}
}

// RunOnce asks about the payments that are due, at most a page per channel, and returns how many it
// settled or closed. Those that a newer payment closed are asked about as well: the buyer may have paid
// them, and the webhook may be lost.
func (a *Asker) RunOnce(ctx context.Context) (done int, err error) {
	var channels []string
	const query = `SELECT DISTINCT channel FROM payments WHERE status IN ('pending', 'closed') AND ask_ms <= ?`
	if err := a.db.Write.SelectContext(ctx, &channels, query, a.now().UnixMilli()); err != nil {
		return 0, fmt.Errorf("select channels to ask: %w", err)
	}
	return eachChannel(ctx, channels, a.page)
}

// page asks one gateway. One that doesn't answer in time is left alone for this run.
func (a *Asker) page(ctx context.Context, channel string) (done int, err error) {
	var due []order.Number
	const query = `SELECT pay_number FROM payments WHERE status IN ('pending', 'closed') AND ask_ms <= ? AND channel = ? ORDER BY ask_ms, pay_number LIMIT ?`
	if err := a.db.Write.SelectContext(ctx, &due, query, a.now().UnixMilli(), channel, a.cfg.AskPage); err != nil {
		return 0, fmt.Errorf("select payments to ask about: %w", err)
	}
	var failed error
	for _, n := range due {
		if ctx.Err() != nil {
			break
		}
		decided, err := a.one(ctx, n)
		if decided {
			done++
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("ask about payment %s: %w", n, err), a.later(ctx, n))
		}
		if errors.Is(err, context.DeadlineExceeded) {
			break
		}
	}
	return done, failed
}

// one asks about one payment and says whether there is no more to ask.
func (a *Asker) one(ctx context.Context, n order.Number) (decided bool, err error) {
	p, err := selectPayment(ctx, a.db.Write, n)
	if err != nil || p == nil || (p.Status != Pending && p.Status != Closed) {
		return false, err
	}
	if p.Amount == 0 { // begun, and the program ended before it was carried out
		err := a.settle.SettleFree(ctx, p)
		return err == nil, err
	}
	gateway, ok := a.gateways[p.Channel]
	if !ok {
		return false, fmt.Errorf("channel %s is off", p.Channel)
	}
	call, cancel := context.WithTimeout(ctx, a.cfg.CallWithin)
	defer cancel()
	found, err := gateway.Query(call, p)
	if err == nil && !found.Paid {
		if a.now().UnixMilli() < p.ExpiresMS {
			return false, a.askAt(ctx, n, p.ExpiresMS)
		}
		err = gateway.Close(call, p)
		if errors.Is(err, ErrPaid) { // it was paid between the two calls
			found, err = gateway.Query(call, p)
		}
	}
	switch {
	case errors.Is(err, ErrRefundedOutside):
		err = a.close(ctx, p, ReasonOutside)
	case err != nil:
	case found.Paid:
		err = a.carryOut(ctx, p, found)
	default:
		err = a.close(ctx, p, "")
	}
	return err == nil, err
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
		if flag == "" {
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
