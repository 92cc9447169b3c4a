package lua

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// KeepSale keeps a copy of an activity in Redis, for use while SQL is unavailable, unless the copy there has a newer
// version. data is JSON that begins as keep_sale.lua says. SaleIDs lists the copy until endsMS. The error is
// ErrUnconfirmed if too few replicas have the copy.
func (s *Scripts) KeepSale(ctx context.Context, activity string, version, endsMS int64, data []byte) error {
	kept, err := yes(s.runConfirmed(ctx, keepSale, "", []string{s.Keys.Sale(activity)}, version, data).Int64())
	unconfirmed := errors.Is(err, ErrUnconfirmed)
	if err != nil {
		err = fmt.Errorf("keep a copy of activity %s: %w", activity, err)
	}
	if !kept && !unconfirmed {
		return err
	}
	// The list has another slot in a cluster. It may keep the end of an older version, if two instances write at the
	// same time or Redis is full. So whoever reads a copy looks at the times in the copy.
	listed := s.Redis.ZAdd(ctx, s.Keys.Sales(), redis.Z{Score: float64(endsMS), Member: activity}).Err()
	if listed != nil && !IsFull(listed) {
		return fmt.Errorf("list the copy of activity %s: %w", activity, listed)
	}
	return err
}

// DropSale drops the copy of an activity.
func (s *Scripts) DropSale(ctx context.Context, activity string) error {
	_, err := s.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.ZRem(ctx, s.Keys.Sales(), activity)
		p.Del(ctx, s.Keys.Sale(activity))
		return nil
	})
	if err != nil {
		return fmt.Errorf("drop the copy of activity %s: %w", activity, err)
	}
	return nil
}

// Sales reads the copies of activities; activities without a copy are omitted.
func (s *Scripts) Sales(ctx context.Context, activities []string) (map[string][]byte, error) {
	reads := make([]*redis.StringCmd, len(activities))
	_, err := s.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, id := range activities {
			reads[i] = p.Get(ctx, s.Keys.Sale(id))
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, fmt.Errorf("read copies of activities: %w", err)
	}
	copies := make(map[string][]byte, len(activities))
	for i, id := range activities {
		data, err := reads[i].Bytes()
		switch {
		case err == nil:
			copies[id] = data
		case !errors.Is(err, redis.Nil):
			return nil, fmt.Errorf("read the copy of activity %s: %w", id, err)
		}
	}
	return copies, nil
}

// SaleIDs returns at most limit activities that have a copy and end after afterMS, by their end.
func (s *Scripts) SaleIDs(ctx context.Context, afterMS int64, limit int) ([]string, error) {
	ids, err := s.Redis.ZRangeByScore(ctx, s.Keys.Sales(), &redis.ZRangeBy{
		Min: "(" + strconv.FormatInt(afterMS, 10), Max: "+inf", Count: int64(limit),
	}).Result()
	if err != nil {
		return nil, fmt.Errorf("list the copies of activities: %w", err)
	}
	return ids, nil
}
