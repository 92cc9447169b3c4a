// Package archive moves old orders out of the table that every sale writes to.
package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Config bounds the work of Archiver.
type Config struct {
	// Keep is how long an order stays live after it was placed, at least order.MinKeep.
	Keep time.Duration
	// Page is how many orders one transaction moves, 1 to 1000. Default 500.
	Page int
	// PagesPerRun bounds one run. Default 100.
	PagesPerRun int
}

// Archiver moves old orders for which nothing is pending into the archive, so that the table that every sale writes to
// stays small.
type Archiver struct {
	cfg    Config
	db     *sqldb.DB
	clock  *clock.Clock
	faults order.Faults

	// The next run continues after this order, so that orders that can't be archived don't hold up other orders.
	last atomic.Int64
}

// New returns an Archiver.
func New(cfg Config, d order.Deps) *Archiver {
	cfg.Keep = max(cfg.Keep, order.MinKeep)
	cfg.Page, cfg.PagesPerRun = cmp.Or(cfg.Page, 500), cmp.Or(cfg.PagesPerRun, 100)
	return &Archiver{cfg: cfg, db: d.DB, clock: d.Clock, faults: d.Faults}
}

// RunOnce archives orders, oldest first, and returns how many. The stores' time decides which are old.
func (a *Archiver) RunOnce(ctx context.Context) (archived int, err error) {
	if err := a.clock.Sync(ctx); err != nil {
		return 0, fmt.Errorf("archive orders: %w", err)
	}
	before := order.FirstNumberAt(a.clock.Now().Add(-a.cfg.Keep))
	var busy error // of pages with a locked order, which the next round tries again
	for range a.cfg.PagesPerRun {
		page, err := a.page(ctx, before)
		if err != nil || len(page) == 0 {
			return archived, errors.Join(busy, err)
		}
		n, err := a.archive(ctx, page)
		archived += n
		if sqldb.IsLockTimeout(err) && ctx.Err() == nil {
			busy, err = errors.Join(busy, err), nil
		}
		if err != nil || len(page) < a.cfg.Page {
			return archived, errors.Join(busy, err)
		}
	}
	return archived, busy
}

// page reads the next orders that are old enough, or begins anew behind the last ones.
func (a *Archiver) page(ctx context.Context, before order.Number) (numbers []order.Number, err error) {
	const query = `SELECT number FROM orders WHERE number > ? AND number < ? AND status <> 'unpaid'
		ORDER BY number LIMIT ?`
	if err := a.db.Write.SelectContext(ctx, &numbers, query, a.last.Load(), before, a.cfg.Page); err != nil {
		return nil, fmt.Errorf("select old orders: %w", err)
	}
	a.last.Store(0)
	if len(numbers) == a.cfg.Page {
		a.last.Store(int64(numbers[len(numbers)-1]))
	}
	return numbers, nil
}

// archive moves the finished orders among those with these numbers. It locks their rows first: whoever changes an
// order, or a row that belongs to it, holds this lock.
func (a *Archiver) archive(ctx context.Context, numbers []order.Number) (archived int, err error) {
	err = a.db.InTx(ctx, func(tx *sqlx.Tx) error {
		archived = 0
		locked, err := order.LockLive(ctx, tx, numbers)
		if err != nil || locked < len(numbers) { // another instance has archived some of them just now
			return err
		}
		finished, err := a.finished(ctx, tx, numbers)
		if err != nil || len(finished) == 0 {
			return err
		}
		archived = len(finished)
		if err := order.Archive(ctx, tx, finished); err != nil {
			return err
		}
		return a.faults.After("archive")
	})
	if err != nil {
		return 0, fmt.Errorf("archive %d orders: %w", len(numbers), err)
	}
	return archived, a.faults.After("archive_commit")
}

// finished returns which of the locked orders are finished: nothing will change them, and no operator must look at
// them. An order of a sale is finished after the sale was retired: until then a load or an audit may count it.
func (a *Archiver) finished(
	ctx context.Context, tx *sqlx.Tx, numbers []order.Number,
) (finished []order.Number, err error) {
	query := `SELECT number FROM orders WHERE number IN (` + sqldb.In(len(numbers)) + `) AND status <> 'unpaid'
		AND (activity_id = '' OR EXISTS (SELECT 1 FROM activities a
			WHERE a.activity_id = orders.activity_id AND a.retired_ms > 0))
		AND NOT EXISTS (SELECT 1 FROM voucher_waits w WHERE w.order_number = orders.number)
		AND NOT EXISTS (SELECT 1 FROM payment_closes c WHERE c.order_number = orders.number)
		AND NOT EXISTS (SELECT 1 FROM payment_orders o JOIN payments p ON p.pay_number = o.pay_number
			WHERE o.order_number = orders.number AND (p.status = 'pending' OR p.flag <> ''
				OR EXISTS (SELECT 1 FROM refunds r WHERE r.pay_number = p.pay_number AND r.status <> 'done')
				OR EXISTS (SELECT 1 FROM disputes d WHERE d.pay_number = p.pay_number AND d.state = 'open')))
		ORDER BY number`
	if err := tx.SelectContext(ctx, &finished, query, sqldb.Args(numbers)...); err != nil {
		return nil, fmt.Errorf("select finished orders: %w", err)
	}
	return finished, nil
}
