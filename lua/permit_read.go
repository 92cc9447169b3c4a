package lua

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// PermitsRead is what ReadPermits found; NowMS is Redis TIME in ms.
type PermitsRead struct {
	AllIssued bool
	NowMS     int64
	Users     []string // only if AllIssued
}

// ReadPermits returns whether all permits of a sku are issued, and if so up to limit users whose permits expire at
// sinceMS or later, disregarding the end of the sale. If all permits have the same lifetime, these are the users who
// got a permit at sinceMS minus the lifetime, or later.
func (s *Scripts) ReadPermits(
	ctx context.Context, lane int, activity, sku string, ratio float64, sinceMS int64, limit int,
) (r PermitsRead, err error) {
	keys := []string{s.Keys.Permits(lane, activity, sku), s.Keys.Stock(lane, activity), s.Keys.Meta(lane, activity)}
	reply, err := readPermits.Run(ctx, s.Redis, keys,
		sku, strconv.FormatFloat(ratio, 'f', -1, 64), sinceMS, limit).Slice()
	if err != nil {
		return r, fmt.Errorf("read the permits of sku %s in activity %s: %w", sku, activity, err)
	}
	if len(reply) < 2 {
		return r, fmt.Errorf("read the permits of sku %s in activity %s: script returned %d values",
			sku, activity, len(reply))
	}
	code, _ := reply[0].(int64)
	if r.AllIssued, err = yes(code, nil); err != nil {
		return r, fmt.Errorf("read the permits of sku %s in activity %s: %w", sku, activity, err)
	}
	r.NowMS, _ = reply[1].(int64)
	for _, value := range reply[2:] {
		user, ok := value.(string)
		if !ok {
			return r, fmt.Errorf("read the permits of sku %s in activity %s: a user is a %T", sku, activity, value)
		}
		r.Users = append(r.Users, user)
	}
	return r, nil
}

// ErrManyPermits says that a sku has more permits than the limit of the caller.
var ErrManyPermits = errors.New("there are too many permits")

// scanPermits is how many permits one step of ScanPermits reads.
const scanPermits = 1000

// ScanPermits returns the users that have a permit of a sku, expired ones included. No user who has a permit
// during the whole scan is missing. If there are more than limit users, the error is ErrManyPermits.
func (s *Scripts) ScanPermits(
	ctx context.Context, lane int, activity, sku string, limit int,
) (map[string]struct{}, error) {
	users := map[string]struct{}{}
	var cursor uint64
	for {
		var page []string // user, expiry, user, expiry
		var err error
		page, cursor, err = s.Redis.ZScan(ctx, s.Keys.Permits(lane, activity, sku), cursor, "", scanPermits).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, fmt.Errorf("scan the permits of sku %s in activity %s: %w", sku, activity, err)
		}
		for i := 0; i < len(page); i += 2 {
			users[page[i]] = struct{}{}
		}
		switch {
		case len(users) > limit:
			return nil, ErrManyPermits
		case cursor == 0:
			return users, nil
		}
	}
}
