package inventory

import (
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/order"
)

// storedPage is the number of orders per page of eachWithStatus.
const storedPage = 2000

// statuses are all statuses of an order of an activity. A status changes only to a later one.
var statuses = [...]order.Status{order.Unpaid, order.Paid, order.Cancelled, order.Refunded, order.Failed}

// eachWithStatus calls fn with the orders of an activity that have a status, ordered by number, page by page.
// Each page continues in the index after the last number of the page before.
func eachWithStatus(
	ctx context.Context, q sqlx.QueryerContext, activity string, status order.Status, fn func([]order.Stored) error,
) error {
	const query = `SELECT ` + order.StoredColumns + ` FROM orders
		WHERE activity_id = ? AND status = ? AND number > ? ORDER BY number LIMIT ?`
	for last := order.Number(0); ; {
		var page []order.Stored
		if err := sqlx.SelectContext(ctx, q, &page, query, activity, status, last, storedPage); err != nil {
			return fmt.Errorf("select orders of activity %s: %w", activity, err)
		}
		if len(page) == 0 {
			return nil
		}
		if err := fn(page); err != nil {
			return err
		}
		if len(page) < storedPage {
			return nil
		}
		last = page[len(page)-1].Number
	}
}

// taskPage is the number of orders per page of eachTask.
const taskPage = 5000

// storedTask is the task of a stored order.
type storedTask struct {
	Number order.Number
	Task   string
	Digest string
	Status order.Status
	Reason string
}

// taskCursor is the position of eachTask; the zero value is the start.
type taskCursor struct {
	status int // index in statuses
	last   order.Number
}

// eachTask calls fn with the tasks of all stored orders of an activity, page by page, and with the
// position of the next page. Each page has orders of one status, in the order of statuses: an order
// that changes its status during the call may be passed twice, but is never missed.
func eachTask(
	ctx context.Context, q sqlx.QueryerContext, activity string, at taskCursor,
	fn func(page []storedTask, next taskCursor) error,
) error {
	const query = `SELECT number, task_id, digest, reason FROM orders
		WHERE activity_id = ? AND status = ? AND number > ? ORDER BY number LIMIT ?`
	page := make([]storedTask, 0, taskPage)
	for ; at.status < len(statuses); at = (taskCursor{status: at.status + 1}) {
		for {
			page, err := selectTasks(ctx, q, query, page[:0], activity, statuses[at.status], at.last)
			if err != nil {
				return fmt.Errorf("select tasks of activity %s: %w", activity, err)
			}
			if len(page) == 0 {
				break
			}
			at.last = page[len(page)-1].Number
			if err := fn(page, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// selectTasks appends the tasks of a page of orders of one status to page.
func selectTasks(
	ctx context.Context, q sqlx.QueryerContext, query string, page []storedTask, activity string, status order.Status,
	last order.Number,
) ([]storedTask, error) {
	rows, err := q.QueryxContext(ctx, query, activity, status, last, taskPage)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		t := storedTask{Status: status}
		if err := rows.Scan(&t.Number, &t.Task, &t.Digest, &t.Reason); err != nil {
			return nil, err
		}
		page = append(page, t)
	}
	return page, rows.Err()
}

// boughtPage is the number of counts per page of eachBought.
const boughtPage = 5000

// boughtCount is how many units a user bought under a limit. Field is the field in the bought hash.
type boughtCount struct {
	Field string
	Units int64
}

// selectBoughtPage appends the counts of the next users after last to page, and updates last.
func selectBoughtPage(
	ctx context.Context, q sqlx.QueryerContext, query string, page []boughtCount, activity, counted string,
	last *string,
) ([]boughtCount, error) {
	rows, err := q.QueryxContext(ctx, query, activity, counted, *last, boughtPage)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var units int64
		if err := rows.Scan(last, &units); err != nil {
			return nil, err
		}
		page = append(page, boughtCount{Field: lua.BoughtField(counted, *last), Units: units})
	}
	return page, rows.Err()
}

// eachBought calls fn with what users bought in an activity, a page at a time; counted is CountedAll
// or one of CountedSKU.
func eachBought(
	ctx context.Context, q sqlx.QueryerContext, activity, counted string, fn func([]boughtCount) error,
) error {
	const query = `SELECT name, n FROM activity_counts WHERE activity_id = ? AND counted = ? AND name > ?
		ORDER BY name LIMIT ?`
	page := make([]boughtCount, 0, boughtPage)
	for last := ""; ; {
		page, err := selectBoughtPage(ctx, q, query, page[:0], activity, counted, &last)
		if err != nil {
			return fmt.Errorf("select what was bought in %s: %w", activity, err)
		}
		if len(page) == 0 {
			return nil
		}
		if err := fn(page); err != nil {
			return err
		}
	}
}

// pendingPage is the number of rows per page of eachPendingReturn.
const pendingPage = 2000

// eachPendingReturn calls fn with the cancelled orders of an activity whose units Redis has not got
// back yet, page by page.
func eachPendingReturn(
	ctx context.Context, q sqlx.QueryerContext, activity string, fn func([]order.Stored) error,
) error {
	// The ids of one kind are adjacent in the index, so rows of other kinds are not read.
	const query = `SELECT outbox_id, order_number, user_id, point_id, sku_id, quantity FROM stock_outbox
		WHERE state = 'pending' AND activity_id = ? AND outbox_id > ? AND outbox_id < ? ORDER BY outbox_id LIMIT ?`
	for last := string(order.OutboxReturn) + ":"; ; {
		var rows []struct {
			ID       string       `db:"outbox_id"`
			Number   order.Number `db:"order_number"`
			User     string       `db:"user_id"`
			Point    string       `db:"point_id"`
			SKU      string       `db:"sku_id"`
			Quantity int64        `db:"quantity"`
		}
		if err := sqlx.SelectContext(ctx, q, &rows, query, activity, last, string(order.OutboxReturn)+";",
			pendingPage); err != nil {
			return fmt.Errorf("select pending returns of %s: %w", activity, err)
		}
		if len(rows) == 0 {
			return nil
		}
		page := make([]order.Stored, len(rows))
		for i, r := range rows {
			page[i] = order.Stored{
				Number: r.Number, User: r.User, Status: order.Cancelled, Point: r.Point, SKU: r.SKU,
				Quantity: r.Quantity,
			}
		}
		if err := fn(page); err != nil {
			return err
		}
		last = rows[len(rows)-1].ID
	}
}

// missingEntries returns the entries whose order SQL doesn't have, by number. A stored order with the same
// number but another user or activity is not the order of the entry.
func missingEntries(
	ctx context.Context, q sqlx.QueryerContext, entries []order.Entry,
) (map[order.Number]order.Entry, error) {
	missing, _, err := missingAndFailed(ctx, q, entries)
	return missing, err
}

// missingAndFailed returns two groups of entries by number: missing has the entries whose order SQL doesn't
// have; failed has the entries whose order SQL has as failed, because of a purchase limit or because an
// operator is discarding it. The units of a failed entry are given back when the entry is removed.
func missingAndFailed(
	ctx context.Context, q sqlx.QueryerContext, entries []order.Entry,
) (missing, failed map[order.Number]order.Entry, err error) {
	missing, failed = make(map[order.Number]order.Entry, len(entries)), map[order.Number]order.Entry{}
	for chunk := range slices.Chunk(entries, 1000) {
		numbers := make([]order.Number, len(chunk))
		for i, e := range chunk {
			numbers[i], missing[e.Number] = e.Number, e
		}
		rows, err := order.SelectStored(ctx, q, numbers)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range rows {
			e := missing[r.Number]
			if e.User != r.User || e.Activity != r.Activity {
				continue
			}
			delete(missing, r.Number)
			if r.Status == order.Failed && (r.Reason == order.ReasonOverLimit || r.Reason == order.ReasonDiscarded) {
				failed[r.Number] = e
			}
		}
	}
	return missing, failed, nil
}
