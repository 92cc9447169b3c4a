package queue

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/order/numbers"
	"onrush/modules/sqldb"
)

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

// store stores a batch in SQL and returns a verdict for each order. asOf has the epochs of the orders'
// activities from before the orders were read from Redis. errEpoch means that an activity was loaded in
// between, and that nothing was stored for it; any other error means that the store is unavailable. In
// both cases some of the orders may be stored, and the caller must read and store the batch again.
func (s *storer) store(ctx context.Context, orders []*order.Order, asOf map[string]int64) ([]verdict, error) {
	verdicts, err := s.storeTogether(ctx, orders, asOf)
	// Others that store the same orders and roll back leave those that wait for them in a deadlock, again and again
	// if a batch has many such orders; of one order, somebody commits soon.
	if err != nil && (sqldb.IsRefused(err) || sqldb.IsDeadlock(err) || errors.Is(err, errGuard) ||
		errors.Is(err, order.ErrLimit) || errors.Is(err, sqldb.ErrHost) && len(orders) > 1) {
		onOneByOne.Mark()
		return s.storeEach(ctx, orders, asOf)
	}
	return verdicts, err
}

// storeTogether stores what SQL doesn't have, all or nothing.
func (s *storer) storeTogether(ctx context.Context, orders []*order.Order, asOf map[string]int64) ([]verdict, error) {
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
			units[order.StockOf(o)] += o.Items[0].Quantity
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
