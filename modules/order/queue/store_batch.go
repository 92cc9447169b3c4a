package queue

import (
	"context"

	"onrush/lua"
	"onrush/modules/order"
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
	err := m.storeTogether(ctx, ready, asOf)
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
			err = m.storeTogether(ctx, bySale[sale], asOf)
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

// storeTogether stores the orders of entries and sets their verdicts.
func (m *Mover) storeTogether(ctx context.Context, ready []*waiting, asOf map[string]int64) error {
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
		b := &w.verdict.bought
		b.All, b.SKU, err = order.SelectBought(ctx, m.store.db.Write, w.entry.Activity, w.entry.User,
			w.order.Items[0].SKU)
		if err != nil {
			return err
		}
	}
	return nil
}
