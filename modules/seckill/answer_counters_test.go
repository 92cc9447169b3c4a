package seckill

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/test/kit"
)

func TestCountsOfAnswersExpire(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		counters := NewAnswerCounters(lua.New(stores.Redis, stores.Keys), clock.New(time.Now))
		counters.CountSubmit(&Activity{ID: "sale", Lane: 1}, nil)
		require.NoError(t, counters.Flush(t.Context()))
		ttl, err := stores.Redis.TTL(t.Context(), stores.Keys.Answers(1, "sale")).Result()
		require.NoError(t, err)
		assert.Positive(t, ttl)
	})
}
