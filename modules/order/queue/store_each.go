package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// storeEach stores each order in its own transaction. If SQL refuses an order with an unknown error, the
// others are stored and the call fails, until refusals reports the order as hopeless; then its verdict
// is dead. The host program's function may refuse orders too: they stay in the queue if others are stored. If it
// refuses all orders, the function itself is at fault, and the call fails.
func (s *storer) storeEach(ctx context.Context, orders []*order.Order, asOf map[string]int64) ([]verdict, error) {
	verdicts := make([]verdict, len(orders))
	since := s.refusals.commitsSoFar()
	refused := map[int]error{}
	var byHost []int
	var host error
	for i, o := range orders {
		v, err := s.storeOne(ctx, o, asOf)
		switch {
		case err == nil:
			verdicts[i] = v
			s.refusals.forget(o.Number)
		case errors.Is(err, sqldb.ErrHost):
			onHostRefuses.Mark()
			byHost, host = append(byHost, i), fmt.Errorf("store order %s: %w", o.Number, err)
		case sqldb.IsRefused(err):
			onRefused.Mark()
			s.refusals.failed(o.Number, since)
			refused[i] = err
		default:
			return nil, err
		}
	}
	if len(byHost) == len(orders) {
		return nil, host
	}
	for _, i := range byHost {
		verdicts[i] = decide(&facts{locked: true})
	}
	for i, err := range refused {
		if !s.refusals.hopeless(orders[i].Number) {
			return nil, fmt.Errorf("store order %s: %w", orders[i].Number, err)
		}
		verdicts[i] = decide(&facts{order: orders[i], failed: err})
	}
	for i := range refused { // not earlier: while one of them is tried, the whole batch is stored again
		s.refusals.forget(orders[i].Number)
	}
	return verdicts, nil
}

// storeOne stores one order; if it can't be stored, the verdict says why.
func (s *storer) storeOne(ctx context.Context, o *order.Order, asOf map[string]int64) (verdict, error) {
	f, stored := facts{order: o}, 0
	err := s.inTx(ctx, func(tx *sqlx.Tx) (err error) {
		if f.row, err = rowOf(ctx, tx, o.Number); err != nil {
			return err
		}
		if stored = 0; f.row != nil {
			return nil
		}
		stored = 1
		if err := order.Insert(ctx, tx, []*order.Order{o}, s.changed); err != nil {
			return err
		}
		units := map[order.StockKey]int64{}
		o.AddTo(units)
		return sell(ctx, tx, units, asOf)
	})
	switch {
	case err == nil:
		s.refusals.committed(stored)
		return decide(&f), nil
	case errors.Is(err, order.ErrLimit), errors.Is(err, errGuard):
		return s.storeFailed(ctx, o, asOf, err)
	case sqldb.IsDuplicate(err):
		return s.explainDuplicate(ctx, o)
	case sqldb.IsRowError(err):
		return decide(&facts{order: o, failed: err}), nil
	}
	return verdict{}, err
}

// storeFailed stores an order as failed, because no units are left or its buyer has reached a limit, so
// that the buyer sees the order and the reason.
func (s *storer) storeFailed(
	ctx context.Context, o *order.Order, asOf map[string]int64, why error,
) (verdict, error) {
	v := decide(&facts{order: o, failed: why})
	failed := *o
	failed.Status, failed.Reason = order.Failed, v.reason
	err := s.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := order.Insert(ctx, tx, []*order.Order{&failed}, s.changed); err != nil {
			return err
		}
		if err := order.AddLogLine(ctx, tx, order.LogLine{
			Order: o.Number, AtMS: max(s.now().UnixMilli(), int64(o.PlacedAt)), Actor: "mover",
			Action: order.LoggedFailed,
		}); err != nil {
			return err
		}
		var rows []int64
		const current = `SELECT epoch FROM activity_stock WHERE activity_id = ?`
		if err := order.Fence(ctx, tx, o.Activity); err != nil {
			return err
		}
		if err := tx.SelectContext(ctx, &rows, current, o.Activity); err != nil {
			return fmt.Errorf("select epoch of %s: %w", o.Activity, err)
		}
		if len(rows) == 0 {
			return errNoActivity
		}
		if rows[0] != asOf[o.Activity] {
			onFailedLoaded.Mark()
			s.epochs.forget(o.Activity)
			return errEpoch
		}
		return nil
	})
	switch {
	case err == nil:
		return v, nil
	case sqldb.IsDuplicate(err):
		return s.explainDuplicate(ctx, o)
	case errors.Is(err, errNoActivity), sqldb.IsRowError(err):
		return decide(&facts{order: o, failed: err}), nil
	}
	return verdict{}, err
}

// explainDuplicate returns the verdict on an order after a duplicate key error: it was stored in the
// meantime, or another order has its number or task.
func (s *storer) explainDuplicate(ctx context.Context, o *order.Order) (verdict, error) {
	onDuplicate.Mark()
	row, err := rowOf(ctx, s.db.Write, o.Number)
	if err != nil {
		return verdict{}, err
	}
	if row != nil {
		return decide(&facts{order: o, row: row}), nil
	}
	return s.explainTask(ctx, o)
}

// rowOf returns the order that SQL has with a number, or nil.
func rowOf(ctx context.Context, q sqlx.QueryerContext, n order.Number) (*order.Stored, error) {
	known, err := order.SelectStored(ctx, q, []order.Number{n})
	if row, ok := known[n]; ok && err == nil {
		return &row, nil
	}
	return nil, err
}
