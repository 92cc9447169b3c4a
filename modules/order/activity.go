package order

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

// Stored has the fields of a stored order that decide about it, and that loading and auditing need.
type Stored struct {
	Number   Number `db:"number"`
	User     string `db:"user_id"`
	Task     string `db:"task_id"`
	Digest   string `db:"digest"`
	Activity string `db:"activity_id"`
	Status   Status `db:"status"`
	Reason   string `db:"reason"`
	Point    string `db:"point_id"`
	SKU      string `db:"sku_id"`
	Quantity int64  `db:"quantity"`
}

const storedColumns = `number, user_id, task_id, digest, activity_id, status, reason, point_id, sku_id, quantity`

// SelectStored reads which of the orders SQL has, by number.
func SelectStored(ctx context.Context, q sqlx.QueryerContext, numbers []Number) (map[Number]Stored, error) {
	found := make(map[Number]Stored)
	for chunk := range slices.Chunk(numbers, 1000) {
		var page []Stored
		query := `SELECT ` + storedColumns + ` FROM orders WHERE number IN (` + sqldb.In(len(chunk)) + `)`
		if err := sqlx.SelectContext(ctx, q, &page, query, sqldb.Args(chunk)...); err != nil {
			return nil, fmt.Errorf("select which of %d orders are stored: %w", len(chunk), err)
		}
		for _, o := range page {
			found[o.Number] = o
		}
	}
	return found, nil
}

// storedPage is the number of orders per page of EachWithStatus.
const storedPage = 2000

// statuses are all statuses of an order of an activity. A status changes only to a later one.
var statuses = [...]Status{Unpaid, Paid, Cancelled, Refunded, Failed}

// EachWithStatus calls fn with the orders of an activity that have a status, ordered by number, page by page.
// Each page continues in the index after the last number of the page before.
func EachWithStatus(
	ctx context.Context, q sqlx.QueryerContext, activity string, status Status, fn func([]Stored) error,
) error {
	const query = `SELECT ` + storedColumns + ` FROM orders
		WHERE activity_id = ? AND status = ? AND number > ? ORDER BY number LIMIT ?`
	for last := Number(0); ; {
		var page []Stored
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

// taskPage is the number of orders per page of EachTask.
const taskPage = 5000

// StoredTask is the task of a stored order.
type StoredTask struct {
	Number Number
	Task   string
	Digest string
	Status Status
	Reason string
}

// TaskCursor is the position of EachTask; the zero value is the start.
type TaskCursor struct {
	status int // index in statuses
	last   Number
}

// EachTask calls fn with the tasks of all stored orders of an activity, page by page, and with the
// position of the next page. Each page has orders of one status, in the order of statuses: an order
// that changes its status during the call may be passed twice, but is never missed.
func EachTask(
	ctx context.Context, q sqlx.QueryerContext, activity string, at TaskCursor,
	fn func(page []StoredTask, next TaskCursor) error,
) error {
	const query = `SELECT number, task_id, digest, reason FROM orders
		WHERE activity_id = ? AND status = ? AND number > ? ORDER BY number LIMIT ?`
	page := make([]StoredTask, 0, taskPage)
	for ; at.status < len(statuses); at = (TaskCursor{status: at.status + 1}) {
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
	ctx context.Context, q sqlx.QueryerContext, query string, page []StoredTask, activity string, status Status,
	last Number,
) ([]StoredTask, error) {
	rows, err := q.QueryxContext(ctx, query, activity, status, last, taskPage)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		t := StoredTask{Status: status}
		if err := rows.Scan(&t.Number, &t.Task, &t.Digest, &t.Reason); err != nil {
			return nil, err
		}
		page = append(page, t)
	}
	return page, rows.Err()
}

// boughtPage is the number of counts per page of EachBought.
const boughtPage = 5000

// BoughtCount is how many units a user bought under a limit. Field is the field in the bought hash.
type BoughtCount struct {
	Field string
	Units int64
}

// selectBoughtPage appends the counts of the next users after last to page, and updates last.
func selectBoughtPage(
	ctx context.Context, q sqlx.QueryerContext, query string, page []BoughtCount, activity, counted string,
	last *string,
) ([]BoughtCount, error) {
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
		page = append(page, BoughtCount{Field: counted + ":" + *last, Units: units})
	}
	return page, rows.Err()
}

// EachBought calls fn with what users bought in an activity, a page at a time; counted is CountedAll
// or one of CountedSKU.
func EachBought(
	ctx context.Context, q sqlx.QueryerContext, activity, counted string, fn func([]BoughtCount) error,
) error {
	const query = `SELECT name, n FROM activity_counts WHERE activity_id = ? AND counted = ? AND name > ?
		ORDER BY name LIMIT ?`
	page := make([]BoughtCount, 0, boughtPage)
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

// pendingPage is the number of rows per page of EachPendingReturn.
const pendingPage = 2000

// EachPendingReturn calls fn with the cancelled orders of an activity whose units Redis has not got
// back yet, page by page.
func EachPendingReturn(ctx context.Context, q sqlx.QueryerContext, activity string, fn func([]Stored) error) error {
	// The ids of one kind are adjacent in the index, so rows of other kinds are not read.
	const query = `SELECT outbox_id, order_number, user_id, point_id, sku_id, quantity FROM stock_outbox
		WHERE state = 'pending' AND activity_id = ? AND outbox_id > ? AND outbox_id < ? ORDER BY outbox_id LIMIT ?`
	for last := OutboxReturn + ":"; ; {
		var rows []struct {
			ID       string `db:"outbox_id"`
			Number   Number `db:"order_number"`
			User     string `db:"user_id"`
			Point    string `db:"point_id"`
			SKU      string `db:"sku_id"`
			Quantity int64  `db:"quantity"`
		}
		if err := sqlx.SelectContext(ctx, q, &rows, query, activity, last, OutboxReturn+";", pendingPage); err != nil {
			return fmt.Errorf("select pending returns of %s: %w", activity, err)
		}
		if len(rows) == 0 {
			return nil
		}
		page := make([]Stored, len(rows))
		for i, r := range rows {
			page[i] = Stored{
				Number: r.Number, User: r.User, Status: Cancelled, Point: r.Point, SKU: r.SKU, Quantity: r.Quantity,
			}
		}
		if err := fn(page); err != nil {
			return err
		}
		last = rows[len(rows)-1].ID
	}
}

// Missing returns the entries whose order SQL doesn't have, by number. A stored order with the same
// number but another user or activity is not the order of the entry.
func Missing(ctx context.Context, q sqlx.QueryerContext, entries []Entry) (map[Number]Entry, error) {
	missing, _, err := MissingAndFailed(ctx, q, entries)
	return missing, err
}

// MissingAndFailed returns two groups of entries by number: missing has the entries whose order SQL doesn't
// have; failed has the entries whose order SQL has as failed, because of a purchase limit or because an
// operator is discarding it. The units of a failed entry are given back when the entry is removed.
func MissingAndFailed(
	ctx context.Context, q sqlx.QueryerContext, entries []Entry,
) (missing, failed map[Number]Entry, err error) {
	missing, failed = make(map[Number]Entry, len(entries)), map[Number]Entry{}
	for chunk := range slices.Chunk(entries, 1000) {
		numbers := make([]Number, len(chunk))
		for i, e := range chunk {
			numbers[i], missing[e.Number] = e.Number, e
		}
		rows, err := SelectStored(ctx, q, numbers)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range rows {
			e := missing[r.Number]
			if e.User != r.User || e.Activity != r.Activity {
				continue
			}
			delete(missing, r.Number)
			if r.Status == Failed && (r.Reason == ReasonOverLimit || r.Reason == ReasonDiscarded) {
				failed[r.Number] = e
			}
		}
	}
	return missing, failed, nil
}

// ByTask reads the order of a task from SQL; if there is none, the error wraps sql.ErrNoRows. It ignores
// the MAC at the end of the id, which changes with the path secret.
func ByTask(ctx context.Context, db *sqldb.DB, task string) (*Stored, error) {
	var s Stored
	const query = `SELECT ` + storedColumns + `
		FROM orders WHERE task_id >= ? AND task_id < ? ORDER BY task_id LIMIT 1`
	from, to := task, task+"\x00"
	if TaskHash(task) != "" {
		body := task[:strings.LastIndexByte(task, '.')]
		from, to = body+".", body+"/" // '/' comes after '.'
	}
	if err := db.Read.GetContext(ctx, &s, query, from, to); err != nil {
		return nil, fmt.Errorf("select order of task: %w", err)
	}
	return &s, nil
}
