package logpositions_test

import (
	"context"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/order/logpositions"
	"onrush/modules/order/myorders"
	"onrush/modules/order/queue"
	"onrush/modules/redisdb"
	"onrush/modules/site"
	"onrush/modules/sqldb"
	"onrush/test/kit"
	"onrush/test/stage"
)

var quiet = slog.New(slog.DiscardHandler)

// instance is one that reads a replica, over a client of Redis.
type instance struct {
	replica   *sqldb.Replica
	positions *logpositions.Store
	orders    *myorders.Service
	mover     *queue.Mover
}

func instanceOf(t *testing.T, s *kit.Replicated, rdb redis.UniversalClient) *instance {
	t.Helper()
	in := &instance{positions: logpositions.New(s.DB, lua.New(rdb, s.Keys), site.Fixed(stage.Lanes), time.Now, quiet)}
	var err error
	in.replica, err = s.DB.OpenReplica(s.ReplicaDSN, 4, time.Now, quiet)
	require.NoError(t, err)
	t.Cleanup(func() { _ = in.replica.Close() })
	in.orders = myorders.NewService(s.DB, myorders.NewCache(rdb, s.Keys, site.Fixed(stage.Lanes), quiet), time.Now,
		quiet)
	in.orders.ReadFrom(in.replica, in.positions)
	in.mover, err = queue.NewMover(queue.MoverConfig{}, queue.Deps{
		DB: s.DB, Lua: lua.New(rdb, s.Keys), Locks: redisdb.NewLocks(rdb), Clock: clock.Fixed(time.Now),
		Log: quiet, Written: in.positions, Site: site.Fixed(stage.Lanes),
	})
	require.NoError(t, err)
	return in
}

// list returns a user's orders, and whether the replica was read.
func (in *instance) list(t *testing.T, user string) (list api.List[myorders.Row], atReplica bool) {
	t.Helper()
	before := in.replica.Read.Load()
	list, err := in.orders.List(t.Context(), user, myorders.Filter{}, api.Page{Page: 1, Size: 10})
	require.NoError(t, err)
	return list, in.replica.Read.Load() > before
}

// readAtReplica lists a user's orders until the replica is read.
func (in *instance) readAtReplica(t *testing.T, user string) (list api.List[myorders.Row]) {
	t.Helper()
	require.Eventually(t, func() (is bool) {
		list, is = in.list(t, user)
		return is
	}, 30*time.Second, 20*time.Millisecond)
	return list
}

func TestAFullRedisDrainsWithAReplicaOfSQL(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	sale := stage.Open(t, s.Stores, stage.Sale{})
	in := instanceOf(t, s, s.Redis)
	in.readAtReplica(t, "carol")
	sale.Place(t, "alice", 1)
	_, _, err := in.mover.MoveLane(t.Context(), sale.Lane) // the scripts are loaded
	require.NoError(t, err)
	sale.Place(t, "bob", 1)
	require.NoError(t, s.Redis.ConfigSet(t.Context(), "maxmemory", "500kb").Err())
	require.ErrorContains(t, s.Redis.Set(t.Context(), "any", 1, 0).Err(), "OOM")
	_, _, err = in.mover.MoveLane(t.Context(), sale.Lane)
	require.NoError(t, err)
	assert.Empty(t, sale.QueueLine(t))
}

// held holds the first script, until it is released.
type held struct {
	once            sync.Once
	begun, released chan struct{}
}

func (h *held) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (h *held) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == "evalsha" {
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
	hook := &held{begun: make(chan struct{}), released: make(chan struct{})}
	slowRedis := redis.NewClient(s.Redis.(*redis.Client).Options())
	t.Cleanup(func() { _ = slowRedis.Close() })
	slow, other := instanceOf(t, s, slowRedis), instanceOf(t, s, s.Redis)
	other.readAtReplica(t, "alice") // each lane has a first position
	s.Lag(t, time.Hour)

	sale.Place(t, "alice", 1)
	slowRedis.AddHook(hook)
	done := make(chan error, 1)
	go func() {
		_, _, err := slow.mover.MoveLane(context.WithoutCancel(ctx), sale.Lane)
		done <- err
	}()
	<-hook.begun // it has stored alice's first order, and knows the position
	o := sale.Place(t, "alice", 1)
	_, _, err := other.mover.MoveLane(ctx, sale.Lane)
	require.NoError(t, err)
	require.Empty(t, sale.QueueLine(t))
	close(hook.released)
	require.NoError(t, <-done)
	list, _ := other.list(t, "alice")
	require.Len(t, list.Items, 2, "only the primary has them")
	assert.Equal(t, o.Number, list.Items[0].Number)
	assert.False(t, list.Partial)
}

func TestOrdersOfAnInstanceWithoutAReplicaAreInTheListsOfOneThatReadsIt(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	sale := stage.Open(t, s.Stores, stage.Sale{})
	reads, only := instanceOf(t, s, s.Redis), instanceOf(t, s, s.Redis) // only moves, and has no list
	sale.Place(t, "alice", 1)
	_, _, err := only.mover.MoveLane(t.Context(), sale.Lane)
	require.NoError(t, err)
	assert.Zero(t, s.Redis.Exists(t.Context(), s.Keys.Written(sale.Lane)).Val(), "nobody reads a replica")
	s.CatchUp(t)
	assert.Len(t, reads.readAtReplica(t, "alice").Items, 1)
	s.Lag(t, time.Hour)
	sale.Place(t, "alice", 1)
	_, _, err = only.mover.MoveLane(t.Context(), sale.Lane)
	require.NoError(t, err)
	require.Empty(t, sale.QueueLine(t))
	list, _ := reads.list(t, "alice")
	assert.Len(t, list.Items, 2)
	_, atReplica := reads.list(t, "bob")
	assert.True(t, atReplica, "it has all that concerns bob")
}

// A failover of SQL that lost transactions leaves positions that no server will ever have.
func TestPositionsThatThePrimaryLostAreForgotten(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	ctx := t.Context()
	in := instanceOf(t, s, s.Redis)
	in.readAtReplica(t, "alice")
	lost := "0-1-900000000"
	if !kit.IsMariaDB() {
		lost = "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5"
	}
	for lane := 1; lane <= stage.Lanes; lane++ {
		fields, err := s.Redis.HKeys(ctx, s.Keys.Written(lane)).Result()
		require.NoError(t, err)
		for _, field := range fields {
			if field == lua.FieldRun {
				continue
			}
			require.NoError(t, s.Redis.HSet(ctx, s.Keys.Written(lane), field, lost).Err())
		}
	}
	_, atReplica := in.list(t, "alice")
	assert.False(t, atReplica)
	in.readAtReplica(t, "alice")
	for lane := 1; lane <= stage.Lanes; lane++ {
		has, err := s.DB.Has(ctx, s.Redis.HGet(ctx, s.Keys.Written(lane), lua.FieldSince).Val())
		require.NoError(t, err)
		assert.True(t, has)
	}
}

// Nothing follows the commits here: the program may end there, and Redis may be away.
func TestEachChangeIsInTheNextListAlthoughNothingRunsAfterItsCommit(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	ctx := t.Context()
	in := instanceOf(t, s, s.Redis)
	cards := stage.NewCards(s.Stores, time.Now())
	cards.Buy(t, 1)
	s.CatchUp(t)
	in.readAtReplica(t, "ada")
	s.Lag(t, time.Hour)
	stored := myorders.NewService(s.DB, myorders.NewCache(s.Redis, s.Keys, site.Fixed(stage.Lanes), quiet), time.Now,
		quiet)
	var first, second order.Number
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"an order", func() error { first = cards.Place(t, 2); return nil }},
		{"another order", func() error { second = cards.Place(t, 1); return nil }},
		{"a payment", func() error { _, err := cards.Pay(ctx, first); return err }},
		{"a refund of a part", func() error { return cards.Refund(ctx, first, stage.Units(1)) }},
		{"a refund", func() error { return cards.Refund(ctx, first, order.Part{}) }},
		{"a cancellation", func() error {
			canceller := order.NewCanceller(order.Deps{
				DB: s.DB, Lua: lua.New(s.Redis, s.Keys), Clock: clock.Fixed(time.Now), Log: quiet,
			}, nil, nil)
			return canceller.CancelStored(ctx, second, order.LogLine{Actor: "operator:grace"}, nil)
		}},
		{"an erasure", func() error {
			return s.DB.InTx(ctx, func(tx *sqlx.Tx) error {
				return order.Forget(ctx, tx, "ada", "erased-1", []order.Number{first})
			})
		}},
	} {
		require.NoError(t, step.do(), step.what)
		list, atReplica := in.list(t, "ada")
		assert.False(t, atReplica, step.what)
		want, err := stored.List(ctx, "ada", myorders.Filter{}, api.Page{Page: 1, Size: 10})
		require.NoError(t, err)
		assert.Equal(t, want.Items, list.Items, step.what)
		assert.False(t, list.Partial)
	}
	_, atReplica := in.list(t, "bob")
	assert.True(t, atReplica, "nobody changed bob's orders")
}

func TestAListIsPartialIfNobodyKnowsWhetherTheReplicaHasAll(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	in := instanceOf(t, s, s.Redis)
	stage.NewCards(s.Stores, time.Now()).Buy(t, 1)
	s.CatchUp(t)
	in.readAtReplica(t, "ada")
	s.SQLServer.Freeze(t)
	t.Cleanup(func() { s.SQLServer.Thaw(t) })
	require.Eventually(t, func() bool { // its threads stop one after the other
		list, _ := in.list(t, "ada")
		assert.Len(t, list.Items, 1)
		return list.Partial
	}, 10*time.Second, time.Millisecond)
}

// trips counts the round trips of a client of Redis.
type trips struct{ atomic.Int64 }

func (n *trips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (n *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		n.Add(1)
		return next(ctx, cmd)
	}
}

func (n *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		n.Add(1)
		return next(ctx, cmds)
	}
}

func TestAListReadsOrdersAndPositionsInOneRoundTrip(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	rdb, count := redis.NewClient(s.Redis.(*redis.Client).Options()), &trips{}
	t.Cleanup(func() { _ = rdb.Close() })
	rdb.AddHook(count)
	in := instanceOf(t, s, rdb)
	in.readAtReplica(t, "alice")
	before := count.Load()
	_, atReplica := in.list(t, "alice")
	assert.True(t, atReplica)
	assert.Equal(t, before+1, count.Load())
}

func TestTheReplicaIsAskedOnceForThePositionsOfAllLanes(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	ctx := t.Context()
	replica, err := s.DB.OpenReplica(s.ReplicaDSN, 4, time.Now, quiet)
	require.NoError(t, err)
	t.Cleanup(func() { _ = replica.Close() })
	const lanes = 16
	store := logpositions.New(s.DB, lua.New(s.Redis, s.Keys), site.Fixed(lanes), time.Now, quiet)
	run, err := lua.Run(s.Redis.Info(ctx, "replication"))
	require.NoError(t, err)
	for lane := 1; lane <= lanes; lane++ {
		_, err := s.DB.Write.ExecContext(ctx, `CREATE OR REPLACE VIEW written AS SELECT `+strconv.Itoa(lane))
		require.NoError(t, err)
		position, err := s.DB.Position(ctx)
		require.NoError(t, err)
		done, err := lua.New(s.Redis, s.Keys).BeginPositions(ctx, lane, "", position, run)
		require.NoError(t, err)
		require.True(t, done)
	}
	s.CatchUp(t)
	of, err := store.Of("alice").Positions(ctx)
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
