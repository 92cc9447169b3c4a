package lua

import (
	"context"
	"fmt"
)

// SetState opens or closes a loaded activity. If it is not loaded, SetState does nothing and returns
// false.
func (s *Scripts) SetState(
	ctx context.Context, lane int, activity string, state ActivityState,
) (loaded bool, err error) {
	loaded, err = yes(setState.Run(ctx, s.Redis, []string{s.Keys.Meta(lane, activity)}, string(state)).Int64())
	if err != nil {
		return false, fmt.Errorf("set activity %s to %s: %w", activity, state, err)
	}
	return loaded, nil
}

// ChangeActivity sets fields of an activity's meta hash, unless Redis has a newer version of them. If the
// activity is not loaded, or still loading, ChangeActivity does nothing and returns false. The error is ErrUnconfirmed
// if too few replicas have it.
func (s *Scripts) ChangeActivity(
	ctx context.Context, lane int, activity string, version int64, fields map[string]string,
) (loaded bool, err error) {
	args := make([]any, 0, 1+2*len(fields))
	args = append(args, FormatVersion(version))
	for field, value := range fields {
		args = append(args, field, value)
	}
	keys := []string{s.Keys.Meta(lane, activity), s.Keys.LineEarly(lane, activity), s.Keys.LineLate(lane, activity)}
	loaded, err = yes(s.runConfirmed(ctx, changeActivity, s.Keys.WriteCheck(lane), keys, args...).Int64())
	if err != nil {
		return false, fmt.Errorf("change activity %s in redis: %w", activity, err)
	}
	return loaded, nil
}
