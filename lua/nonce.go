package lua

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// UseNonce marks a nonce of an activity's human check as used for ttl, and reports whether it was unused. After
// an error it may be marked or not.
func (s *Scripts) UseNonce(
	ctx context.Context, lane int, activity, nonce string, ttl time.Duration,
) (unused bool, err error) {
	ttl = max(ttl, time.Millisecond) // Redis refuses less
	key := s.Keys.HumanNonce(lane, activity, nonce)
	err = s.Redis.SetArgs(ctx, key, 1, redis.SetArgs{Mode: "NX", TTL: ttl}).Err()
	switch {
	case errors.Is(err, redis.Nil):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("use a nonce of activity %s: %w", activity, err)
	}
	return true, nil
}
