package admin_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/gates/human"
	"onrush/test/kit"
)

// noon is when the tests with a clock begin.
var noon = time.Date(2026, 5, 31, 12, 0, 0, 0, time.UTC)

// world is a History over stores, with a clock that only the test advances.
type world struct {
	*admin.History

	stores   *kit.Stores
	clock    *kit.Clock
	counters *seckill.AnswerCounters
	trips    *trips
}

// newWorld makes a History that begins at a time.
func newWorld(t *testing.T, stores *kit.Stores, begin time.Time) *world {
	t.Helper()
	w := &world{stores: stores, clock: kit.NewClock(begin), trips: &trips{}}
	rdb := stores.ConnectRedis(t)
	rdb.AddHook(w.trips)
	clock, scripts := clock.Fixed(w.clock.Now), lua.New(rdb, stores.Keys)
	w.counters = seckill.NewAnswerCounters(scripts, clock)
	w.History = admin.NewHistory(admin.Deps{
		DB: stores.DB, Lua: scripts, Clock: clock, Log: slog.New(slog.DiscardHandler),
	}, w.counters)
	return w
}

// samples takes a sample and returns how many sales got a point.
func (w *world) samples(t testing.TB) int {
	t.Helper()
	n, err := w.RunOnce(t.Context())
	require.NoError(t, err)
	return n
}

// points returns the history of an activity.
func (w *world) points(t testing.TB, activity string) []admin.HistoryPoint {
	t.Helper()
	points, sampled := w.Of(activity)
	require.True(t, sampled, activity)
	return points
}

// sale is an activity with one sku; zero fields have their defaults.
type sale struct {
	id       string
	state    seckill.State // default published
	lane     int           // default 1
	startsIn time.Duration // from noon; default it started a minute ago
	endsIn   time.Duration // default a day
}

// put stores sales, and loads ten units of each into Redis.
func (w *world) put(t testing.TB, sales ...sale) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, w.stores.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		for _, s := range sales {
			if err := s.insert(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err := w.stores.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, s := range sales {
			s = s.withDefaults()
			p.HSet(ctx, w.stores.Keys.Meta(s.lane, s.id), "state", "open")
			p.HSet(ctx, w.stores.Keys.Stock(s.lane, s.id), "sku", 10, "sku~0", 10)
		}
		return nil
	})
	require.NoError(t, err)
}

func (s sale) withDefaults() sale {
	if s.state == "" {
		s.state = seckill.Published
	}
	if s.lane == 0 {
		s.lane = 1
	}
	if s.startsIn == 0 {
		s.startsIn = -time.Minute
	}
	if s.endsIn == 0 {
		s.endsIn = 24 * time.Hour
	}
	return s
}

func (s sale) insert(ctx context.Context, tx *sqlx.Tx) error {
	s = s.withDefaults()
	a := seckill.Activity{
		ID: s.id, Shop: "shop", Title: "Sale", State: s.state, Lane: s.lane, StartsMS: noon.Add(s.startsIn).UnixMilli(),
		EndsMS: noon.Add(s.endsIn).UnixMilli(), PayWithinS: 900, PurchaseLimit: seckill.Unlimited,
		PermitRatio: seckill.Unlimited, HumanCheck: human.None,
	}
	names := strings.Join(strings.Fields(seckill.ActivityColumns), "")
	if _, err := tx.NamedExecContext(ctx, `INSERT INTO activities (`+names+`) VALUES (:`+
		strings.ReplaceAll(names, ",", ",:")+`)`, &a); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO activity_skus (activity_id, sku_id, position, flash_price,
		purchase_limit) VALUES (?, 'sku', 0, 100, -1)`, s.id); err != nil {
		return err
	}
	if err := order.OpenCounts(ctx, tx, s.id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE activity_statuses SET unpaid = 2, paid = 1 WHERE activity_id = ?`, s.id)
	return err
}

// trips counts the round trips to Redis, except those that open connections. While hold is not nil, a pipeline says
// on held that it has begun, and waits for hold.
type trips struct {
	pipelines, single atomic.Int64

	held chan<- struct{}
	hold <-chan struct{}
}

func (c *trips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if name := cmd.Name(); name != "hello" && name != "select" {
			c.single.Add(1)
		}
		return next(ctx, cmd)
	}
}

func (c *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if cmds[0].Name() != "hget" { // the greeting of a new connection
			return next(ctx, cmds)
		}
		c.pipelines.Add(1)
		if c.hold != nil {
			c.held <- struct{}{}
			<-c.hold
		}
		return next(ctx, cmds)
	}
}
