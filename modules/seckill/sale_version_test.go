package seckill_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/seckill"
	"onrush/test/kit"
	"onrush/test/stage"
)

// Redis missed a change of a sale, such as by a failover, and then SQL fails: an instance that has read the change
// doesn't go back to the sale before it.
func TestAnInstanceKeepsAChangeOfASaleThatItsCopyLacks(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		ctx, now := t.Context(), kit.NewClock(time.Now())
		db := stores.ConnectSQL(t)
		cache := seckill.NewActivityCache(db, s.Scripts, clock.Fixed(now.Now), now.Now)
		before, err := cache.Get(ctx, s.Activity)
		require.NoError(t, err)
		_, err = stores.DB.Write.ExecContext(ctx,
			`UPDATE activities SET version = version + 1, title = 'dearer' WHERE activity_id = ?`, s.Activity)
		require.NoError(t, err)
		now.Advance(2 * time.Second)
		changed, err := cache.Get(ctx, s.Activity)
		require.NoError(t, err)
		require.Equal(t, before.Version+1, changed.Version)

		require.NoError(t, db.Close()) // SQL fails
		now.Advance(2 * time.Second)
		kept, err := cache.Get(ctx, s.Activity)
		require.NoError(t, err)
		assert.Equal(t, changed, kept)

		other := seckill.NewActivityCache(db, s.Scripts, clock.Fixed(now.Now), now.Now)
		copied, err := other.Get(ctx, s.Activity)
		require.NoError(t, err)
		assert.Equal(t, before.Version, copied.Version, "an instance that has not read it has the copy")
	})
}
