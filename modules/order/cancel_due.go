package order

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/sqldb"
)

// CancelledByTimeout is the reason of an order that was not paid in time.
const CancelledByTimeout = "timeout"

// DueCanceller cancels the orders that were not paid in time, one page per transaction, without locks in Redis:
// the compare-and-set decides between it and a payment. It skips orders that may still receive money (Deps.Awaited).
type DueCanceller struct {
	cfg    DueConfig
	db     *sqldb.DB
	settle *StockOutbox
	clock  *clock.Clock
	log    *slog.Logger
	faults Faults
	// decided and changed are called with the cancelled orders.
	decided Decided
	changed Changed
	awaited Awaited
	extend  func(ctx context.Context, due []Number) error

	mu sync.Mutex
	// from is the order after which the next run begins, if the last run was cut short: otherwise many awaited
	// orders at the head would keep the others from being cancelled.
	from *Order
}

// NewDueCanceller returns a DueCanceller; settle gives the units back to Redis.
func NewDueCanceller(cfg DueConfig, d Deps, settle *StockOutbox) *DueCanceller {
	return &DueCanceller{
		cfg: cfg.withDefaults(), db: d.DB, settle: settle, clock: d.Clock, log: d.Log, faults: d.Faults,
		decided: d.Decided, changed: d.Changed, awaited: d.Awaited, extend: d.Extend,
	}
}

const (
	// maxReported bounds the orders that the error of RunOnce names.
	maxReported = 5
	// maxRefused is how many orders the function of the host program may refuse one after the other before a run
	// ends. The next run begins after their page.
	maxRefused = 20
)

// dueRun is the state of one run; it keeps at most a page of orders.
type dueRun struct {
	byMS      int64
	last      *Order // the last order of the last page; nil at first
	cancelled int
	failed    []error
	redisAway bool
	refused   int // by the host, one order after the other
}

// RunOnce cancels the orders that are due, gives their units back, and returns how many it cancelled.
// Orders that can't be cancelled don't delay the others; the error names up to 5 of them. Units that Redis
// can't take back now stay in the outbox. The stores' time decides which orders are due; if no store
// returns it, RunOnce cancels nothing and returns an error.
func (d *DueCanceller) RunOnce(ctx context.Context) (cancelled int, err error) {
	if err := d.clock.Sync(ctx); err != nil {
		return 0, fmt.Errorf("cancel orders that are due: %w", err)
	}
	r := &dueRun{byMS: d.clock.Now().UnixMilli(), last: d.begin()}
	for range d.cfg.PagesPerRun {
		if ctx.Err() != nil {
			break
		}
		page, err := d.page(ctx, r)
		if err == nil && len(page) > 0 {
			r.last = page[len(page)-1]
			err = d.cancelDue(ctx, r, page)
		}
		if err != nil {
			return r.cancelled, errors.Join(append(r.failed, err)...)
		}
		if len(page) < d.cfg.Page {
			return r.cancelled, errors.Join(r.failed...)
		}
	}
	d.end(r.last)
	return r.cancelled, errors.Join(r.failed...)
}

// begin returns the order after which a run begins. The next run begins with the first order, unless end is called.
func (d *DueCanceller) begin() *Order {
	d.mu.Lock()
	defer d.mu.Unlock()
	from := d.from
	d.from = nil
	return from
}

// end lets the next run begin after an order.
func (d *DueCanceller) end(last *Order) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.from = last
}

// page reads the next orders that are due.
func (d *DueCanceller) page(ctx context.Context, r *dueRun) ([]*Order, error) {
	after, afterNumber := api.Millis(-1), Number(0)
	if r.last != nil {
		after, afterNumber = r.last.PayBefore, r.last.Number
	}
	const query = `SELECT ` + readColumns + ` FROM orders WHERE status = 'unpaid'
		AND ((pay_before_ms = ? AND number > ?) OR (pay_before_ms > ? AND pay_before_ms <= ?))
		ORDER BY pay_before_ms, number LIMIT ?`
	page, err := selectOrders(ctx, d.db.Write, query, after, afterNumber, after, r.byMS, d.cfg.Page)
	if err != nil && !errors.Is(err, ErrBadRecord) { // an order without items is reported when it is cancelled
		return nil, fmt.Errorf("select orders that are due: %w", err)
	}
	return page, nil
}

// cancelDue cancels the orders of a page, except orders whose payment is awaited and orders whose owners' rows were
// locked a moment ago.
func (d *DueCanceller) cancelDue(ctx context.Context, r *dueRun, page []*Order) error {
	awaited, err := d.awaited.among(ctx, d.db.Write, page)
	if err != nil {
		return err
	}
	if d.extend != nil && len(awaited) > 0 {
		if err := d.extend(ctx, slices.Sorted(maps.Keys(awaited))); err != nil && len(r.failed) < maxReported {
			r.failed = append(r.failed, err)
		}
	}
	due := make([]*Order, 0, len(page))
	for _, o := range page {
		if !awaited[o.Number] && !slices.ContainsFunc(ownersOf(o), d.db.Busy.Skips) && !d.db.Busy.Skips(orderRow(o)) {
			due = append(due, o)
		}
	}
	if len(due) == 0 {
		return nil
	}
	return d.cancelPage(ctx, r, due)
}

// ownersOf returns the owners of the rows that an order shares with others: its sale, or each of its skus.
func ownersOf(o *Order) []sqldb.Owner {
	if o.Type == Seckill || len(o.Items) == 0 {
		return []sqldb.Owner{sqldb.StockOf(o.Activity)}
	}
	owners := make([]sqldb.Owner, len(o.Items))
	for i, it := range o.Items {
		owners[i] = sqldb.Owner{Kind: sqldb.SKURows, ID: it.SKU}
	}
	return owners
}

func orderRow(o *Order) sqldb.Owner { return sqldb.Owner{Kind: sqldb.OrderRow, ID: o.Number.String()} }

// cancelPage cancels a page of orders in one transaction. If some of them can't be cancelled, it cancels each order in
// a transaction of its own.
func (d *DueCanceller) cancelPage(ctx context.Context, r *dueRun, page []*Order) error {
	err := d.cancel(ctx, page, r.byMS)
	if err == nil {
		r.cancelled += len(page)
		d.giveBack(ctx, r, page)
		return nil
	}
	if !oneByOne(err) {
		return err
	}
	onOneByOne.Mark()
	var first []sqldb.Owner
	byFirst := map[sqldb.Owner][]*Order{} // so that the units of a sale are given back together
	for _, o := range page {
		owner := ownersOf(o)[0]
		if byFirst[owner] == nil {
			first = append(first, owner)
		}
		byFirst[owner] = append(byFirst[owner], o)
	}
	locked := map[sqldb.Owner]bool{}
	for i := 0; i < len(first) && ctx.Err() == nil; i++ {
		if err := d.cancelEach(ctx, r, byFirst[first[i]], locked); err != nil {
			return err
		}
	}
	return nil
}

// cancelEach cancels orders, each in its own transaction, except orders whose owners' rows are locked: each of them
// would have to wait. locked has the owners of the page that were probed.
func (d *DueCanceller) cancelEach(
	ctx context.Context, r *dueRun, orders []*Order, locked map[sqldb.Owner]bool,
) error {
	cancelled := make([]*Order, 0, len(orders))
	defer func() { d.giveBack(ctx, r, cancelled) }()
	for _, o := range orders {
		if ctx.Err() != nil {
			break
		}
		if waits, err := d.waits(ctx, r, o, locked); err != nil {
			return err
		} else if waits {
			continue
		}
		err := d.cancel(ctx, []*Order{o}, r.byMS)
		if d.db.Busy.Note(orderRow(o), err) {
			for _, owner := range ownersOf(o) { // it may have been locked since it was probed
				delete(locked, owner)
			}
		}
		switch {
		case err == nil:
			r.cancelled++
			r.refused = 0
			cancelled = append(cancelled, o)
		case errors.Is(err, errNotUnpaid), errors.Is(err, ErrAwaited): // decided, or a payment has begun
			onDecided.Mark()
		case !oneByOne(err):
			return err
		case errors.Is(err, sqldb.ErrHost): // which is logged where the host is called
			if r.refused++; r.refused == maxRefused {
				d.end(r.last)
				return err
			}
			r.fail(o, err)
		default:
			d.log.WarnContext(ctx, "a due order can't be cancelled", "order_number", o.Number, "error", err)
			r.fail(o, err)
		}
	}
	return nil
}

// waits reports whether rows of an owner of an order are locked. It probes each owner of a page once.
func (d *DueCanceller) waits(
	ctx context.Context, r *dueRun, o *Order, locked map[sqldb.Owner]bool,
) (bool, error) {
	owners := ownersOf(o)
	if slices.ContainsFunc(owners, func(owner sqldb.Owner) bool { return locked[owner] }) {
		return true, nil
	}
	for _, owner := range owners {
		if _, probed := locked[owner]; probed {
			continue
		}
		err := d.probe(ctx, owner)
		if locked[owner] = d.db.Busy.Note(owner, err); locked[owner] {
			r.fail(o, err)
			d.log.InfoContext(ctx, "due orders wait: another transaction has locked rows of their owner",
				"rows", owner.Kind, "owner", owner.ID)
			return true, nil
		} else if err != nil {
			return false, err
		}
	}
	return false, nil
}

// probe locks the rows of an owner for a moment.
func (d *DueCanceller) probe(ctx context.Context, owner sqldb.Owner) error {
	return d.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if owner.Kind == sqldb.StockRows {
			return Fence(ctx, tx, owner.ID)
		}
		_, err := tx.ExecContext(ctx, `UPDATE skus SET stock = stock WHERE sku_id = ?`, owner.ID)
		if err != nil {
			return fmt.Errorf("lock sku %s: %w", owner.ID, err)
		}
		return nil
	})
}

// fail keeps the error of an order, unless there are enough.
func (r *dueRun) fail(o *Order, err error) {
	if len(r.failed) < maxReported {
		r.failed = append(r.failed, fmt.Errorf("order %s: %w", o.Number, err))
	}
}

// ErrAwaited says that a payment began after the awaited orders were left out.
var ErrAwaited = errors.New("money may still come for an order")

// oneByOne reports whether the error may be caused by one order of a page, rather than by the store.
func oneByOne(err error) bool {
	return errors.Is(err, errNotUnpaid) || errors.Is(err, errNoSuchStock) || errors.Is(err, ErrAwaited) ||
		sqldb.IsRowError(err) || sqldb.IsDuplicate(err) || sqldb.IsRetryable(err) || errors.Is(err, sqldb.ErrHost)
}

func (d *DueCanceller) cancel(ctx context.Context, orders []*Order, dueMS int64) error {
	ascending := slices.SortedFunc(slices.Values(orders),
		func(a, b *Order) int { return cmp.Compare(a.Number, b.Number) })
	err := d.db.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := d.faults.After("cancel_try"); err != nil {
			return err
		}
		if err := d.changed.cancel(ctx, tx, ascending, d.clock.Now().UnixMilli(), dueMS, CancelledByTimeout,
			LogLine{Actor: "job:cancel_unpaid"}); err != nil {
			return err
		}
		// Again, now that the orders' rows are locked and no payment of them can begin.
		switch awaited, err := d.awaited.among(ctx, tx, ascending); {
		case err != nil:
			return err
		case len(awaited) > 0:
			return ErrAwaited
		}
		return d.decided.call(ctx, tx, ascending...)
	})
	if err != nil {
		return err
	}
	return d.faults.After("cancel_commit")
}

// giveBack gives the units of cancelled orders back to Redis. It only logs an error: the job
// settle_stock gives back what can't be given back now.
func (d *DueCanceller) giveBack(ctx context.Context, r *dueRun, orders []*Order) {
	byActivity := map[string][]Number{}
	for _, o := range orders {
		if o.Type == Seckill {
			byActivity[o.Activity] = append(byActivity[o.Activity], o.Number)
		}
	}
	for activity, numbers := range byActivity {
		if r.redisAway {
			break
		}
		if _, err := d.settle.carryOut(ctx, OutboxReturn, activity, numbers); err != nil {
			onReturnLater.Mark()
			r.redisAway = true
			d.log.WarnContext(ctx, "units of cancelled orders will be given back later",
				"activity_id", activity, "error", err)
		}
	}
}
