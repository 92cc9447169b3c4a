package lua

import (
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheScriptOfASnapshotGivesTheRepliesOfTheReads(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	k := all.keys()
	all.each(t, func(s *Scripts) error { return s.Redis.RPush(t.Context(), k.Queue(lane), "a", "b").Err() })
	for _, s := range all {
		pipe := s.Redis.Pipeline()
		list, none := pipe.LRange(t.Context(), k.Queue(lane), 0, -1), pipe.LRange(t.Context(), k.Dead(lane), 0, -1)
		hash := pipe.HGetAll(t.Context(), k.Stock(lane, activity))
		length := pipe.LLen(t.Context(), k.Queue(lane))
		state, missing := pipe.HGet(t.Context(), k.Meta(lane, activity), "state"),
			pipe.HGet(t.Context(), k.Meta(lane, activity), "no")
		several := pipe.HMGet(t.Context(), k.Meta(lane, activity), "state", "no")
		require.NoError(t, s.readAll(t.Context(), pipe.Cmds()))
		assert.Equal(t, []string{"a", "b"}, list.Val())
		assert.Empty(t, none.Val())
		assert.Equal(t, map[string]string{"sku1": "10", "sku1~0": "6", "sku1~1": "4", "sku2": "5", "sku2~0": "5"},
			hash.Val())
		assert.EqualValues(t, 2, length.Val())
		assert.Equal(t, []any{string(StateOpen), nil}, several.Val())
		assert.Equal(t, string(StateOpen), state.Val())
		require.ErrorIs(t, missing.Err(), redis.Nil)
	}
}
