package queue_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/panics"
	"onrush/test/kit"
	"onrush/test/stage"
)

func TestMoverContinuesAfterAPanic(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		s.PlaceMany(t, 3)
		fail := func() error { panic("out of order") }
		_, err := s.Start(t, stage.At("insert", fail)).Mover.RunOnce(t.Context())
		var panicked *panics.Error
		require.ErrorAs(t, err, &panicked)

		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		mover := s.Start(t, stage.At("commit", fail)).Mover
		go func() {
			defer close(ended)
			mover.Run(ctx)
		}()
		require.Eventually(t, func() bool {
			left, err := stores.Redis.LLen(t.Context(), stores.Keys.Queue(s.Lane)).Result()
			return err == nil && left == 0
		}, 30*time.Second, 5*time.Millisecond)
		stop()
		<-ended
		s.Balanced(t)
	})
}
