package lua

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// LeaseSeq leases size numbers of a lane's order number sequence and returns the first. A lane
// that has no sequence yet begins at start.
func (s *Scripts) LeaseSeq(ctx context.Context, lane int, size, start int64) (first int64, err error) {
	var next *redis.IntCmd
	_, err = s.Redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.SetNX(ctx, s.Keys.Seq(lane), start, 0)
		next = pipe.IncrBy(ctx, s.Keys.Seq(lane), size)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("lease %d numbers of lane %d: %w", size, lane, err)
	}
	return next.Val() - size, nil
}
