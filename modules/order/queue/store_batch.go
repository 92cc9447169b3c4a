package queue

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
	"onrush/modules/order/numbers"
	"onrush/modules/sqldb"
)

// storeBatch stores the orders of a batch and sets the verdict of every entry.
func (m *Mover) storeBatch(ctx context.Context, b *batch) error {
	var ready, lost []*waiting
	for i := range b.waiting {
		switch w := &b.waiting[i]; {
		case w.verdict.Verdict != "":
		case w.lost:
			lost = append(lost, w)
		default:
			ready = append(ready, w)
		}
	}
	if err := m.storeReady(ctx, ready, b.asOf); err != nil {
		return err
	}
	if err := m.renumber(ctx, ready); err != nil {
		return err
	}
	if err := m.storeLost(ctx, lost); err != nil {
		return err
	}
	return m.readBought(ctx, b.waiting)
}

// storeReady stores the orders of entries together or, if rows of one of their sales are locked, each sale by itself:
// the entries of a sale whose rows are locked wait.
func (m *Mover) storeReady(ctx context.Context, ready []*waiting, asOf map[string]int64) error {
	err := m.storeAndJudge(ctx, ready, asOf)
	if !sqldb.IsLockTimeout(err) {
		if err == nil && m.busy.Len() > 0 {
			for _, w := range ready {
				m.busy.Note(sqldb.StockOf(w.entry.Activity), nil)
			}
		}
		return err
	}
	onLockedRows.Mark()
	var sales []string
	bySale := map[string][]*waiting{}
	for _, w := range ready {
		if bySale[w.entry.Activity] == nil {
			sales = append(sales, w.entry.Activity)
		}
		bySale[w.entry.Activity] = append(bySale[w.entry.Activity], w)
	}
	for _, sale := range sales {
		if len(sales) > 1 {
			err = m.storeAndJudge(ctx, bySale[sale], asOf)
		}
		switch {
		case m.busy.Note(sqldb.StockOf(sale), err):
			m.log.InfoContext(ctx, "the orders of a sale wait: another transaction has locked its rows",
				"activity_id", sale, "orders", len(bySale[sale]), "error", err)
			for _, w := range bySale[sale] {
				w.verdict = decide(&facts{locked: true})
			}
		case err != nil:
			return err
		}
	}
	return nil
}

// storeAndJudge stores the orders of entries and sets their verdicts.
func (m *Mover) storeAndJudge(ctx context.Context, ready []*waiting, asOf map[string]int64) error {
	if len(ready) == 0 {
		return nil
	}
	orders := make([]*order.Order, len(ready))
	for i, w := range ready {
		orders[i] = w.order
	}
	verdicts, err := m.store.store(ctx, orders, asOf)
	if err != nil {
		return err
	}
	for i, v := range verdicts {
		ready[i].verdict = v
	}
	return nil
}

// storeLost sets the verdicts of entries without a record: stored already, or dead.
func (m *Mover) storeLost(ctx context.Context, lost []*waiting) error {
	if len(lost) == 0 {
		return nil
	}
	numbers := make([]order.Number, len(lost))
	for i, w := range lost {
		numbers[i] = w.entry.Number
	}
	known, err := order.SelectStored(ctx, m.store.db.Write, numbers)
	if err != nil {
		return err
	}
	for _, w := range lost {
		f := facts{entry: w.entry}
		if row, ok := known[w.entry.Number]; ok {
			f.row = &row
			w.order = &order.Order{Number: w.entry.Number, Task: row.Task}
		}
		w.verdict = decide(&f)
	}
	return nil
}

// readBought reads the counts in SQL of the buyers of orders over a limit: their counts in Redis must
// not become lower. The sku of an entry without a record is unknown.
func (m *Mover) readBought(ctx context.Context, batch []waiting) (err error) {
	for i := range batch {
		w := &batch[i]
		if w.verdict.Verdict != lua.VerdictOverLimit || w.order == nil || len(w.order.Items) == 0 {
			continue
		}
		if w.verdict.bought, err = selectBought(ctx, m.store.db.Write, w.order); err != nil {
			return err
		}
	}
	return nil
}

var (
	// errGuard says that activity_stock has no room for the units of a batch, or has another epoch.
	errGuard = errors.New("stock guard refused")
	// errEpoch says that the activity was loaded after the order was read from Redis: the order may
	// no longer be in Redis and must be read again.
	errEpoch = errors.New("the activity was loaded in between")
	// errNoActivity says that SQL doesn't have the activity of an order: it is the wrong database, or
	// one from before the sale, so the order must not be marked as failed.
	errNoActivity = errors.New("the database doesn't have the activity")
)

// storer stores cached orders in SQL, each exactly once, even if it is called repeatedly and on several
// instances.
type storer struct {
	db       *sqldb.DB
	lua      *lua.Scripts
	numbers  *numbers.Numbers
	log      *slog.Logger
	epochs   *epochs
	now      func() time.Time
	faults   order.Faults
	refusals refusals
	changed  order.Changed
}

func newStorer(d Deps) *storer {
	return &storer{
		db: d.DB, lua: d.Lua, numbers: d.Numbers, log: d.Log, epochs: newEpochs(d.DB), now: d.Clock.Now,
		faults: d.Faults, changed: d.Changed,
	}
}

// store stores a batch in SQL and returns a verdict for each order. asOf has the epochs of the orders' activities from
// before the orders were read from Redis. errEpoch means that an activity was loaded in between, and none of its orders
// were stored. Any other error means that the store is unavailable. After either error orders of other activities may
// be stored, and the caller must read and store the batch again.
func (s *storer) store(ctx context.Context, orders []*order.Order, asOf map[string]int64) ([]verdict, error) {
	verdicts, err := s.storeAllOrNone(ctx, orders, asOf)
	// Two instances that store the same orders, as after a lane changed hands, may wait for each other's rows. A whole
	// batch could fail so again and again; with an order a transaction one of the two commits.
	if err != nil && (sqldb.IsRefused(err) || sqldb.IsDeadlock(err) || errors.Is(err, errGuard) ||
		errors.Is(err, order.ErrLimit) || errors.Is(err, sqldb.ErrHost) && len(orders) > 1) {
		onOneByOne.Mark()
		return s.storeEach(ctx, orders, asOf)
	}
	return verdicts, err
}

// storeAllOrNone stores what SQL doesn't have, all or nothing.
func (s *storer) storeAllOrNone(ctx context.Context, orders []*order.Order, asOf map[string]int64) ([]verdict, error) {
	sorted := slices.SortedFunc(slices.Values(orders), func(a, b *order.Order) int {
		return cmp.Compare(a.Number, b.Number)
	})
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Number == sorted[i-1].Number {
			return nil, errGuard // the batch has the same order twice; storeEach finds the second one stored
		}
	}
	verdicts := make([]verdict, len(orders))
	var fresh []*order.Order
	err := s.inTx(ctx, func(tx *sqlx.Tx) error {
		known, err := order.SelectStored(ctx, tx, numbersOf(sorted))
		if err != nil {
			return err
		}
		fresh = make([]*order.Order, 0, len(sorted))
		units := map[order.StockKey]int64{}
		for _, o := range sorted {
			if _, ok := known[o.Number]; ok {
				continue
			}
			fresh = append(fresh, o)
			o.AddTo(units)
		}
		for i, o := range orders {
			f := facts{order: o}
			if row, ok := known[o.Number]; ok {
				f.row = &row
			}
			verdicts[i] = decide(&f)
		}
		if err := order.Insert(ctx, tx, fresh, s.changed); err != nil {
			return err
		}
		if err := s.faults.After("insert"); err != nil {
			return err
		}
		return sell(ctx, tx, units, asOf)
	})
	if err != nil {
		return nil, err
	}
	s.refusals.committed(len(fresh))
	return verdicts, s.faults.After("commit")
}

func numbersOf(orders []*order.Order) []order.Number {
	numbers := make([]order.Number, len(orders))
	for i, o := range orders {
		numbers[i] = o.Number
	}
	return numbers
}

// inTx runs fn in a transaction, and again after order.ErrRaced.
func (s *storer) inTx(ctx context.Context, fn func(tx *sqlx.Tx) error) (err error) {
	for range maxRaces {
		if err = s.db.InTx(ctx, fn); !errors.Is(err, order.ErrRaced) {
			return err
		}
		onRaced.Mark()
	}
	return err
}

// maxRaces bounds the runs of a transaction that fails with order.ErrRaced. The next run finds the row that
// caused it, so it can only fail again because of another new row.
const maxRaces = 20

// sell adds units to sold, if the total allows it and the epoch matches; otherwise the error is errGuard.
// storer.storeFailed then reads which of the two it was.
func sell(ctx context.Context, tx *sqlx.Tx, units map[order.StockKey]int64, asOf map[string]int64) error {
	sold, err := order.AddSold(ctx, tx, units, "sold = sold +", func(k order.StockKey) (guard string, bound []any) {
		return "epoch = ? AND sold + ? <= total", []any{asOf[k.Activity], units[k]}
	})
	switch {
	case err != nil:
		return fmt.Errorf("sell: %w", err)
	case sold != int64(len(units)):
		return errGuard
	}
	return nil
}
