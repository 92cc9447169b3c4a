package kit

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/app/servers"
	"onrush/lua"
	"onrush/modules/redisdb"
)

const (
	clusterNodes = 3
	clusterSlots = 16384
	// clusterWithin bounds how long the nodes take to find each other.
	clusterWithin = 30 * time.Second
	// pollCluster is the interval between two looks at it.
	pollCluster = 20 * time.Millisecond
	// nodeTimeout is cluster-node-timeout, in ms, of nodes that the test does not stop.
	nodeTimeout = 2000
)

// RedisCluster is the variable with which OnReal is OnCluster.
const RedisCluster = "ONRUSH_TEST_CLUSTER"

// OnCluster gives a test the shared SQL server, and its own Redis Cluster of three nodes. The
// test is skipped if the programs are missing, or fails if RequireReal is set.
func OnCluster(tb testing.TB, opts ...Option) *Stores {
	tb.Helper()
	needReal(tb)
	o := read(opts)
	if o.breakable || o.distance > 0 {
		tb.Skip("no link leads to a Redis Cluster")
	}
	_, sqlServer := startShared(tb)
	s := &Stores{Name: RealStores}
	s.connectSQL(tb, o, sqlServer)
	nodes := make([]string, clusterNodes)
	for i := range nodes {
		nodes[i] = own(tb, func() (*servers.Server, error) { return startClusterNode(nodeTimeout) }).Addr
	}
	join(tb, nodes, len(nodes))
	s.connectCluster(tb, nodes)
	return s
}

func (s *Stores) connectCluster(tb testing.TB, nodes []string) {
	tb.Helper()
	s.RedisAddr = nodes[0]
	s.RedisURL = "redis://" + nodes[0] + "?addr=" + strings.Join(nodes[1:], "&addr=")
	s.Keys = lua.Keys{Prefix: "t" + randomName()}
	s.Redis = s.ConnectRedis(tb)
}

// KeysLike returns the names of the keys that match a pattern of KEYS, on all nodes of Redis.
func (s *Stores) KeysLike(tb testing.TB, pattern string) (names []string) {
	tb.Helper()
	require.NoError(tb, redisdb.EachNode(context.WithoutCancel(tb.Context()), s.Redis,
		func(ctx context.Context, _ string, node redis.Cmdable) error {
			found, err := node.Keys(ctx, pattern).Result()
			names = append(names, found...)
			return err
		}))
	return names
}

// LoseRedis makes Redis lose everything, on all nodes.
func (s *Stores) LoseRedis(tb testing.TB) {
	tb.Helper()
	require.NoError(tb, redisdb.EachNode(context.WithoutCancel(tb.Context()), s.Redis,
		func(ctx context.Context, _ string, node redis.Cmdable) error { return node.FlushDB(ctx).Err() }))
}

// startClusterNode starts a node that knows no other node; the nodes use a separate port among
// themselves.
func startClusterNode(timeoutMS int) (*servers.Server, error) {
	bus, err := servers.FreePort()
	if err != nil {
		return nil, err
	}
	return servers.StartRedis(false, "", "--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(bus),
		"--cluster-node-timeout", strconv.Itoa(timeoutMS), "--repl-diskless-sync-delay", "0")
}

// join makes the nodes one cluster; the first ones, the masters, have a part of the slots each.
func join(tb testing.TB, nodes []string, masters int) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), clusterWithin)
	defer cancel()
	clients := make([]*redis.Client, len(nodes))
	for i, addr := range nodes {
		clients[i] = redis.NewClient(&redis.Options{Addr: addr, Protocol: 2, DisableIdentity: true})
		defer func() { _ = clients[i].Close() }()
		if i < masters {
			from, to := i*clusterSlots/masters, (i+1)*clusterSlots/masters-1
			require.NoError(tb, clients[i].ClusterAddSlotsRange(ctx, from, to).Err())
		}
	}
	for _, node := range clients[1:] {
		host, port, err := net.SplitHostPort(node.Options().Addr)
		require.NoError(tb, err)
		bus, err := node.ConfigGet(ctx, "cluster-port").Result()
		require.NoError(tb, err)
		require.NoError(tb, clients[0].Do(ctx, "CLUSTER", "MEET", host, port, bus["cluster-port"]).Err())
	}
	require.Eventually(tb, func() bool {
		for _, c := range clients {
			info, err := c.ClusterInfo(ctx).Result()
			if err != nil || !strings.Contains(info, "cluster_state:ok") ||
				!strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d", len(nodes))) {
				return false
			}
		}
		return true
	}, clusterWithin, pollCluster, "the nodes are one cluster")
}
