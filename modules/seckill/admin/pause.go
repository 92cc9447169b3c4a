package admin

import (
	"context"

	"github.com/jmoiron/sqlx"

	"onrush/modules/journal"
	"onrush/modules/problem"
	"onrush/modules/seckill"
)

// Pause stops a published sale from giving paths and taking orders until Resume. Buyers may still pay and cancel their
// orders, and its waiting room keeps all places: nobody is admitted meanwhile, and no place expires. Like a Change, a
// pause is in SQL first, and ApplyChanges repeats what Redis doesn't get. Pausing a paused sale changes nothing.
func (as *Activities) Pause(ctx context.Context, id string) (*seckill.Activity, error) {
	return as.switchPause(ctx, id, true, "The sale is paused; Redis will get the change when it answers.")
}

// Resume ends a Pause. A sale that isn't paused is not changed.
func (as *Activities) Resume(ctx context.Context, id string) (*seckill.Activity, error) {
	return as.switchPause(ctx, id, false, "The sale is resumed; Redis will get the change when it answers.")
}

func (as *Activities) switchPause(
	ctx context.Context, id string, pause bool, pending string,
) (*seckill.Activity, error) {
	err := as.db.InTx(ctx, func(tx *sqlx.Tx) error {
		a, err := lockActivity(ctx, tx, id)
		switch {
		case err != nil:
			return err
		case a == nil:
			return problem.NotFound("activity")
		}
		now := as.clock.NowMS()
		done := pause == (a.PausedMS > 0) && a.State == seckill.Published // by an earlier call
		if done && (!pause || now < a.EndsMS) {
			return nil
		}
		if err := changeable(a, now); err != nil {
			return err
		}
		before, kind, action := loggedActivity(a), journal.ActivityPaused, "paused"
		if pause {
			a.PausedMS, a.WaitingRoom = now, a.WaitingRoom.Pause(now)
		} else {
			kind, action = journal.ActivityResumed, "resumed"
			a.PausedMS, a.WaitingRoom = 0, a.WaitingRoom.Resume(a.StartsMS, now)
		}
		if err := updatePublished(ctx, tx, a); err != nil {
			return err
		}
		a.Revision++
		if err := writeActivityEvent(ctx, tx, kind, id, func(*seckill.Activity) int64 { return now }); err != nil {
			return err
		}
		return recordChange(ctx, tx, action, id, before, loggedActivity(a))
	})
	if err != nil {
		return nil, err
	}
	// Also if it was so before: Redis may have missed the change.
	return as.changed(ctx, id, pending)
}
