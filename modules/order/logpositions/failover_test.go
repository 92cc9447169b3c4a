package logpositions_test

import (
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/order/logpositions"
	"onrush/modules/site"
	"onrush/test/kit"
	"onrush/test/stage"
)

// A replica of Redis that lacks an order, its acknowledgement and the note of it becomes the master. SQL has the order,
// and its replica is behind.
func TestAfterAFailoverOfRedisNoReplicaIsReadByPositionsOfTheMasterBefore(t *testing.T) {
	t.Parallel()
	s := kit.OwnReplicated(t)
	ctx := t.Context()
	sale := stage.Open(t, s.Stores, stage.Sale{})
	server := kit.StartReplica(t, s.Stores, "")
	promoted := redis.NewClient(&redis.Options{Addr: server.Addr, MaxRetries: -1})
	t.Cleanup(func() { _ = promoted.Close() })
	in := instanceOf(t, s, s.Redis)
	in.readAtReplica(t, "alice") // each lane has a first position
	require.Eventually(t, func() bool {
		theirs := s.Redis.HGetAll(ctx, s.Keys.Written(stage.Lanes)).Val()
		mine, err := promoted.HGetAll(ctx, s.Keys.Written(stage.Lanes)).Result()
		return err == nil && assert.ObjectsAreEqual(theirs, mine)
	}, 20*time.Second, 5*time.Millisecond)
	s.Lag(t, time.Hour)
	at := instanceOf(t, s, promoted)
	_, atReplica := at.list(t, "alice")
	assert.False(t, atReplica, "a replica of Redis is asked, which may be behind")
	require.NoError(t, promoted.Do(ctx, "replicaof", "no", "one").Err()) // it gets nothing more

	o := sale.Place(t, "alice", 1) // answered
	_, _, err := in.mover.MoveLane(ctx, sale.Lane)
	require.NoError(t, err)
	require.Empty(t, sale.QueueLine(t))
	list, atReplica := at.list(t, "alice")
	require.Len(t, list.Items, 1)
	assert.Equal(t, o.Number, list.Items[0].Number)
	assert.False(t, list.Partial)
	assert.False(t, atReplica)

	s.Lag(t, 0)
	s.CatchUp(t)
	assert.Len(t, at.readAtReplica(t, "alice").Items, 1, "the new master has its own positions")
}

// Each lane's positions belong to the run of the master that has the lane.
func TestInAClusterOnlyTheLanesOfAFailoverGetNewPositions(t *testing.T) {
	t.Parallel()
	s, c := kit.OwnReplicated(t), kit.OnReplicatedCluster(t)
	ctx := t.Context()
	const lanes = 16
	store := logpositions.New(s.DB, lua.New(c.Redis, c.Keys), site.Fixed(lanes), time.Now, quiet)
	read := func() []string {
		of, err := store.Of("alice").Positions(ctx)
		require.NoError(t, err)
		return of
	}
	since := func(lane int) string { return c.Redis.HGet(ctx, c.Keys.Written(lane), lua.FieldSince).Val() }
	assert.Equal(t, []string{""}, read())
	assert.NotContains(t, read(), "", "all lanes have begun")
	c.Settle(t)
	_, err := s.DB.Write.ExecContext(ctx, `CREATE OR REPLACE VIEW written AS SELECT 1`) // another position
	require.NoError(t, err)
	first := since(1)
	moved := c.MasterOf(t, c.Keys.Written(1))
	var others []int
	for lane := 2; lane <= lanes; lane++ {
		if c.MasterOf(t, c.Keys.Written(lane)) != moved {
			others = append(others, lane)
		}
	}
	require.NotEmpty(t, others)
	c.ReplicaOf(t, moved).TakeOver(t)
	require.Eventually(t, func() bool {
		of, err := store.Of("alice").Positions(ctx)
		return err == nil && slices.Contains(of, "")
	}, 20*time.Second, 5*time.Millisecond)
	c.Settle(t)
	require.Eventually(t, func() bool {
		of, err := store.Of("alice").Positions(ctx)
		return err == nil && !slices.Contains(of, "")
	}, 20*time.Second, 5*time.Millisecond)
	assert.NotEqual(t, first, since(1))
	for _, lane := range others {
		assert.Equal(t, first, since(lane), "its master is the same")
	}
}
