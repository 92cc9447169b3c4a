package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// first is the stored order that has the task of a repeat.
type first struct {
	Number   order.Number `db:"number"`
	User     string       `db:"user_id"`
	Digest   string       `db:"digest"`
	Activity string       `db:"activity_id"`
	Point    string       `db:"point_id"`
	Status   order.Status `db:"status"`
	Reason   string       `db:"reason"`
}

const firstColumns = `number, user_id, digest, activity_id, point_id, status, reason`

// explainTask returns the verdict on an order that can't be stored since another one has its task.
func (s *storer) explainTask(ctx context.Context, o *order.Order) (verdict, error) {
	var had first
	err := s.db.Write.GetContext(ctx, &had, `SELECT `+firstColumns+` FROM orders WHERE task_id = ?`, o.Task)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return verdict{}, fmt.Errorf("store order %s: the duplicate row no longer exists", o.Number)
	case err != nil:
		return verdict{}, fmt.Errorf("select order of task: %w", err)
	}
	return decide(&facts{order: o, first: &had}), nil
}

// repeats returns the entries of a batch that repeat stored orders.
func (b *batch) repeats() (found []*waiting) {
	for i := range b.waiting {
		if b.waiting[i].verdict.Verdict == lua.VerdictRepeat {
			found = append(found, &b.waiting[i])
		}
	}
	return found
}

// holdFirsts locks the orders that are repeated until tx ends, and reads them again: an order that was
// unpaid may have been cancelled or paid since, and its return or confirm found no hold then. paid are
// those that were paid since: they get their hold back, to be confirmed once more.
func holdFirsts(ctx context.Context, tx *sqlx.Tx, repeats []*waiting) (paid []*first, err error) {
	numbers := make([]any, len(repeats))
	for i, w := range repeats {
		numbers[i] = w.verdict.first
	}
	in := ` WHERE number IN (` + sqldb.In(len(numbers)) + `)`
	if _, err := tx.ExecContext(ctx, `UPDATE orders SET status = status`+in, numbers...); err != nil {
		return nil, fmt.Errorf("hold %d orders that were placed again: %w", len(numbers), err)
	}
	var firsts []*first
	if err := tx.SelectContext(ctx, &firsts, `SELECT `+firstColumns+` FROM orders`+in, numbers...); err != nil {
		return nil, fmt.Errorf("select %d orders that were placed again: %w", len(numbers), err)
	}
	known := make(map[order.Number]*first, len(firsts))
	for _, f := range firsts {
		known[f.Number] = f
	}
	for _, w := range repeats {
		f, ok := known[w.verdict.first]
		if !ok {
			return nil, fmt.Errorf("order %s, placed again as %s, no longer exists", w.verdict.first, w.order.Number)
		}
		wasUnpaid := w.verdict.of.Unpaid
		w.verdict = f.repeated(w.order)
		if wasUnpaid && (f.Status == order.Paid || f.Status == order.Refunded) {
			w.verdict.of.Unpaid = true
			onRepeatPaid.Mark()
			paid = append(paid, f)
		}
	}
	return paid, nil
}

// ackRepeats removes a batch with repeats from the queue. It holds locks on the repeated orders, so that
// none of them is paid or cancelled after it was read and before it gets its hold. A crash before the
// confirm leaves the hold of a paid order, which has no effect on the stock.
func (m *Mover) ackRepeats(
	ctx context.Context, lane, from int, b *batch, repeats []*waiting,
) (acked lua.Acked, err error) {
	var paid []*first
	err = m.store.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		if paid, err = holdFirsts(ctx, tx, repeats); err != nil {
			return err
		}
		done, err := m.ackEntries(ctx, lane, from, b)
		if err == nil && acked.Seen == 0 { // a retry doesn't find the entries that an earlier try removed
			acked = done
		}
		return err
	})
	if err != nil {
		return acked, err
	}
	for _, f := range paid {
		_, err := m.lua.Confirm(ctx, lane, f.Activity, []string{f.Number.String()})
		if err != nil && !errors.Is(err, lua.ErrUnconfirmed) { // a failover is like a crash
			return acked, err
		}
	}
	return acked, nil
}
