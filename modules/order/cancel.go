package order

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/web"
)

// CancelledByBuyer is the reason of an order that its buyer cancelled.
const CancelledByBuyer = "buyer"

// Canceller cancels unpaid orders and gives back what they took, once.
type Canceller struct {
	ensure *Ensurer
	settle *Settler
	now    func() time.Time
	log    *slog.Logger
	faults Faults
}

// NewCanceller makes a canceller; ensure stores orders that are only cached, settle gives back.
func NewCanceller(p Parts, ensure *Ensurer, settle *Settler) *Canceller {
	return &Canceller{ensure: ensure, settle: settle, now: p.Now, log: p.Log, faults: p.Faults}
}

// Cancel cancels a user's unpaid order. from is the address the request came from. An order that
// isn't unpaid any more is not_cancellable.
func (c *Canceller) Cancel(ctx context.Context, user string, n Number, from string) error {
	o, err := c.ensure.EnsureStored(ctx, user, n)
	if err != nil {
		return err
	}
	if o.Status != Unpaid {
		return notCancellable(o.Status)
	}
	var won bool
	err = c.ensure.store.db.InTx(ctx, func(tx *sqlx.Tx) error {
		won, err = c.cancel(ctx, tx, o, CancelledByBuyer, Event{Who: "buyer", From: from})
		return err
	})
	if err != nil {
		return web.Unavailable(err, "The order can't be cancelled right now.")
	}
	if !won {
		if o, err = c.ensure.stored(ctx, user, n); err != nil {
			return err
		}
		return notCancellable(o.Status)
	}
	if err := c.faults.After("cancel_commit"); err != nil {
		return err
	}
	if o.Type == Seckill {
		// The order is cancelled; what can't be given back now is given back by the job.
		if _, err := c.settle.returnOrders(ctx, o.Activity, []Number{n}); err != nil {
			c.log.WarnContext(ctx, "units of a cancelled order are given back later", "order_number", n, "err", err)
		}
	}
	return nil
}

func notCancellable(s Status) error {
	return web.Errorf(web.CodeNotCancellable, "The order is %s; only an unpaid order can be cancelled.", s)
}

// cancel moves one order from unpaid to cancelled in tx, and says whether it was this call that
// did: the order, its stock and the outbox change together.
func (c *Canceller) cancel(ctx context.Context, tx *sqlx.Tx, o *Order, reason string, e Event) (bool, error) {
	at := c.now().UnixMilli()
	won, err := setStatus(ctx, tx, o.Number, Unpaid, Cancelled, at, reason)
	if err != nil || !won {
		return false, err
	}
	e.Order, e.AtMS, e.What = o.Number, at, "cancelled"
	if err := addEvent(ctx, tx, e); err != nil {
		return false, err
	}
	if o.Type == Ordinary {
		return true, giveBackOrdinary(ctx, tx, o)
	}
	return true, giveBackSeckill(ctx, tx, o, at)
}

func giveBackOrdinary(ctx context.Context, tx *sqlx.Tx, o *Order) error {
	bySKU := slices.SortedFunc(slices.Values(o.Items), func(a, b Item) int { return cmp.Compare(a.SKU, b.SKU) })
	for _, it := range bySKU {
		if _, err := tx.ExecContext(ctx, `UPDATE skus SET stock = stock + ? WHERE sku_id = ?`, it.Quantity, it.SKU); err != nil {
			return fmt.Errorf("give back %d of %s: %w", it.Quantity, it.SKU, err)
		}
	}
	return nil
}

func giveBackSeckill(ctx context.Context, tx *sqlx.Tx, o *Order, at int64) error {
	it := o.Items[0]
	const update = `UPDATE activity_stock SET sold = sold - ? WHERE activity_id = ? AND sku_id = ? AND point_id = ?`
	res, err := tx.ExecContext(ctx, update, it.Quantity, o.Activity, it.SKU, o.Point)
	if err != nil {
		return fmt.Errorf("give back %d of %s in %s: %w", it.Quantity, it.SKU, o.Activity, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return fmt.Errorf("give back %d of %s in %s: %w", it.Quantity, it.SKU, o.Activity, err)
	}
	if n != 1 {
		return fmt.Errorf("give back %d of %s in %s: the activity has no such stock", it.Quantity, it.SKU, o.Activity)
	}
	return noteOutbox(ctx, tx, outboxReturn, o, at)
}
