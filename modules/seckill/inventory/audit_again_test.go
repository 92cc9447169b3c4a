package inventory_test

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/test/kit"
	"onrush/test/stage"
)

// A dead order whose hold is lost leaves the dead entries while an account is taken: after its units were counted, and
// before the account asks whether it is still dead.
func TestAnAccountIsTakenAgainIfADeadOrderIsDiscardedMeanwhile(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 3}})
		ctx, keys := t.Context(), stores.Keys
		placed := s.Place(t, "u1", 1)
		records, field := keys.Orders(s.Lane, "u1"), lua.OrderField(placed.Number.String())
		record, err := stores.Redis.HGet(ctx, records, field).Result()
		require.NoError(t, err)
		require.NoError(t, stores.Redis.HSet(ctx, records, field, "{").Err())
		s.Move(t)
		require.NoError(t, stores.Redis.HSet(ctx, records, field, record).Err())
		require.NoError(t, stores.Redis.HDel(ctx, keys.Held(s.Lane, s.Activity), placed.Number.String()).Err())
		dead := keys.Dead(s.Lane)
		require.EqualValues(t, 1, stores.Redis.HLen(ctx, dead).Val())
		require.EqualValues(t, 1, auditOf(t, s).Items[0].Placed)

		var discarded atomic.Bool
		rdb := stage.BeforeEach(t, stores, func(cmd redis.Cmder) {
			reads := cmd.Name() == "hmget" && slices.Contains(cmd.Args(), any(dead))
			if reads && discarded.CompareAndSwap(false, true) {
				assert.NoError(t, stores.Redis.Del(ctx, dead).Err())
			}
		})
		audit, err := s.StartOn(t, nil, stores.DB, rdb).Auditor.Audit(ctx, s.Activity)
		require.NoError(t, err)
		assert.True(t, discarded.Load())
		assert.Zero(t, audit.Items[0].Placed)
	})
}
