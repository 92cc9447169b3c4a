package order

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/problem"
	"onrush/modules/redisdb"
	"onrush/modules/sqldb"
)

// The reasons of orders that somebody cancelled.
const (
	CancelledByBuyer    = "buyer"
	CancelledByOperator = "operator"
)

// Ensurer makes sure that an order is in SQL before it is paid or cancelled.
type Ensurer interface {
	// EnsureStored returns a user's order from SQL, and stores it first if only Redis has it. If no store
	// has the order, or it belongs to another user, the error is not_found; if a store that may have it
	// is unavailable, the error is unavailable.
	EnsureStored(ctx context.Context, user string, n Number) (*Order, error)
}

// Canceller cancels unpaid orders and gives back their stock, once.
type Canceller struct {
	ensure Ensurer
	db     *sqldb.DB
	settle *StockOutbox
	locks  *redisdb.Locks // nil: no locks
	keys   lua.Keys
	now    func() time.Time
	log    *slog.Logger
	faults Faults
	// decided and changed are called with the cancelled orders.
	decided Decided
	changed Changed
}

const (
	// cancelLockWait is how long Cancel waits for the order's lock.
	cancelLockWait = 500 * time.Millisecond
	// giveBackWithin bounds the call that gives units back at once. If Redis doesn't answer, there must be time left to
	// answer the buyer.
	giveBackWithin = 500 * time.Millisecond
)

// NewCanceller returns a Canceller; ensure stores orders that are only cached, settle gives units back
// to Redis.
func NewCanceller(d Deps, ensure Ensurer, settle *StockOutbox) *Canceller {
	return &Canceller{
		ensure: ensure, db: d.DB, settle: settle, locks: d.Locks, keys: d.Lua.Keys,
		now: d.Clock.Now, log: d.Log, faults: d.Faults, decided: d.Decided, changed: d.Changed,
	}
}

// cancellation is who cancels an order, and why.
type cancellation struct {
	reason string
	by     LogLine
	// also runs in the transaction; nil: nothing.
	also func(ctx context.Context, tx *sqlx.Tx) error
}

// Cancel cancels a user's unpaid order. from is the client's IP address. An order that is cancelled stays so, without
// an error; if it is neither unpaid nor cancelled, the error is not_cancellable. Cancel takes the order's lock, so that
// it doesn't compete with a payment; if it can't get the lock in time, the compare-and-set decides.
func (c *Canceller) Cancel(ctx context.Context, user string, n Number, from string) error {
	return c.locked(ctx, n, func(ctx context.Context) error {
		o, err := c.ensure.EnsureStored(ctx, user, n)
		if err != nil {
			return err
		}
		return c.cancel(ctx, o, cancellation{reason: CancelledByBuyer, by: LogLine{Actor: "buyer", ClientIP: from}})
	})
}

// CancelStored cancels an unpaid order of SQL for an operator, as Cancel does. also runs in the transaction that
// cancels the order.
func (c *Canceller) CancelStored(
	ctx context.Context, n Number, by LogLine, also func(ctx context.Context, tx *sqlx.Tx) error,
) error {
	return c.locked(ctx, n, func(ctx context.Context) error {
		found, err := SelectAll(ctx, c.db.Write, []Number{n})
		switch {
		case err != nil:
			return problem.Unavailable(err, "The order can't be read right now.")
		case len(found) == 0:
			return problem.NotFound("order")
		}
		return c.cancel(ctx, found[0], cancellation{reason: CancelledByOperator, by: by, also: also})
	})
}

// locked calls cancel with the order's lock, or without it if it can't be had in time.
func (c *Canceller) locked(ctx context.Context, n Number, cancel func(ctx context.Context) error) error {
	if c.locks == nil {
		return cancel(ctx)
	}
	err := c.locks.Hold(ctx, LockNames(c.keys, n), cancelLockWait, cancel)
	if errors.Is(err, redisdb.ErrLocked) {
		onCancelUnlocked.Mark()
		return cancel(ctx)
	}
	return err
}

// cancelUnpaid cancels an order in a transaction, unless it is no longer unpaid.
func (c *Canceller) cancelUnpaid(
	ctx context.Context, tx *sqlx.Tx, o *Order, want cancellation,
) (won bool, err error) {
	err = c.changed.cancel(ctx, tx, []*Order{o}, c.now().UnixMilli(), anyTime, want.reason, want.by)
	if err == nil {
		err = c.decided.call(ctx, tx, o)
	}
	if err == nil && want.also != nil {
		err = want.also(ctx, tx)
	}
	if errors.Is(err, errNotUnpaid) {
		return false, nil
	}
	return err == nil, err
}

// cancel cancels an order as it was just read.
func (c *Canceller) cancel(ctx context.Context, o *Order, want cancellation) error {
	if o.Status != Unpaid {
		return notCancellable(o.Status)
	}
	var won bool
	err := c.db.Share(ctx, ContendedRows(o), func() error {
		return c.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
			won, err = c.cancelUnpaid(ctx, tx, o, want)
			return err
		})
	})
	if err != nil {
		return problem.Unavailable(err, "The order can't be cancelled right now.")
	}
	if !won {
		if o, err = SelectOf(ctx, c.db.Write, o.User, o.Number); err != nil {
			return err
		}
		return notCancellable(o.Status)
	}
	if err := c.faults.After("cancel_commit"); err != nil {
		return err
	}
	if o.Type == Seckill {
		// The order is cancelled; the job settle_stock gives back what can't be given back now.
		ctx, cancel := context.WithTimeout(ctx, giveBackWithin)
		defer cancel()
		if _, err := c.settle.carryOut(ctx, OutboxReturn, o.Activity, []Number{o.Number}); err != nil {
			onReturnLater.Mark()
			c.log.WarnContext(ctx, "units of a cancelled order will be given back later",
				"order_number", o.Number, "error", err)
		}
	}
	return nil
}

// notCancellable returns nil for an order that is cancelled already: a client that got no answer cancels again.
func notCancellable(s Status) error {
	if s == Cancelled {
		return nil
	}
	return problem.Errorf(CodeNotCancellable, "The order is %s; only an unpaid order can be cancelled.", s)
}
