package events

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"onrush/modules/api"
	"onrush/modules/sqldb"
)

const (
	// scanMost is how many positions one Read passes, whatever it selects.
	scanMost = 5000
	// searchMost is how many positions one query of Between passes.
	searchMost = 50_000
	// readMost is how many events one Read returns.
	readMost = 1000
)

// Event is an event as the platform gets it.
type Event struct {
	ID      int64           `json:"event_id,string"` // the position
	Type    string          `json:"type"`
	At      api.Millis      `json:"at"`
	Data    json.RawMessage `json:"data"`
	Subject string          `json:"-"` // the number of an order, payment or refund, or an activity
	User    string          `json:"-"` // "" if no buyer's
}

// Feed reads events that have a position. It is safe for concurrent use.
type Feed struct{ db *sqldb.DB }

// NewFeed returns the events in db.
func NewFeed(db *sqldb.DB) *Feed { return &Feed{db} }

// Head returns the last position that was given; 0 if there is none.
func (f *Feed) Head(ctx context.Context) (head int64, err error) {
	if err := f.db.Read.GetContext(ctx, &head, `SELECT position FROM events_head WHERE id = 1`); err != nil {
		return 0, fmt.Errorf("read the last event: %w", err)
	}
	return head, nil
}

// Read returns the events of some types after a position, in the order of their positions, and at most limit (1 to
// 1,000). If types is empty, it returns events of all types. next is the position to continue from; it is greater than
// after even if no event up to it was selected, and equal to after if there is no event yet. One call passes at most
// 5,000 events.
//
// An event of an order has the order's state at the event, but the voucher codes that are valid when it is read.
func (f *Feed) Read(
	ctx context.Context, after int64, types []string, limit int,
) (events []Event, next int64, err error) {
	rows, next, err := f.rows(ctx, after, types, limit)
	if err != nil {
		return nil, after, err
	}
	events, err = f.render(ctx, rows)
	if err != nil {
		return nil, after, err
	}
	return events, next, nil
}

// Between returns the first and the last position, after one and up to another, of the events from a time to another
// one, both included; 0 if there is none. It passes all of these positions: they are not in the order of the times,
// since an order that was placed while SQL was away is stored, and gets its position, later.
func (f *Feed) Between(ctx context.Context, after, upTo, fromMS, toMS int64) (first, last int64, err error) {
	const query = `SELECT COALESCE(MAX(p.position), 0) AS passed,
		COALESCE(MIN(CASE WHEN p.at_ms >= ? AND p.at_ms <= ? THEN p.position END), 0) AS first,
		COALESCE(MAX(CASE WHEN p.at_ms >= ? AND p.at_ms <= ? THEN p.position END), 0) AS last
		FROM (SELECT position, at_ms FROM events WHERE position > ? AND position <= ?
			ORDER BY position LIMIT ?) AS p`
	for after < upTo {
		var page struct {
			Passed int64 `db:"passed"`
			First  int64 `db:"first"`
			Last   int64 `db:"last"`
		}
		if err := f.db.Read.GetContext(ctx, &page, query, fromMS, toMS, fromMS, toMS, after, upTo,
			searchMost); err != nil {
			return 0, 0, fmt.Errorf("search events by time: %w", err)
		}
		if page.Passed == 0 {
			break
		}
		if after = page.Passed; page.Last != 0 {
			first, last = cmp.Or(first, page.First), page.Last
		}
	}
	return first, last, nil
}

// row is a row of the table events.
type row struct {
	Position int64  `db:"position"`
	Type     string `db:"type"`
	Subject  string `db:"subject"`
	User     string `db:"user_id"`
	AtMS     int64  `db:"at_ms"`
	Data     string `db:"data"`
}

// rows is Read without the content of orders.
func (f *Feed) rows(ctx context.Context, after int64, types []string, limit int) (rows []row, next int64, err error) {
	limit = min(max(limit, 1), readMost)
	var where sqldb.Where
	where.And("position > ?", after)
	next = after
	if len(types) > 0 {
		// Positions below the last one are never given any more, so the second query finds no others.
		const scan = `SELECT COALESCE(MAX(p.position), 0) FROM
			(SELECT position FROM events WHERE position > ? ORDER BY position LIMIT ?) AS p`
		var last int64
		if err := f.db.Read.GetContext(ctx, &last, scan, after, scanMost); err != nil {
			return nil, after, fmt.Errorf("read how many events there are: %w", err)
		}
		if last == 0 {
			return nil, after, nil
		}
		next = last
		where.And("position <= ?", last)
		where.And("type IN ("+sqldb.In(len(types))+")", sqldb.Args(types)...)
	}
	query := `SELECT position, type, subject, user_id, at_ms, data FROM events` + where.String() +
		` ORDER BY position LIMIT ?`
	if err := f.db.Read.SelectContext(ctx, &rows, query, where.Args(limit)...); err != nil {
		return nil, after, fmt.Errorf("select events: %w", err)
	}
	if len(rows) == limit || len(types) == 0 && len(rows) > 0 {
		next = rows[len(rows)-1].Position
	}
	return rows, next, nil
}
