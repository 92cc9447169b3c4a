package myorders

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/order/versions"
	"onrush/modules/sqldb"
)

// maxInline is the number of cached orders with which a list reads the records of stored orders together with
// their numbers. With more, too many orders are in reach of the page, and their records are read afterwards.
const maxInline = 50

// What a row of the statement of readFrom is.
const (
	rowTotal    = 1 // n stored orders meet the filter, in one table
	rowStored   = 2 // SQL has the user's number of found, in any status, with this task
	rowPage     = 3 // an order within reach of the page
	rowArchived = 4 // the user has archived orders if n is 1
	rowVersion  = 5 // the user's version is n
)

// read reads the window's stored orders from SQL. Most users have no archived orders, and a statement on both tables
// takes nearly twice as long, so another statement reads both if the first one says that there are some.
func (s *Service) read(ctx context.Context, q sqlx.QueryerContext, m match, w *window) error {
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	both := m.Period == Older
	archived, err := w.readFrom(ctx, q, m, both)
	if err == nil && archived && !both {
		_, err = w.readFrom(ctx, q, m, true)
	}
	return err
}

// readFrom reads the stored orders from the table of live orders, or from both tables. It runs one statement, so that
// all rows are of one state of the store. If it reads live orders only, it reports whether the user has archived orders
// in this state. The error is sqldb.ErrBehind if the state is older than w.version.
func (w *window) readFrom(ctx context.Context, q sqlx.QueryerContext, m match, both bool) (archived bool, err error) {
	query, args := w.statement(m, both)
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return false, fmt.Errorf("select orders: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var total, version int64
	stored := make(map[order.Number]string, len(w.found))
	var page []Row
	for rows.Next() {
		var what int
		var n int64
		var task string
		r := Row{State: order.State{Source: order.FromSQL}}
		var record []byte
		if err := rows.Scan(&what, &n, &task, &r.Number, &r.Status, &r.PaidAt, &r.CancelledAt, &r.RefundedAmount,
			&r.CancelReason, &record); err != nil {
			return false, fmt.Errorf("select orders: %w", err)
		}
		r.content = order.ContentOf(record)
		switch what {
		case rowVersion:
			version = n
		case rowArchived:
			archived = n > 0
		case rowTotal:
			total += n
		case rowStored:
			stored[r.Number] = task
		default:
			page = append(page, r)
		}
	}
	if err := rows.Err(); err != nil {
		return false, fmt.Errorf("select orders: %w", err)
	}
	if version < w.version {
		return false, sqldb.ErrBehind
	}
	w.stored = total
	w.keepCached(stored)
	w.merge(page)
	return archived, nil
}

// statement returns the statement of readFrom with its arguments.
func (w *window) statement(m match, both bool) (query string, args []any) {
	var b strings.Builder
	where := m.where()
	if w.version > 0 {
		fmt.Fprintf(&b, `SELECT %d, version, '', 0, '', 0, 0, 0, '', NULL FROM user_versions WHERE part = ? UNION ALL `,
			rowVersion)
		args = append(args, versions.PartOf(m.user))
	}
	if m.archivable() && !both {
		fmt.Fprintf(&b, `SELECT %d, EXISTS (SELECT 1 FROM orders_archive WHERE user_id = ?),
			'', 0, '', 0, 0, 0, '', NULL UNION ALL `, rowArchived)
		args = append(args, m.user)
	}
	if w.before == 0 {
		const total = `SELECT %d, COUNT(*), '', 0, '', 0, 0, 0, '', NULL FROM %s%s UNION ALL `
		fmt.Fprintf(&b, total, rowTotal, order.Live, where.String())
		args = append(args, where.Args()...)
		if both {
			fmt.Fprintf(&b, total, rowTotal, order.Archived, where.String())
			args = append(args, where.Args()...)
		}
	}
	if len(w.found) > 0 { // cached orders are not old enough for the archive
		// Another user's order may have the number of a cached one.
		const had = `SELECT %d, 0, task_id, number, '', 0, 0, 0, '', NULL FROM orders
			WHERE number IN (%s) AND user_id = ? UNION ALL `
		fmt.Fprintf(&b, had, rowStored, sqldb.In(len(w.found)))
		for _, e := range w.found {
			args = append(args, e.number)
		}
		args = append(args, m.user)
	}
	record := "o.record"
	if len(w.found) > maxInline {
		record = "NULL"
	}
	// Each table joins the same numbers, so that only the records of the page are read.
	const page = `SELECT %d, 0, '', o.number, o.status, o.paid_ms, o.cancelled_ms, o.refunded_amount, o.reason, %s
		FROM (%s) AS page JOIN %s AS o ON o.number = page.number`
	numbers, numberArgs := w.numbers(m, both)
	fmt.Fprintf(&b, page, rowPage, record, numbers, "orders")
	args = append(args, numberArgs...)
	if both {
		fmt.Fprintf(&b, ` UNION ALL `+page, rowPage, record, numbers, "orders_archive")
		args = append(args, numberArgs...)
	}
	return b.String(), args
}

// numbers returns the statement that selects the numbers of the stored orders within reach of the page.
func (w *window) numbers(m match, both bool) (query string, args []any) {
	where := m.where()
	where.And("number < ?", w.below())
	offset, limit := w.reach()
	live := `SELECT number FROM ` + order.Live + where.String()
	if !both {
		return live + ` ORDER BY number DESC LIMIT ? OFFSET ?`, where.Args(limit, offset)
	}
	archived := `SELECT number FROM ` + order.Archived + where.String()
	return order.Newest(live, archived, where.Args(), limit, offset)
}
