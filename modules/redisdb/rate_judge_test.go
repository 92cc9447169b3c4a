package redisdb_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/redisdb"
	"onrush/test/kit"
)

func TestJudgesOfAllInstancesCountTogether(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		two := func() int { return 2 }
		judges := []*redisdb.RateJudge{
			redisdb.NewRateJudge(s.Redis, s.Keys.Limit, two),
			redisdb.NewRateJudge(s.ConnectRedis(t), s.Keys.Limit, two),
		}
		passed := 0
		for i := range 9 {
			allowed, retry, err := judges[i%2].Take(t.Context(), "user:alice", 100, 24*time.Hour, 12)
			require.NoError(t, err)
			passed += allowed
			if i < 8 {
				assert.Equal(t, 12, allowed)
				assert.Zero(t, retry)
			}
		}
		assert.Equal(t, 100, passed, "4 of the last 12")
		allowed, retry, err := judges[0].Take(t.Context(), "user:alice", 100, 24*time.Hour, 1)
		require.NoError(t, err)
		assert.Zero(t, allowed)
		assert.InDelta(t, 24*time.Hour/100, retry, float64(time.Minute))
		allowed, _, err = judges[1].Take(t.Context(), "user:bob", 100, 24*time.Hour, 1)
		require.NoError(t, err)
		assert.Equal(t, 1, allowed, "another user's own")
	})
}

// answering is a hook that replaces the answers of scripts.
type answering struct{ answer any }

func (answering) DialHook(next redis.DialHook) redis.DialHook { return next }

func (answering) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (a answering) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if script, ok := cmd.(*redis.Cmd); ok && err == nil {
			script.SetVal(a.answer)
		}
		return err
	}
}

func TestAnUnexpectedAnswerOfAScriptIsAnErrorAndNoPanic(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		for _, answer := range []any{
			nil, "1", 1.0, int64(1), true,
			[]any{},
			[]any{nil, nil, nil, nil},
			[]any{1.0, 0.0, "0", "0"},
			[]any{int64(1), int64(0), 0.0, 0.0},
			[]any{"1", "0", "0", "0"},
			map[any]any{"a": 1},
		} {
			rdb := s.ConnectRedis(t)
			rdb.AddHook(answering{answer: answer})
			judge := redisdb.NewRateJudge(rdb, s.Keys.Limit, func() int { return 1 })
			allowed, _, err := judge.Take(t.Context(), "user:alice", 100, time.Hour, 1)
			require.ErrorContains(t, err, "count requests", "%v", answer)
			assert.Zero(t, allowed)
		}
	})
}
