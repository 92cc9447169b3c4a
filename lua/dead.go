package lua

import (
	"context"
	"fmt"
)

// DiscardDead removes a dead entry, its record and its hold, gives its units and counts back if the hold was still this
// user's, and sets its task to failed with the reason. If there is no such entry, it does nothing and returns false.
// Activity, user, number and task are "" if unknown. note is as in AckMoved. The error is ErrUnconfirmed if too few
// replicas have the discard.
func (s *Scripts) DiscardDead(
	ctx context.Context, lane int, activity, user, number, task, deadID, reason string, note Note,
) (found bool, err error) {
	keys := []string{
		s.Keys.Dead(lane), s.Keys.Stock(lane, activity), s.Keys.Held(lane, activity),
		s.Keys.Bought(lane, activity), s.Keys.Tasks(lane, activity), s.Keys.Orders(lane, user),
		s.Keys.Meta(lane, activity), s.Keys.Written(lane), s.Keys.Numbers(lane),
	}
	args := note.appendTo([]any{deadID, number, user, task, reason})
	code, err := s.runConfirmed(ctx, discardDead, s.Keys.WriteCheck(lane), keys, args...).Int64()
	if err == nil && code == alreadyNoted {
		return false, ErrNoted
	}
	if err == nil && code == int64(ActivityNotLoaded) {
		return false, fmt.Errorf("discard dead entry %s of lane %d: activity %s is being loaded",
			deadID, lane, activity)
	}
	found, err = yes(code, err)
	if err != nil {
		return false, fmt.Errorf("discard dead entry %s of lane %d: %w", deadID, lane, err)
	}
	return found, nil
}

// ReplayDead moves a dead entry back to the end of the queue. If there is no such entry, it does
// nothing and returns false. The error is ErrUnconfirmed if too few replicas have it.
func (s *Scripts) ReplayDead(ctx context.Context, lane int, deadID, entry string) (found bool, err error) {
	keys := []string{s.Keys.Dead(lane), s.Keys.Queue(lane)}
	found, err = yes(s.runConfirmed(ctx, replayDead, s.Keys.WriteCheck(lane), keys, deadID, entry).Int64())
	if err != nil {
		return false, fmt.Errorf("replay dead entry %s of lane %d: %w", deadID, lane, err)
	}
	return found, nil
}
