package events

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"onrush/modules/api"
	"onrush/modules/journal"
	"onrush/modules/sqldb"
)

const (
	// scanMost is how many rows one Read passes, whatever it selects.
	scanMost = 5000
	// searchMost is how many rows one query of Between passes.
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
	Trace   string          `json:"-"` // of the order (tracing.Parent); "" if it was not sampled
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

// Missed reports whether a reader that continues after a position has missed events: some after it were deleted, or the
// store doesn't have the event of the position, since it was restored to an earlier state. head is the last position
// that was given. Nobody has missed anything who begins at 0.
func (f *Feed) Missed(ctx context.Context, after int64) (missed bool, head int64, err error) {
	var ends struct {
		Position int64 `db:"position"`
		Deleted  int64 `db:"deleted"`
	}
	const query = `SELECT position, deleted FROM events_head WHERE id = 1`
	if err := f.db.Read.GetContext(ctx, &ends, query); err != nil {
		return false, 0, fmt.Errorf("read the last event: %w", err)
	}
	switch {
	case after == 0, after == ends.Position, after == ends.Deleted:
		return false, ends.Position, nil
	case after > ends.Position, after < ends.Deleted:
		return true, ends.Position, nil
	}
	var next []size // the row that has the position, or the first one behind it
	const at = `SELECT position, events FROM events WHERE position >= ? ORDER BY position LIMIT 1`
	if err := f.db.Read.SelectContext(ctx, &next, at, after); err != nil {
		return false, 0, fmt.Errorf("look up event %d: %w", after, err)
	}
	return len(next) == 0 || next[0].Position-next[0].Events >= after, ends.Position, nil
}

// Read returns the events of some types after a position, in the order of their positions, and at most limit (1 to
// 1,000). If types is empty, it returns events of all types. next is the position to continue from; it is greater than
// after even if no event up to it was selected, and equal to after if there is no event yet. One call passes at most
// 5,000 rows, each of which has up to journal.MaxEvents events. after and next may be positions inside a row.
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

// Between returns the first and the last position, after one and up to another, of the rows with events from a time to
// another one, both included; 0 if there is none. All events of these times are between the two positions, but events
// of other times may be there too. Positions are not in the order of times: an order that was placed while SQL was
// unavailable is stored later, and gets its position then. So Between looks at all positions in the range.
func (f *Feed) Between(ctx context.Context, after, upTo, fromMS, toMS int64) (first, last int64, err error) {
	// upTo may be inside a row, whose position is higher then, but not by more than the row can have events.
	const query = `SELECT COALESCE(MAX(p.position), 0) AS passed,
		COALESCE(MIN(CASE WHEN p.last_ms >= ? AND p.at_ms <= ? THEN p.position - p.events + 1 END), 0) AS first,
		COALESCE(MAX(CASE WHEN p.last_ms >= ? AND p.at_ms <= ? THEN p.position END), 0) AS last
		FROM (SELECT position, events, at_ms, last_ms FROM events
			WHERE position > ? AND position < ? AND position - events < ? ORDER BY position LIMIT ?) AS p`
	for passed := after; passed < upTo; {
		var page struct {
			Passed int64 `db:"passed"`
			First  int64 `db:"first"`
			Last   int64 `db:"last"`
		}
		if err := f.db.Read.GetContext(ctx, &page, query, fromMS, toMS, fromMS, toMS, passed,
			upTo+journal.MaxEvents, upTo, searchMost); err != nil {
			return 0, 0, fmt.Errorf("search events by time: %w", err)
		}
		if page.Passed == 0 {
			break
		}
		if passed = page.Passed; page.Last != 0 {
			first, last = cmp.Or(first, max(page.First, after+1)), min(page.Last, upTo)
		}
	}
	return first, last, nil
}
