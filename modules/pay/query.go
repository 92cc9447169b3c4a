package pay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

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

// never is when a payment is asked about whose gateway has nothing more to say.
const never = math.MaxInt64

// RunOnce asks about the payments whose time is over, at most a page, and returns how many it settled
// or closed. Those that a newer payment closed are asked about as well: the buyer may have paid them,
// and the webhook may be lost.
func (a *Asker) RunOnce(ctx context.Context) (done int, err error) {
	var due []order.Number
	const query = `SELECT pay_number FROM payments WHERE status IN ('pending', 'closed') AND ask_ms <= ? ORDER BY ask_ms, pay_number LIMIT ?`
	if err := a.db.Write.SelectContext(ctx, &due, query, a.now().UnixMilli(), a.cfg.AskPage); err != nil {
		return 0, fmt.Errorf("select payments to ask about: %w", err)
	}
	var failed error
	for _, n := range due {
		if ctx.Err() != nil {
			break
		}
		if err := a.one(ctx, n); err != nil {
			failed = errors.Join(failed, fmt.Errorf("ask about payment %s: %w", n, err), a.later(ctx, n))
			continue
		}
		done++
	}
	return done, failed
}

func (a *Asker) one(ctx context.Context, n order.Number) error {
	p, err := selectPayment(ctx, a.db.Write, n)
	if err != nil || p == nil || (p.Status != Pending && p.Status != Closed) {
		return err
	}
	if p.Amount == 0 { // begun, and the program ended before it was carried out
		return errors.Join(a.settle.SettleFree(ctx, p), a.close(ctx, p))
	}
	gateway, ok := a.gateways[p.Channel]
	if !ok {
		return fmt.Errorf("channel %s is off", p.Channel)
	}
	ctx, cancel := context.WithTimeout(ctx, a.cfg.CallWithin)
	defer cancel()
	found, err := gateway.Query(ctx, p)
	if err != nil {
		return err
	}
	if !found.Paid {
		err := gateway.Close(ctx, p)
		if errors.Is(err, ErrPaid) { // it was paid between the two calls
			found, err = gateway.Query(ctx, p)
		}
		switch {
		case err != nil:
			return err
		case !found.Paid:
			return a.close(ctx, p)
		}
	}
	err = a.settle.Settle(ctx, p.Channel, Notification{
		EventID: "query:" + found.TransactionID, TransactionID: found.TransactionID, PayNumber: p.Number,
		Amount: found.Amount, Currency: found.Currency,
	})
	if err != nil {
		return err
	}
	return a.close(ctx, p) // where the money was wrong, and went back, there is no more to ask
}

func (a *Asker) close(ctx context.Context, p *Payment) error {
	_, err := a.db.Write.ExecContext(ctx, `UPDATE payments SET status = 'closed', ask_ms = ? WHERE pay_number = ? AND status IN ('pending', 'closed')`,
		int64(never), p.Number)
	if err != nil {
		return fmt.Errorf("close payment %s: %w", p.Number, err)
	}
	return nil
}

// later asks again after a while.
func (a *Asker) later(ctx context.Context, n order.Number) error {
	_, err := a.db.Write.ExecContext(ctx, `UPDATE payments SET ask_ms = ? WHERE pay_number = ? AND status IN ('pending', 'closed')`,
		a.now().Add(a.cfg.AskAgain).UnixMilli(), n)
	if err != nil {
		return fmt.Errorf("put off payment %s: %w", n, err)
	}
	return nil
}
