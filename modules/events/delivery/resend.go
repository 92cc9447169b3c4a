package delivery

import (
	"context"
	"fmt"
	"sort"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
	"onrush/web/api"
	"onrush/web/problem"
)

// Span selects events by time, by id, or by both: those from From to To, both included (To 0 is now), after the id
// After and up to the id UpTo (0: the last one).
type Span struct {
	From, To    api.Millis // From 0: not by time
	After, UpTo int64
	ByID        bool // After is given
}

var (
	errTooManyWait = problem.Errorf(problem.CodeConflict,
		"Too many deliveries of the endpoint wait already; try again when some were delivered.")
	errResending = problem.Errorf(problem.CodeConflict,
		"A span of events is being sent to the endpoint again already.")
)

// timeSlack is by how much the order of events may differ from that of their times: an event has the time of its
// change, and its id is given after the commit.
const timeSlack = time.Minute

func (sp *Span) check() error {
	var checks problem.Checks
	checks.That(sp.From > 0 || sp.ByID, "from", "is required, unless after is given")
	checks.That(sp.To == 0 || sp.To > sp.From, "to", "must be later than from")
	checks.That(sp.UpTo == 0 || sp.UpTo > sp.After, "up_to", "must be above after")
	return checks.Err()
}

// ResendSpan sends the events of a span again, besides the new ones and in their order. Events that the endpoint
// hasn't reached yet are not sent twice.
func (s *Service) ResendSpan(ctx context.Context, id string, sp Span) (v Endpoint, err error) {
	if err := sp.check(); err != nil {
		return v, err
	}
	if _, err := selectEndpoint(ctx, s.db.Read, id); err != nil {
		return v, sqldb.Problem(err, "read an endpoint")
	}
	if err := s.narrow(ctx, &sp); err != nil {
		return v, sqldb.Problem(err, "search events by time")
	}
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
		// The update locks the row.
		const lock = `UPDATE endpoints SET version = version + 1 WHERE endpoint_id = ?`
		if _, err := exec(ctx, tx, lock, id); err != nil {
			return fmt.Errorf("lock endpoint %s: %w", id, err)
		}
		e, err := selectEndpoint(ctx, tx, id)
		if err != nil {
			return err
		}
		if e.replaying() {
			return errResending
		}
		const update = `UPDATE endpoints SET replay_after = ?, replay_upto = ?, replay_from_ms = ?, replay_to_ms = ?
			WHERE endpoint_id = ?`
		if _, err := exec(ctx, tx, update, sp.After, min(sp.UpTo, e.After), int64(sp.From), int64(sp.To),
			id); err != nil {
			return fmt.Errorf("resend to endpoint %s: %w", id, err)
		}
		return note(ctx, tx, "resent", id, nil, sp)
	})
	if err != nil {
		return v, sqldb.Problem(err, "resend events")
	}
	return s.Get(ctx, id)
}

// narrow sets the ids between which all events of a span of time are, so that no others are read.
func (s *Service) narrow(ctx context.Context, sp *Span) error {
	if sp.To == 0 {
		sp.To = api.Millis(s.now().UnixMilli())
	}
	head, err := s.feed.Head(ctx)
	if err != nil {
		return err
	}
	first, err := s.firstAt(ctx, head, int64(sp.From)-timeSlack.Milliseconds())
	if err != nil {
		return err
	}
	last, err := s.firstAt(ctx, head, int64(sp.To)+timeSlack.Milliseconds())
	if err != nil {
		return err
	}
	sp.After = max(sp.After, first-1)
	if sp.UpTo == 0 || last-1 < sp.UpTo {
		sp.UpTo = last - 1
	}
	return nil
}

// firstAt returns the least id, at most head+1, from which on events have a time of at least ms. It reads some 50
// events at most.
func (s *Service) firstAt(ctx context.Context, head, ms int64) (id int64, err error) {
	found := sort.Search(int(head), func(i int) bool {
		if err != nil {
			return true
		}
		events, _, failed := s.feed.Read(ctx, int64(i), nil, 1) // the first one after i
		if failed != nil {
			err = failed
			return true
		}
		return len(events) == 0 || int64(events[0].At) >= ms
	})
	return int64(found) + 1, err
}
