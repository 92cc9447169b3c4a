package positions_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/order/myorders"
	"onrush/modules/order/positions"
	"onrush/modules/order/queue"
	"onrush/modules/redisdb"
	"onrush/test/kit"
	"onrush/test/stage"
)

var quiet = slog.New(slog.DiscardHandler)

func moverOf(t *testing.T, s *kit.Stores, written *positions.Store) *queue.Mover {
	t.Helper()
	mover, err := queue.NewMover(queue.MoverConfig{Lanes: stage.Lanes}, queue.Deps{
		DB: s.DB, Lua: lua.New(s.Redis, s.Keys), Locks: redisdb.NewLocks(s.Redis), Clock: clock.Fixed(time.Now),
		Log: quiet, Written: written,
	})
	require.NoError(t, err)
	return mover
}

func TestAFullRedisDrainsWithAReplicaOfSQL(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	sale := stage.Open(t, s.Stores, stage.Sale{})
	mover := moverOf(t, s.Stores, positions.New(s.DB, lua.New(s.Redis, s.Keys), stage.Lanes, time.Now, quiet))
	sale.Place(t, "alice", 1)
	_, _, err := mover.MoveLane(t.Context(), sale.Lane) // the scripts are loaded
	require.NoError(t, err)
	sale.Place(t, "bob", 1)
	require.NoError(t, s.Redis.ConfigSet(t.Context(), "maxmemory", "500kb").Err())
	require.ErrorContains(t, s.Redis.Set(t.Context(), "any", 1, 0).Err(), "OOM")
	_, _, err = mover.MoveLane(t.Context(), sale.Lane)
	require.NoError(t, err)
	assert.Empty(t, sale.QueueLine(t))
}

// held holds the first command other than the reads before a position, until it is released.
type held struct {
	once            sync.Once
	begun, released chan struct{}
}

func (h *held) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (h *held) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "hmget" {
			h.once.Do(func() {
				close(h.begun)
				<-h.released
			})
		}
		return next(ctx, cmd)
	}
}

func (h *held) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { return next(ctx, cmds) }
}

// An instance that is slow between the read of a position and its note knows of less than others have noted meanwhile.
func TestASlowNoteDoesNotHideWhatAnotherInstanceNoted(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	ctx := t.Context()
	sale := stage.Open(t, s.Stores, stage.Sale{})
	replica, err := s.DB.OpenReplica(s.ReplicaDSN, 4, time.Now, quiet)
	require.NoError(t, err)
	t.Cleanup(func() { _ = replica.Close() })
	hook := &held{begun: make(chan struct{}), released: make(chan struct{})}
	slowRedis := redis.NewClient(s.Redis.(*redis.Client).Options())
	t.Cleanup(func() { _ = slowRedis.Close() })
	require.NoError(t, slowRedis.Ping(ctx).Err()) // its connection is open
	slow := positions.New(s.DB, lua.New(slowRedis, s.Keys), stage.Lanes, time.Now, quiet)
	other := positions.New(s.DB, lua.New(s.Redis, s.Keys), stage.Lanes, time.Now, quiet)
	orders := myorders.NewService(s.DB, myorders.NewCache(s.Redis, s.Keys, stage.Lanes, quiet), time.Now, quiet)
	orders.ReadFrom(replica, other)
	_, err = other.Of(ctx, "alice") // each lane has a first position
	require.NoError(t, err)
	s.CatchUp(t)
	s.Lag(t, time.Hour)

	o := sale.Place(t, "alice", 1)
	slowRedis.AddHook(hook)
	done := make(chan error, 1)
	go func() { done <- slow.Written(context.WithoutCancel(ctx), sale.Lane, "alice") }()
	<-hook.begun
	_, _, err = moverOf(t, s.Stores, other).MoveLane(ctx, sale.Lane)
	require.NoError(t, err)
	require.Empty(t, sale.QueueLine(t))
	close(hook.released)
	require.NoError(t, <-done)
	list, err := orders.List(ctx, "alice", myorders.Filter{}, api.Page{Page: 1, Size: 10})
	require.NoError(t, err)
	require.Len(t, list.Items, 1, "only the primary has it")
	assert.Equal(t, o.Number, list.Items[0].Number)
	assert.False(t, list.Partial)
}

func TestTheReplicaIsAskedOnceForThePositionsOfAllLanes(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	ctx := t.Context()
	replica, err := s.DB.OpenReplica(s.ReplicaDSN, 4, time.Now, quiet)
	require.NoError(t, err)
	t.Cleanup(func() { _ = replica.Close() })
	const lanes = 16
	store := positions.New(s.DB, lua.New(s.Redis, s.Keys), lanes, time.Now, quiet)
	for lane := 1; lane <= lanes; lane++ {
		_, err := s.DB.Write.ExecContext(ctx, `CREATE OR REPLACE VIEW written AS SELECT `+strconv.Itoa(lane))
		require.NoError(t, err)
		require.NoError(t, store.Written(ctx, lane, "alice"))
	}
	s.CatchUp(t)
	of, err := store.Of(ctx, "alice")
	require.NoError(t, err)
	require.Len(t, of, lanes, "each is another one")
	selects := func() (n int) {
		require.NoError(t, replica.ReadAt(ctx, s.DB, nil, func(ctx context.Context, q sqlx.QueryerContext) error {
			return q.QueryRowxContext(ctx, `SHOW GLOBAL STATUS LIKE 'Com_select'`).Scan(new(string), &n)
		}))
		return n
	}
	before, read := selects(), replica.Read.Load()
	require.NoError(t, replica.ReadAt(ctx, s.DB, of, func(context.Context, sqlx.QueryerContext) error { return nil }))
	assert.Equal(t, read+1, replica.Read.Load())
	assert.Equal(t, before+1, selects())
	of = append(of, "9-9-9")
	if !kit.IsMariaDB() {
		of[lanes] = "3e11fa47-71ca-11e1-9e33-c80aa9429562:1"
	}
	require.NoError(t, replica.ReadAt(ctx, s.DB, of, func(context.Context, sqlx.QueryerContext) error { return nil }))
	assert.EqualValues(t, 1, replica.Behind.Load(), "one of them is not reached")
}

// failing counts the commands of a Redis that answers none.
type failing struct{ commands int }

func (f *failing) DialHook(next redis.DialHook) redis.DialHook { return next }

func (f *failing) ProcessHook(redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, _ redis.Cmder) error {
		f.commands++
		<-ctx.Done()
		return errors.Join(ctx.Err(), errors.New("frozen"))
	}
}

func (f *failing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func TestAFrozenRedisDelaysOneWriteOfABuyerASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, redisIs := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"}), &failing{}
		client.AddHook(redisIs)
		s := positions.New(nil, lua.New(client, lua.Keys{Prefix: "p"}), 4, time.Now, quiet)
		took := func() time.Duration {
			began := time.Now()
			s.Note(t.Context(), "alice")
			return time.Since(began)
		}
		assert.Equal(t, 300*time.Millisecond, took())
		for range 3 {
			assert.Zero(t, took())
		}
		kit.Pass(time.Second)
		assert.Equal(t, 300*time.Millisecond, took(), "it asks again")
		assert.Equal(t, 2, redisIs.commands)
		require.NoError(t, client.Close())
	})
}
