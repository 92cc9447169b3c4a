package line

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/sign"
	"onrush/test/kit"
)

// world is a sale with a waiting room on one set of stores. Scripts judge by the time of Redis and the service
// by its clock, so the sale starts when the test moves its start to the past.
type world struct {
	stores   *kit.Stores
	clock    *kit.Clock
	commands atomic.Int64 // that instances have sent to Redis

	mu      sync.Mutex
	sale    Sale
	chances int64
	refusal error
}

func (w *world) Sale(_ context.Context, activity string) (Sale, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sale := w.sale
	sale.Activity = activity
	return sale, nil
}

func (w *world) Chances(context.Context, string) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.chances, w.refusal
}

// newWorld returns a sale that has started ago before now, or starts later if ago is negative.
func newWorld(stores *kit.Stores, rate float64, ago time.Duration) *world {
	now := time.Now().Truncate(time.Millisecond)
	return &world{stores: stores, clock: kit.NewClock(now), chances: Unknown, sale: Sale{
		Lane: 2, StartsMS: now.Add(-ago).UnixMilli(), EndsMS: now.Add(time.Hour).UnixMilli(),
		Room: Settings{PathsPerSecond: rate},
	}}
}

// start moves the start of the sale to now.
func (w *world) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sale.StartsMS = w.clock.Now().UnixMilli()
}

// instance returns one more instance of the program.
func (w *world) instance(t testing.TB) *Service {
	t.Helper()
	return w.instanceWith(t, Config{})
}

func (w *world) instanceWith(t testing.TB, cfg Config) *Service {
	t.Helper()
	rdb := w.stores.ConnectRedis(t)
	rdb.AddHook(w)
	cfg.Secrets = sign.Secrets{secret}
	s, err := NewService(cfg, Deps{Sales: w, Lua: lua.New(rdb, w.stores.Keys), Clock: clock.Fixed(w.clock.Now)})
	require.NoError(t, err)
	return s
}

func (w *world) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (w *world) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (w *world) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		w.commands.Add(1)
		return next(ctx, cmd)
	}
}

// joins lets a user join and returns the answer.
func joins(t testing.TB, s *Service, user string) *Answer {
	t.Helper()
	answer, err := s.Join(t.Context(), user, "", "a1")
	require.NoError(t, err)
	return answer
}

// position returns the position in a place.
func position(t testing.TB, s *Service, user string, answer *Answer) int64 {
	t.Helper()
	p, ok := s.seal.open(user, answer.Place)
	require.True(t, ok)
	return p.position
}
