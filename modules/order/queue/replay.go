package queue

import (
	"context"
	"fmt"

	"onrush/modules/order"
	"onrush/modules/problem"
)

// Replay moves a dead entry back to the end of its queue; a mover tries it again. If there is no such
// entry the error is not_found, if it was being discarded a conflict.
func (insp *Inspector) Replay(ctx context.Context, id string) (DeadItem, error) {
	lane, field, item, err := insp.find(ctx, id)
	if err != nil {
		return DeadItem{}, err
	}
	if err := insp.requireNotDiscarded(ctx, item); err != nil {
		return DeadItem{}, err
	}
	err = insp.recorded(ctx, "dead.replayed", item, func() error {
		found, err := insp.lua.ReplayDead(ctx, lane, field, item.Entry)
		if err == nil && !found {
			return problem.NotFound("dead entry")
		}
		return err
	})
	if err != nil && !problem.Is(err) {
		err = problem.Unavailable(fmt.Errorf("replay dead entry: %w", err),
			"The dead entry can't be replayed right now.")
	}
	return item, err
}

// requireNotDiscarded returns a conflict if the discarding of an entry was interrupted: SQL has its order
// as failed, and its units must be given back.
func (insp *Inspector) requireNotDiscarded(ctx context.Context, item DeadItem) error {
	e, err := order.ParseEntry(item.Entry)
	if err != nil {
		return nil //nolint:nilerr // an unreadable entry may be replayed; it becomes dead again
	}
	has, err := rowOf(ctx, insp.db.Read, e.Number)
	if err != nil {
		return problem.Unavailable(err, "The dead entry can't be replayed right now.")
	}
	if has != nil && has.User == e.User && has.Status == order.Failed &&
		has.Reason == order.ReasonDiscarded {
		return problem.Errorf(problem.CodeConflict, "This entry was being discarded; discard it again.")
	}
	return nil
}

// ReplayedAll says how many dead entries one call put back, and how many of the selected entries remain.
type ReplayedAll struct {
	Replayed  int `json:"replayed"`
	Remaining int `json:"remaining"`
}

// replayAtOnce is how many dead entries one call of ReplayAll puts back.
const replayAtOnce = 1000

// ReplayAll puts the selected dead entries back into their queues, at most 1,000. Entries that are being discarded
// remain.
func (insp *Inspector) ReplayAll(ctx context.Context, f DeadFilter) (all ReplayedAll, err error) {
	var ids []string
	selected := 0
	for lane := 1; lane <= insp.site.Lanes(ctx); lane++ {
		seen := map[string]bool{}
		if err := insp.scanDead(ctx, lane, f, func(id string, item DeadItem) {
			if !seen[id] {
				seen[id] = true
				selected++
				if len(ids) < replayAtOnce {
					ids = append(ids, item.DeadID)
				}
			}
		}); err != nil {
			return all, problem.Unavailable(err, "The dead entries can't be read right now.")
		}
	}
	gone := 0
	for _, id := range ids {
		switch _, err := insp.Replay(ctx, id); problem.CodeOf(err) {
		case problem.Code{}:
			if err != nil {
				return all, err
			}
			all.Replayed++
		case problem.CodeNotFound: // another operator was faster
			gone++
		case problem.CodeConflict: // it is being discarded
		default:
			return all, err
		}
	}
	all.Remaining = selected - all.Replayed - gone
	return all, nil
}
