package redisdb_test

import (
	"testing"
	"time"

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
