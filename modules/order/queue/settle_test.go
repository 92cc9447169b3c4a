package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/test/kit"
	"onrush/test/stage"
)

// Drain passes over a lane that another mover has; Settle waits until its orders are stored.
func TestSettleWaitsForALaneThatAnotherMoverMoves(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		results, err := s.TryPlace(t.Context(), s.Order("ann", catalogue.DefaultPoint, 1))
		require.NoError(t, err)
		require.Equal(t, lua.Placed, results[0].Code)
		lock := stores.Keys.MoveLock(s.Lane)
		require.NoError(t, stores.Redis.Set(t.Context(), lock, "another", 0).Err())
		mover := s.Start(t, nil).Mover
		moved, err := mover.Drain(t.Context())
		require.NoError(t, err)
		assert.Zero(t, moved)

		settled := make(chan error, 1)
		go func() { settled <- mover.Settle(t.Context()) }()
		require.Empty(t, s.Stored(t))
		require.NoError(t, stores.Redis.Del(t.Context(), lock).Err())
		require.NoError(t, <-settled)
		assert.Len(t, s.Stored(t), 1)
	})
}
