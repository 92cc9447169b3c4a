package events

import (
	"context"
	"fmt"
	"slices"

	"onrush/modules/journal"
	"onrush/modules/sqldb"
)

// row is a row of the table events, or one event of it.
type row struct {
	Position int64  `db:"position"` // of the last event
	Type     string `db:"type"`
	Subject  string `db:"subject"`
	User     string `db:"user_id"`
	Events   int64  `db:"events"`
	AtMS     int64  `db:"at_ms"`
	Data     string `db:"data"`
}

// size is how many events a row has.
type size struct {
	Position int64 `db:"position"`
	Events   int64 `db:"events"`
}

// rows is Read without the content of orders: each of the rows is one event. A view of MariaDB may show a row and not
// the row that was committed just before it. So the rows are read up to a position that an earlier statement found: the
// later view misses none of these rows.
func (f *Feed) rows(ctx context.Context, after int64, types []string, limit int) (events []row, next int64, err error) {
	limit = min(max(limit, 1), readMost)
	var where sqldb.Where
	where.And("position > ?", after)
	scanned := after
	if len(types) > 0 {
		// Positions below the last one are never given any more, so the next queries find no others.
		const scan = `SELECT COALESCE(MAX(p.position), 0) FROM
			(SELECT position FROM events WHERE position > ? ORDER BY position LIMIT ?) AS p`
		if err := f.db.Read.GetContext(ctx, &scanned, scan, after, scanMost); err != nil {
			return nil, after, fmt.Errorf("read how many events there are: %w", err)
		}
		if scanned == 0 {
			return nil, after, nil
		}
		where.And("position <= ?", scanned)
		where.And("type IN ("+sqldb.In(len(types))+")", sqldb.Args(types)...)
	}
	last, full, err := f.lastWithin(ctx, where.String(), where.Args(limit), after, limit)
	if err != nil {
		return nil, after, err
	}
	if last == 0 {
		return nil, scanned, nil
	}
	where.And("position <= ?", last)
	var found []row
	query := `SELECT position, type, subject, user_id, events, at_ms, data FROM events` + where.String() +
		` ORDER BY position LIMIT ?`
	if err := f.db.Read.SelectContext(ctx, &found, query, where.Args(limit)...); err != nil {
		return nil, after, fmt.Errorf("select events: %w", err)
	}
	for i := range found {
		events = append(events, found[i].after(after)...)
	}
	switch {
	case len(events) >= limit:
		events = events[:limit]
		next = events[limit-1].Position
	case full || len(types) == 0:
		next = last
	default:
		next = scanned
	}
	return events, next, nil
}

// lastWithin goes through the rows that where selects after a position. It returns the position of the row that
// completes limit events (full is true), or of the last row if there are fewer (full is false). It is 0 if
// there is no row. So no more rows are read than are needed: each may have many events.
func (f *Feed) lastWithin(
	ctx context.Context, where string, args []any, after int64, limit int,
) (last int64, full bool, err error) {
	var sizes []size
	query := `SELECT position, events FROM events` + where + ` ORDER BY position LIMIT ?`
	if err := f.db.Read.SelectContext(ctx, &sizes, query, args...); err != nil {
		return 0, false, fmt.Errorf("select how many events there are: %w", err)
	}
	n := int64(0)
	for _, s := range sizes {
		last = s.Position
		if n += min(s.Events, last-after); n >= int64(limit) { // a part of the first row may be before after
			return last, true, nil
		}
	}
	return last, false, nil
}

// after returns the events of r that are after a position, each as a row of its own. If they can't be read they have no
// subject: one broken row must not hold up all later events.
func (r *row) after(position int64) []row {
	if r.Events == 1 {
		return []row{*r}
	}
	parts, err := journal.Unpack(r.Data, r.Events)
	if err != nil {
		parts = slices.Repeat([]journal.Event{{AtMS: r.AtMS}}, int(r.Events))
	}
	events := make([]row, 0, len(parts))
	for i, p := range parts {
		if at := r.Position - r.Events + 1 + int64(i); at > position {
			events = append(events, row{
				Position: at, Type: r.Type, Subject: p.Subject, User: p.User, Events: 1, AtMS: p.AtMS,
			})
		}
	}
	return events
}
