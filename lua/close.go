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
