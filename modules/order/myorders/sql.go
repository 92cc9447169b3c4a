package myorders

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// maxInline is the number of cached orders with which a list reads the records of stored orders together with
// their numbers. With more, too many orders are in reach of the page, and their records are read afterwards.
const maxInline = 50

// What a row of the statement of read is.
const (
	rowTotal  = 1 // the number of stored orders that meet the filter
	rowStored = 2 // a number of found that SQL has, in any status
	rowPage   = 3 // an order within reach of the page
)

// read reads the window's stored orders from SQL. It is one statement, so that all its rows are of one state of
// the store.
func (s *Service) read(ctx context.Context, q sqlx.QueryerContext, m match, w *window) error {
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	query, args := w.statement(m)
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("select orders: %w", err)
	}
	defer func() { _ = rows.Close() }()
	stored := make(map[order.Number]bool, len(w.found))
	var page []Row
	for rows.Next() {
		var what int
		r := Row{State: order.State{Source: order.FromSQL}}
		var record []byte
		if err := rows.Scan(&what, &r.Number, &r.Status, &r.PaidAt, &r.CancelledAt, &r.RefundedAmount, &r.CancelReason,
			&record); err != nil {
			return fmt.Errorf("select orders: %w", err)
		}
		r.content = order.ContentOf(record)
		switch what {
		case rowTotal:
			w.stored = int64(r.Number)
		case rowStored:
			stored[r.Number] = true
		default:
			page = append(page, r)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("select orders: %w", err)
	}
	w.keepCached(stored)
	w.merge(page)
	return nil
}

// statement returns the statement of read with its arguments.
func (w *window) statement(m match) (query string, args []any) {
	var b strings.Builder
	where := m.where()
	if w.before == 0 {
		fmt.Fprintf(&b, `SELECT %d, COUNT(*), '', 0, 0, 0, '', NULL FROM orders%s UNION ALL `, rowTotal, where.String())
		args = append(args, where.Args()...)
	}
	if len(w.found) > 0 {
		fmt.Fprintf(&b, `SELECT %d, number, '', 0, 0, 0, '', NULL FROM orders WHERE number IN (%s) UNION ALL `,
			rowStored, sqldb.In(len(w.found)))
		for _, e := range w.found {
			args = append(args, e.number)
		}
	}
	record := "o.record"
	if len(w.found) > maxInline {
		record = "NULL"
	}
	offset, limit := w.reach()
	fmt.Fprintf(&b, `SELECT %d, o.number, o.status, o.paid_ms, o.cancelled_ms,
		o.refunded_amount, o.reason, %s
		FROM (SELECT number FROM orders%s AND number < ? ORDER BY number DESC LIMIT ? OFFSET ?) AS page
		JOIN orders AS o ON o.number = page.number`, rowPage, record, where.String())
	return b.String(), append(args, where.Args(w.below(), limit, offset)...)
}
