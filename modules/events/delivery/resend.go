package delivery

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/problem"
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
		return v, err
	}
	if err := s.narrow(ctx, &sp); err != nil {
		return v, err
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
		return recordChange(ctx, tx, "resent", id, nil, sp)
	})
	if err != nil {
		return v, err
	}
	return s.Get(ctx, id)
}

// narrow sets the ids between which the events of a span of time are, so that no others are read. Rounds leave out
// events of another time.
func (s *Service) narrow(ctx context.Context, sp *Span) error {
	head, err := s.feed.Head(ctx)
	if err != nil {
		return err
	}
	if sp.UpTo == 0 || sp.UpTo > head {
		sp.UpTo = head
	}
	if sp.From == 0 && sp.To == 0 {
		return nil
	}
	if sp.To == 0 {
		sp.To = api.Millis(s.now().UnixMilli())
	}
	first, last, err := s.feed.Between(ctx, sp.After, sp.UpTo, int64(sp.From), int64(sp.To))
	sp.After, sp.UpTo = max(sp.After, first-1), last
	return err
}
