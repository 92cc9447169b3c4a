package lua

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// Lease is a request for numbers of a lane's sequence; lease_numbers.lua describes the fields.
type Lease struct {
	Size, Start, Known, Skip int64
	// Confirm says which replicas must have the lease.
	Confirm Confirm
}

// LeaseNumbers leases numbers and returns the first.
func (s *Scripts) LeaseNumbers(ctx context.Context, lane int, l Lease) (first int64, err error) {
	keys, args := []string{s.Keys.Leases(lane)}, []any{l.Size, l.Start, l.Known, l.Skip}
	if l.Confirm.Replicas == 0 {
		first, err = leaseNumbers.Run(ctx, s.Redis, keys, args...).Int64()
	} else {
		first, err = s.leaseConfirmed(ctx, l.Confirm, keys, args)
	}
	if err != nil {
		return 0, fmt.Errorf("lease %d numbers of lane %d: %w", l.Size, lane, err)
	}
	return first, nil
}

// leaseConfirmed waits for the replicas in the round trip of the script, over the same connection.
func (s *Scripts) leaseConfirmed(ctx context.Context, c Confirm, keys []string, args []any) (first int64, err error) {
	var leased, wait *redis.Cmd
	send := func(script func(context.Context, redis.Scripter, []string, ...any) *redis.Cmd) error {
		return s.onMaster(ctx, keys[0], func(pipe redis.Pipeliner) *redis.Cmd {
			leased = script(ctx, pipe, keys, args...)
			wait = c.add(ctx, pipe)
			return leased
		})
	}
	err = send(leaseNumbers.EvalSha)
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		err = send(leaseNumbers.Eval)
	}
	if err != nil {
		return 0, err
	}
	switch confirmed, err := c.reached(wait); {
	case err != nil:
		return 0, err
	case !confirmed:
		return 0, errors.New("too few replicas of Redis have the lease")
	}
	return leased.Int64()
}
