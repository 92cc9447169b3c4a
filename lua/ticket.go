package lua

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// SpendTicket marks a ticket of an event stream as used for ttl, and reports whether it was unused. After an error it
// may be marked or not.
func (s *Scripts) SpendTicket(ctx context.Context, nonce string, ttl time.Duration) (unused bool, err error) {
	ttl = max(ttl, time.Millisecond) // Redis refuses less
	err = s.Redis.SetArgs(ctx, s.Keys.Ticket(nonce), 1, redis.SetArgs{Mode: "NX", TTL: ttl}).Err()
	switch {
	case errors.Is(err, redis.Nil):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("spend a ticket: %w", err)
	}
	return true, nil
}
