package kit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/servers"
)

// Cluster is Stores on a Redis Cluster of three masters, each with a replica, whose nodes a test may freeze and kill.
// Nothing is on disk: a node that was killed comes back empty.
type Cluster struct {
	*Stores

	nodes []*ClusterNode
}

// ClusterNode is one server of a Cluster.
type ClusterNode struct {
	*Server

	id     string
	client *redis.Client
	down   bool // killed or frozen by the test
}

// failoverTimeout is after how many ms a node that does not answer is replaced.
const failoverTimeout = 1000

// OnReplicatedCluster gives a test the shared SQL server and a Cluster of its own. The test is skipped if the programs
// are missing, or fails if RequireReal is set.
func OnReplicatedCluster(tb testing.TB, opts ...Option) *Cluster {
	tb.Helper()
	needReal(tb)
	_, sqlServer := startShared(tb)
	c := &Cluster{Stores: &Stores{Name: RealStores}}
	c.connectSQL(tb, read(opts), sqlServer)
	addrs := make([]string, 2*clusterNodes)
	for i := range addrs {
		server := own(tb, func() (*servers.Server, error) { return startClusterNode(failoverTimeout) })
		client := redis.NewClient(&redis.Options{
			Addr: server.Addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, ReadTimeout: clusterWithin,
		})
		tb.Cleanup(func() { _ = client.Close() })
		addrs[i] = server.Addr
		c.nodes = append(c.nodes, &ClusterNode{Server: server, client: client})
	}
	join(tb, addrs, clusterNodes)
	for i, node := range c.nodes {
		id, err := node.client.ClusterMyID(tb.Context()).Result()
		require.NoError(tb, err)
		node.id = id
		if i >= clusterNodes {
			require.EventuallyWithT(tb, func(t *assert.CollectT) { // it may not know that master yet
				assert.NoError(t, node.client.ClusterReplicate(tb.Context(), c.nodes[i-clusterNodes].id).Err())
			}, clusterWithin, pollCluster)
		}
	}
	c.connectCluster(tb, addrs)
	c.Settle(tb)
	return c
}

// do sends a command to the node, which must carry it out.
func (n *ClusterNode) do(tb testing.TB, args ...any) {
	tb.Helper()
	require.NoError(tb, n.client.Do(context.WithoutCancel(tb.Context()), args...).Err(), "%v", args)
}

// view is how one node sees the cluster.
type view struct {
	master   map[string]bool   // id → whether it is a master
	masterOf map[string]string // id of a replica → id of its master
	own      string            // slots of the node itself, as ranges
}

// see reads the view of a node; each line of CLUSTER NODES is
// id addr flags master pings pongs epoch link slots...
func (n *ClusterNode) see(ctx context.Context) (v view, err error) {
	text, err := n.client.ClusterNodes(ctx).Result()
	v = view{master: map[string]bool{}, masterOf: map[string]string{}}
	for line := range strings.Lines(text) {
		const id, flags, of, slots = 0, 2, 3, 8
		fields := strings.Fields(line)
		if len(fields) < slots {
			return v, fmt.Errorf("CLUSTER NODES has the line %q", line)
		}
		v.master[fields[id]] = strings.Contains(fields[flags], "master")
		if !v.master[fields[id]] {
			v.masterOf[fields[id]] = fields[of]
		}
		if strings.Contains(fields[flags], "myself") {
			v.own = strings.Join(fields[slots:], " ")
		}
	}
	return v, err
}

// Settle waits until the cluster is whole: all nodes agree who is a master, and each master has a replica that has
// its data.
func (c *Cluster) Settle(tb testing.TB) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	require.EventuallyWithT(tb, func(t *assert.CollectT) {
		var first view
		for i, node := range c.nodes {
			info, err := node.client.ClusterInfo(ctx).Result()
			assert.NoError(t, err)
			assert.Contains(t, info, "cluster_state:ok")
			seen, err := node.see(ctx)
			assert.NoError(t, err)
			if i == 0 {
				first = seen
			}
			assert.Equal(t, first.master, seen.master, "%s sees others", node.Addr)
			if seen.master[node.id] {
				assert.NoError(t, node.followed(ctx, seen.own), node.Addr)
			}
		}
	}, clusterWithin, pollCluster, "the cluster is whole")
}

// followed returns an error unless a replica of a master with some slots has all that the master has. A master counts a
// replica as online before that, while it does not send it anything yet.
func (n *ClusterNode) followed(ctx context.Context, slots string) error {
	const tries, within = 1000, 100
	for i := range tries {
		key := fmt.Sprintf("{%d}", i)
		slot, err := n.client.ClusterKeySlot(ctx, key).Result()
		if err != nil {
			return err
		}
		if !has(slots, slot) {
			continue
		}
		var wait *redis.Cmd
		if _, err := n.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Set(ctx, key, 1, within*time.Millisecond)
			wait = pipe.Do(ctx, "wait", 1, within)
			return nil
		}); err != nil {
			return err
		}
		if replicas, err := wait.Int(); err != nil || replicas != 1 {
			return fmt.Errorf("%d replicas have a write: %w", replicas, err)
		}
		return nil
	}
	return errors.New("no key was found for its slots")
}

// MasterOf returns the node that has a key.
func (c *Cluster) MasterOf(tb testing.TB, key string) *ClusterNode {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	var master *ClusterNode
	require.Eventually(tb, func() bool {
		for _, node := range c.nodes {
			if node.down {
				continue
			}
			seen, err := node.see(ctx)
			if err == nil && seen.master[node.id] && has(seen.own, slotOf(ctx, tb, node, key)) {
				master = node
				return true
			}
		}
		return false
	}, clusterWithin, pollCluster, "no node has the key")
	return master
}

// has reports whether ranges such as "0-5460 5462" contain a slot.
func has(ranges string, slot int64) bool {
	for part := range strings.FieldsSeq(ranges) {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseInt(from, 10, 64)
		last, errLast := strconv.ParseInt(to, 10, 64)
		if err == nil && errLast == nil && first <= slot && slot <= last {
			return true
		}
	}
	return false
}

func slotOf(ctx context.Context, tb testing.TB, node *ClusterNode, key string) int64 {
	tb.Helper()
	slot, err := node.client.ClusterKeySlot(ctx, key).Result()
	require.NoError(tb, err)
	return slot
}

// ReplicaOf returns the replica of a master.
func (c *Cluster) ReplicaOf(tb testing.TB, master *ClusterNode) *ClusterNode {
	tb.Helper()
	seen, err := master.see(context.WithoutCancel(tb.Context()))
	require.NoError(tb, err)
	for _, node := range c.nodes {
		if seen.masterOf[node.id] == master.id {
			return node
		}
	}
	require.FailNow(tb, "it has no replica", master.Addr)
	return nil
}

// Other returns another master.
func (c *Cluster) Other(tb testing.TB, master *ClusterNode) *ClusterNode {
	tb.Helper()
	seen, err := master.see(context.WithoutCancel(tb.Context()))
	require.NoError(tb, err)
	for _, node := range c.nodes {
		if node != master && seen.master[node.id] {
			return node
		}
	}
	require.FailNow(tb, "there is no other master")
	return nil
}

// Kill ends the node without a warning.
func (n *ClusterNode) Kill(tb testing.TB) { tb.Helper(); n.down = true; n.Server.Kill(tb) }

// Restart starts a killed node, empty. Its replica should be the master by now: it would follow an empty master.
func (n *ClusterNode) Restart(tb testing.TB) { tb.Helper(); n.Server.Restart(tb); n.down = false }

// Freeze suspends the node.
func (n *ClusterNode) Freeze(tb testing.TB) { tb.Helper(); n.down = true; n.Server.Freeze(tb) }

// Thaw resumes it.
func (n *ClusterNode) Thaw(tb testing.TB) { tb.Helper(); n.Server.Thaw(tb); n.down = false }

// CutOff keeps a replica from its master, as a partition between them does, by a password that the master doesn't know.
func (n *ClusterNode) CutOff(tb testing.TB) {
	tb.Helper()
	n.do(tb, "CONFIG", "SET", "masterauth", "unknown")
	n.do(tb, "CLIENT", "KILL", "TYPE", "master")
}

// JoinAgain ends CutOff.
func (n *ClusterNode) JoinAgain(tb testing.TB) {
	tb.Helper()
	n.do(tb, "CONFIG", "SET", "masterauth", "")
}

// TakeOver makes a replica the master, whatever the other nodes say and whatever it lacks.
func (n *ClusterNode) TakeOver(tb testing.TB) {
	tb.Helper()
	n.do(tb, "CLUSTER", "FAILOVER", "TAKEOVER")
}

// MoveSlot moves the slot of a key to another master, as redis-cli reshards it.
func (c *Cluster) MoveSlot(tb testing.TB, key string, to *ClusterNode) {
	tb.Helper()
	from, ctx := c.MasterOf(tb, key), context.WithoutCancel(tb.Context())
	slot := slotOf(ctx, tb, from, key)
	host, port, err := net.SplitHostPort(to.Addr)
	require.NoError(tb, err)
	to.do(tb, "CLUSTER", "SETSLOT", slot, "IMPORTING", from.id)
	from.do(tb, "CLUSTER", "SETSLOT", slot, "MIGRATING", to.id)
	for {
		const page = 100
		keys, err := from.client.ClusterGetKeysInSlot(ctx, int(slot), page).Result()
		require.NoError(tb, err)
		if len(keys) == 0 {
			break
		}
		args := []any{"MIGRATE", host, port, "", 0, clusterWithin.Milliseconds(), "KEYS"}
		for _, key := range keys {
			args = append(args, key)
		}
		from.do(tb, args...)
	}
	for _, node := range []*ClusterNode{to, from} {
		node.do(tb, "CLUSTER", "SETSLOT", slot, "NODE", to.id)
	}
}
