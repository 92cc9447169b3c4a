package queue_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/stage"
)

func TestUnreadableLaneDoesNotDelayOtherLanes(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		broken := s.Lane%stage.Lanes + 1
		require.NoError(t, stores.Redis.Set(t.Context(), stores.Keys.Queue(broken), "no queue", 0).Err())

		o := s.Place(t, "ann", 1)
		moved, err := s.Mover.RunOnce(t.Context())
		require.ErrorContains(t, err, "read queue lengths")
		assert.Equal(t, 1, moved)
		assert.Contains(t, s.Stored(t), o.Number)

		s.Place(t, "bob", 1)
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.Mover.Run(ctx)
		}()
		assert.Eventually(t, func() bool {
			left, err := stores.Redis.LLen(t.Context(), stores.Keys.Queue(s.Lane)).Result()
			return err == nil && left == 0
		}, 10*time.Second, 5*time.Millisecond)
		stop()
		<-ended
	})
}
