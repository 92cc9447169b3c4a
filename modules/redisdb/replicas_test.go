package redisdb_test

import (
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/modules/redisdb"
)

func TestReplicasCountThatFollowTheNode(t *testing.T) {
	t.Parallel()
	const follows = "ip=127.0.0.1,port=6380,state=online,offset=42,lag=1\r\n"
	for name, tc := range map[string]struct {
		node     nodeAnswers
		known    bool
		replicas int
	}{
		"two":  {nodeAnswers{info: "connected_slaves:2\r\nslave0:" + follows + "slave1:" + follows}, true, 2},
		"none": {nodeAnswers{info: "connected_slaves:0\r\n"}, true, 0},
		"one of them is loading": {nodeAnswers{
			info: "connected_slaves:2\r\nslave0:" + follows + "slave1:ip=::1,state=wait_bgsave,offset=0,lag=0\r\n",
		}, true, 1},
		"one of them is frozen": {nodeAnswers{
			info: "connected_slaves:2\r\nslave0:ip=::1,port=1,state=online,offset=1,lag=30\r\nslave1:" + follows,
		}, true, 1},
		"INFO refused":      {nodeAnswers{infoErr: nodeRefusal("NOPERM")}, false, 0},
		"INFO says nothing": {nodeAnswers{info: "# Replication\r\n"}, false, 0},
	} {
		node := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
		node.AddHook(tc.node)
		r, err := redisdb.ReadReplication(t.Context(), node)
		require.NoError(t, err, name)
		assert.Equal(t, redisdb.Replication{Known: tc.known, Replicas: tc.replicas}, r, name)

		require.NoError(t, redisdb.CheckReplicas(t.Context(), node, tc.replicas), name)
		err = redisdb.CheckReplicas(t.Context(), node, tc.replicas+1)
		no, few := errors.AsType[*problem.NoWritesError](err)
		if assert.Equal(t, tc.known, few, name) && few {
			assert.Equal(t, "too few replicas", no.Reason, name)
		}
		require.NoError(t, node.Close())
	}
}

func TestWaitAOFNeedsVersion72(t *testing.T) {
	t.Parallel()
	for version, has := range map[string]bool{
		"6.2.14": false, "7.0.15": false, "7.2.0": true, "7.4.1": true, "8.0.6": true, "10.0": true, "": true,
	} {
		assert.Equal(t, has, redisdb.HasWaitAOF(version), version)
	}
	old := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	t.Cleanup(func() { _ = old.Close() })
	old.AddHook(nodeAnswers{info: "redis_version:7.0.15\r\n"})
	require.ErrorIs(t, redisdb.CheckWaitAOF(t.Context(), old), redisdb.ErrNoWaitAOF)
}
