package kit

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// RedisCopy has the data of Redis at some moment, as a replica has it that is behind.
type RedisCopy struct {
	strings map[string]string
	lists   map[string][]string
	hashes  map[string]map[string]string
	sorted  map[string][]redis.Z
	sets    map[string][]string
}

// CopyRedis copies all keys of the test.
func CopyRedis(t testing.TB, s *Stores) *RedisCopy {
	t.Helper()
	ctx := t.Context()
	r := &RedisCopy{
		strings: map[string]string{}, lists: map[string][]string{}, hashes: map[string]map[string]string{},
		sorted: map[string][]redis.Z{}, sets: map[string][]string{},
	}
	var err error
	for _, key := range s.KeysLike(t, "*") {
		switch kind := s.Redis.Type(ctx, key).Val(); kind {
		case "string":
			r.strings[key], err = s.Redis.Get(ctx, key).Result()
		case "list":
			r.lists[key], err = s.Redis.LRange(ctx, key, 0, -1).Result()
		case "hash":
			r.hashes[key], err = s.Redis.HGetAll(ctx, key).Result()
		case "zset":
			r.sorted[key], err = s.Redis.ZRangeWithScores(ctx, key, 0, -1).Result()
		case "set":
			r.sets[key], err = s.Redis.SMembers(ctx, key).Result()
		default:
			require.Fail(t, "a key of another type", "%s: %s", key, kind)
		}
		require.NoError(t, err)
	}
	return r
}

// TakeOver replaces the data of Redis by the copy, as a failover to that replica does.
func (r *RedisCopy) TakeOver(t testing.TB, s *Stores) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	s.LoseRedis(t)
	_, err := s.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for key, value := range r.strings {
			p.Set(ctx, key, value, 0)
		}
		for key, values := range r.lists {
			p.RPush(ctx, key, values)
		}
		for key, members := range r.sorted {
			p.ZAdd(ctx, key, members...)
		}
		for key, members := range r.sets {
			p.SAdd(ctx, key, members)
		}
		for key, fields := range r.hashes {
			p.HSet(ctx, key, fields)
		}
		return nil
	})
	require.NoError(t, err)
}
