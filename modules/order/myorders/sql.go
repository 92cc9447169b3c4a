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

const (
	// maxInline is the number of cached orders with which a list reads the records of stored orders together with
	// their numbers. With more, too many orders are in reach of the page, and their records are read afterwards.
	maxInline = 50
	// maxSkipped is the number of stored orders before a page that are read and thrown away. To skip more, their
	// numbers are selected first, from the index.
	maxSkipped = 50
)

// What a row of the statement of readFrom is.
const (
	rowCounts = 1 // no order
	rowStored = 2 // SQL has the user's number of found, in any status, with this task
	rowPage   = 3 // an order within reach of the page
)

// counts are what readFrom reads beside the orders of the page.
type counts struct {
	total    int64 // by page number: the stored orders that meet the filter
	archived bool  // the user has archived orders, which were not read
	version  int64 // the user's, if the window has one
}

// read reads the window's stored orders from SQL. Most users have no archived orders, and a statement on both tables
// takes nearly twice as long, so another statement reads both if the first one says that there are some.
func (s *Service) read(ctx context.Context, q sqlx.QueryerContext, m match, w *window) error {
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	both := m.Period == Older
	archived, err := w.readFrom(ctx, q, m, both)
	if err == nil && archived {
		_, err = w.readFrom(ctx, q, m, true)
	}
	return err
}

// readFrom reads the stored orders from the table of live orders, or from both tables. It runs one statement, so that
// all rows are of one state of the store. It reports whether the user has archived orders in this state that it didn't
// read. The error is sqldb.ErrBehind if the state is older than w.version.
func (w *window) readFrom(ctx context.Context, q sqlx.QueryerContext, m match, both bool) (archived bool, err error) {
	query, args := w.statement(m, both)
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return false, fmt.Errorf("select orders: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var counted counts
	stored := make(map[order.Number]string, len(w.found))
	var page []Row
	for rows.Next() {
		var what int
		var c counts
		var task string
		r := Row{State: order.State{Source: order.FromSQL}}
		var record []byte
		if err := rows.Scan(&what, &c.total, &c.archived, &c.version, &task, &r.Number, &r.Status, &r.PaidAt,
			&r.CancelledAt, &r.RefundedAmount, &r.CancelReason, &record); err != nil {
			return false, fmt.Errorf("select orders: %w", err)
		}
		switch what {
		case rowCounts:
			counted = c
		case rowStored:
			stored[r.Number] = task
		case rowPage:
			r.content = order.ContentOf(record)
			page = append(page, r)
		}
	}
	if err := rows.Err(); err != nil {
		return false, fmt.Errorf("select orders: %w", err)
	}
	if counted.version < w.version {
		return false, sqldb.ErrBehind
	}
	w.stored = counted.total
	w.keepCached(stored)
	w.merge(page)
	return counted.archived, nil
}

// statement returns the statement of readFrom with its arguments.
func (w *window) statement(m match, both bool) (query string, args []any) {
	var b strings.Builder
	counts, args := w.counts(m, both)
	fmt.Fprintf(&b, `SELECT %d, %s, '', 0, '', 0, 0, 0, '', NULL`, rowCounts, counts)
	if len(w.found) > 0 { // cached orders are not old enough for the archive
		// Another user's order may have the number of a cached one.
		const had = ` UNION ALL SELECT %d, 0, 0, 0, task_id, number, '', 0, 0, 0, '', NULL FROM orders
			WHERE number IN (%s) AND user_id = ?`
		fmt.Fprintf(&b, had, rowStored, sqldb.In(len(w.found)))
		for _, e := range w.found {
			args = append(args, e.number)
		}
		args = append(args, m.user)
	}
	record := "record"
	if len(w.found) > maxInline {
		record = "NULL AS record"
	}
	if !both && w.offset <= maxSkipped && w.dialect == sqldb.MySQL { // SQLite knows no such parentheses
		where := w.reachable(m)
		offset, limit := w.reach()
		fmt.Fprintf(&b, ` UNION ALL (SELECT %d, 0, 0, 0, '', number, status, paid_ms, cancelled_ms, refunded_amount,
			reason, %s FROM %s%s ORDER BY number DESC LIMIT ? OFFSET ?)`, rowPage, record, order.Live, where.String())
		return b.String(), append(args, where.Args(limit, offset)...)
	}
	// Each table joins the same numbers, so that only the records of the page are read.
	const page = ` UNION ALL SELECT %d, 0, 0, 0, '', o.number, o.status, o.paid_ms, o.cancelled_ms, o.refunded_amount,
		o.reason, %s FROM (%s) AS page JOIN %s AS o USING (number)`
	numbers, numberArgs := w.numbers(m, both)
	fmt.Fprintf(&b, page, rowPage, record, numbers, "orders")
	args = append(args, numberArgs...)
	if both {
		fmt.Fprintf(&b, page, rowPage, record, numbers, "orders_archive")
		args = append(args, numberArgs...)
	}
	return b.String(), args
}

// counts returns the columns of counts, and their arguments. Those that the window doesn't need are 0.
func (w *window) counts(m match, both bool) (columns string, args []any) {
	total, archived, version := "0", "0", "0"
	if w.before == 0 {
		where := m.where()
		total = `(SELECT COUNT(*) FROM ` + order.Live + where.String() + `)`
		args = append(args, where.Args()...)
		if both {
			total += ` + (SELECT COUNT(*) FROM ` + order.Archived + where.String() + `)`
			args = append(args, where.Args()...)
		}
	}
	if m.archivable() && !both {
		archived = `EXISTS (SELECT 1 FROM orders_archive WHERE user_id = ?)`
		args = append(args, m.user)
	}
	if w.version > 0 {
		version = `COALESCE((SELECT version FROM user_versions WHERE part = ?), 0)`
		args = append(args, versions.PartOf(m.user))
	}
	return total + ", " + archived + ", " + version, args
}

// reachable returns the conditions of the orders on the page or after it.
func (w *window) reachable(m match) sqldb.Where {
	where := m.where()
	where.And("number < ?", w.below())
	return where
}

// numbers returns the statement that selects the numbers of the stored orders within reach of the page.
func (w *window) numbers(m match, both bool) (query string, args []any) {
	where := w.reachable(m)
	offset, limit := w.reach()
	live := `SELECT number FROM ` + order.Live + where.String()
	if !both {
		return live + ` ORDER BY number DESC LIMIT ? OFFSET ?`, where.Args(limit, offset)
	}
	archived := `SELECT number FROM ` + order.Archived + where.String()
	return order.Newest(live, archived, where.Args(), limit, offset)
}
