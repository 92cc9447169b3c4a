package queue

import (
	"context"

	"onrush/lua"
	"onrush/modules/order"
)

// storeBatch stores the orders of a batch and sets the verdict of every entry.
func (m *Mover) storeBatch(ctx context.Context, b *batch) error {
	batch := b.waiting
	var orders []*order.Order
	var at []int
	for i := range batch {
		if batch[i].order != nil {
			orders = append(orders, batch[i].order)
			at = append(at, i)
		}
	}
	if len(orders) > 0 {
		verdicts, err := m.store.store(ctx, orders, b.asOf)
		if err != nil {
			return err
		}
		for j, v := range verdicts {
			batch[at[j]].verdict = v
		}
	}
	for i := range batch {
		if batch[i].verdict.Verdict != "" {
			continue
		}
		if err := m.storeLost(ctx, &batch[i]); err != nil {
			return err
		}
	}
	return m.readBought(ctx, batch)
}

// storeLost sets the verdict of an entry without a record: stored already, or dead.
func (m *Mover) storeLost(ctx context.Context, w *waiting) error {
	known, err := selectKnown(ctx, m.store.db.Write, []*order.Order{{Number: w.entry.Number}})
	if err != nil {
		return err
	}
	sqlHas, ok := known[w.entry.Number]
	switch {
	case !ok || sqlHas.User != w.entry.User:
		w.verdict = verdict{Verdict: lua.VerdictDead, reason: order.ReasonNoRecord}
	case sqlHas.Status == order.Failed:
		w.verdict = verdict{Verdict: failedVerdict(sqlHas.Reason), reason: sqlHas.Reason}
	default:
		w.verdict = verdict{Verdict: lua.VerdictStored}
	}
	if ok {
		w.order = &order.Order{Number: w.entry.Number, Task: sqlHas.Task}
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
