package trail

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// movedClient subscribes for the first time at a node that has left the cluster since.
type movedClient struct {
	redis.UniversalClient

	left          redis.UniversalClient
	subscriptions atomic.Int32
}

func (c *movedClient) Subscribe(ctx context.Context, channels ...string) *redis.PubSub {
	if c.subscriptions.Add(1) == 1 {
		return c.left.Subscribe(ctx, channels...)
	}
	return c.UniversalClient.Subscribe(ctx, channels...)
}

func TestAnInstanceWhoseNodeLeftTheClusterSubscribesAgain(t *testing.T) {
	t.Parallel()
	stores, left := kit.OnEmbedded(t), kit.OnEmbedded(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ids := kit.IDs(1)
	running := func(context.Context) ([]string, error) { return []string{"one", "two"}, nil }
	start := func(name string, rdb redis.UniversalClient) *Service {
		s := NewService(Deps{
			Redis: rdb, Keys: stores.Keys, Log: slog.New(slog.DiscardHandler), NewID: ids, Name: name, Running: running,
			Memory: NewMemory(100, time.Now),
		})
		s.aliveEvery = 20 * time.Millisecond
		return s
	}
	one, two := start("one", stores.Redis), start("two", &movedClient{UniversalClient: stores.Redis, left: left.Redis})
	done := make(chan struct{}, 2)
	for _, s := range []*Service{one, two} {
		go func() {
			s.Run(ctx)
			done <- struct{}{}
		}()
	}
	require.Eventually(t, func() bool { return !one.OfUser(ctx, "ann").Partial }, 20*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return !two.OfUser(ctx, "ann").Partial }, 20*time.Second, time.Millisecond)
	stop()
	<-done
	<-done
}
