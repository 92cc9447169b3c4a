package events

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/loop"
	"onrush/modules/sqldb"
)

const (
	// numberEvery is how often committed events are numbered.
	numberEvery = 200 * time.Millisecond
	// numberPage is how many rows of events one transaction numbers.
	numberPage = 1000
	// numberPages bounds one RunOnce.
	numberPages = 20
	// positionsPerMS is how many positions belong to each millisecond of SQL's time. Positions stay below 2^53, which
	// every receiver can read as a number, until the year 2248.
	positionsPerMS = 1 << 10
	// numberWithin bounds one RunOnce, so that a connection that hangs doesn't stop the loop for ever.
	numberWithin = 10 * time.Second
)

// Sequencer gives committed events their positions. One runs on each instance.
type Sequencer struct {
	db  *sqldb.DB
	log *slog.Logger
}

// NewSequencer returns a Sequencer of the events in db.
func NewSequencer(db *sqldb.DB, log *slog.Logger) *Sequencer { return &Sequencer{db: db, log: log} }

// Run numbers events five times a second until ctx ends, and without a pause while there are more.
func (s *Sequencer) Run(ctx context.Context) {
	failures := loop.NewFailures(s.log, "events can't be numbered; readers get them later", sqldb.IsUnavailable)
	loop.Run(ctx, numberEvery, failures, func(ctx context.Context) error {
		for {
			if done, err := s.RunOnce(ctx); err != nil || done < numberPage*numberPages {
				return err
			}
		}
	})
}

// RunOnce numbers at most 20,000 rows of events and returns how many.
func (s *Sequencer) RunOnce(ctx context.Context) (done int, err error) {
	ctx, cancel := context.WithTimeout(ctx, numberWithin)
	defer cancel()
	for range numberPages {
		n, err := s.page(ctx)
		done += n
		if err != nil || n < numberPage {
			return done, err
		}
	}
	return done, nil
}

// numbered is a row that gets a position.
type numbered struct {
	ID     int64 `db:"id"`
	Events int64 `db:"events"`
}

// page numbers a page of rows. It locks nothing if there are none, as is usual.
func (s *Sequencer) page(ctx context.Context) (done int, err error) {
	var found []int64
	const query = `SELECT id FROM events WHERE position IS NULL LIMIT 1` // in the index of positions alone
	if err := s.db.Read.SelectContext(ctx, &found, query); err != nil {
		return 0, fmt.Errorf("look for new events: %w", err)
	}
	if len(found) == 0 {
		return 0, nil
	}
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		done, err = s.numberEvents(ctx, tx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("number events: %w", err)
	}
	return done, nil
}

// errNumbered says that an event got a position from somebody who doesn't hold the lock.
var errNumbered = errors.New("another program numbers events without the lock")

// numberEvents gives a page of rows positions above all others, in the order of their ids. The positions are also above
// all positions that earlier times could have: a database that was restored from a dump has forgotten the last
// positions, but readers remember them and would take new events with the same positions for known events.
func (s *Sequencer) numberEvents(ctx context.Context, tx *sqlx.Tx) (done int, err error) {
	// First: its lock makes others that number events wait until the transaction ends.
	if _, err := tx.ExecContext(ctx, `UPDATE events_head SET position = position WHERE id = 1`); err != nil {
		return 0, fmt.Errorf("lock the head: %w", err)
	}
	var head int64
	if err := tx.GetContext(ctx, &head, `SELECT position FROM events_head WHERE id = 1`); err != nil {
		return 0, fmt.Errorf("read the head: %w", err)
	}
	nowMS, err := s.db.NowMSIn(ctx, tx)
	if err != nil {
		return 0, err
	}
	// Of few rows, MySQL would rather look for the first ids by reading the whole table.
	const query = `SELECT id, events FROM events /*! FORCE INDEX (events_position) */ WHERE position IS NULL
		ORDER BY id LIMIT ?`
	var rows []numbered
	if err := tx.SelectContext(ctx, &rows, query, numberPage); err != nil {
		return 0, fmt.Errorf("select new events: %w", err)
	}
	if len(rows) == 0 {
		return 0, nil // another instance was faster
	}
	last, err := setPositions(ctx, tx, rows, max(head, nowMS*positionsPerMS-1))
	if err != nil {
		return 0, fmt.Errorf("set the positions of %d rows of events: %w", len(rows), err)
	}
	if _, err := tx.ExecContext(ctx, `UPDATE events_head SET position = ? WHERE id = 1`, last); err != nil {
		return 0, fmt.Errorf("raise the head: %w", err)
	}
	return len(rows), nil
}

// setPositions gives rows positions after one, in one statement, and returns the last position. A row's position is its
// id and an offset, which is raised at each row whose events need more room than its id leaves.
func setPositions(ctx context.Context, tx *sqlx.Tx, rows []numbered, after int64) (last int64, err error) {
	last, offset := after, int64(0)
	var raises []any // from the last one: the id from which on an offset holds, and the offset
	for i, r := range rows {
		if i == 0 || r.ID+offset < last+r.Events {
			offset = last + r.Events - r.ID
			raises = append(raises, offset, r.ID)
		}
		last = r.ID + offset
	}
	slices.Reverse(raises)
	args := raises
	for _, r := range rows {
		args = append(args, r.ID)
	}
	res, err := tx.ExecContext(ctx, updatePositions(len(raises)/2, len(rows)), args...)
	if err != nil {
		return 0, err
	}
	if n, err := res.RowsAffected(); err != nil || n != int64(len(rows)) {
		return 0, cmp.Or(err, errNumbered)
	}
	return last, nil
}

// updatePositions is the statement of setPositions for some raises of the offset and some rows.
func updatePositions(raises, rows int) string {
	// A scan of the table or of the index of positions would wait for the rows of other transactions, so MySQL must
	// look up each id, even where a scan seems cheaper to it.
	return `UPDATE events /*! FORCE INDEX (PRIMARY) */ SET position = id + CASE` +
		strings.Repeat(` WHEN id >= ? THEN ?`, raises) + ` END WHERE id IN (` + sqldb.In(rows) + `)`
}
