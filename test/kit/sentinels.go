package kit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/servers"
	"onrush/lua"
)

// Watched is Stores on a Redis of a master and a replica, which three sentinels watch. Nothing is on disk.
type Watched struct {
	*Stores

	servers   map[string]*Server // by address
	sentinels []*redis.SentinelClient
}

const (
	masterName  = "shop"
	sentinels   = 3
	downAfterMS = 2000
)

// OnSentinels gives a test the shared SQL server, and a Watched of its own. The test is skipped if the programs are
// missing, or fails if RequireReal is set.
func OnSentinels(tb testing.TB, opts ...Option) *Watched {
	tb.Helper()
	needReal(tb)
	_, sqlServer := startShared(tb)
	w := &Watched{Stores: &Stores{Name: RealStores}, servers: map[string]*Server{}}
	w.connectSQL(tb, read(opts), sqlServer)
	start := func(more ...string) *Server {
		tb.Helper()
		server := own(tb, func() (*servers.Server, error) {
			return servers.StartRedis(false, "", append(more, "--repl-diskless-sync-delay", "0")...)
		})
		w.servers[server.Addr] = server
		return server
	}
	master := start()
	host, port, _ := strings.Cut(master.Addr, ":")
	start("--replicaof", host+" "+port)
	var addrs []string
	for range sentinels {
		addrs = append(addrs, startSentinel(tb, host, port))
	}
	for _, addr := range addrs {
		client := redis.NewSentinelClient(&redis.Options{Addr: addr, Protocol: 2, DisableIdentity: true})
		tb.Cleanup(func() { _ = client.Close() })
		w.sentinels = append(w.sentinels, client)
	}
	w.RedisAddr = master.Addr
	w.RedisURL = "redis://" + addrs[0] + "/0?master=" + masterName + "&addr=" + strings.Join(addrs[1:], "&addr=")
	w.Keys = lua.Keys{Prefix: "t" + randomName()}
	w.Settle(tb)
	w.Redis = w.ConnectRedis(tb)
	return w
}

func startSentinel(tb testing.TB, host, port string) (addr string) {
	tb.Helper()
	dir, own := tb.TempDir(), strconv.Itoa(FreePort(tb))
	config := filepath.Join(dir, "sentinel.conf")
	require.NoError(tb, os.WriteFile(config, fmt.Appendf(nil, "port %s\nbind 127.0.0.1\ndir %s\n"+
		"sentinel monitor %[3]s %[4]s %[5]s 2\nsentinel down-after-milliseconds %[3]s %[6]d\n"+
		"sentinel failover-timeout %[3]s 2000\n", own, dir, masterName, host, port, downAfterMS), 0o600))
	addr = "127.0.0.1:" + own
	RunTool(tb, dir, func(ctx context.Context) error {
		client := redis.NewSentinelClient(&redis.Options{Addr: addr, Protocol: 2, DisableIdentity: true})
		defer func() { _ = client.Close() }()
		return client.Ping(ctx).Err()
	}, "redis-server", config, "--sentinel")
	return addr
}

// Settle waits until all sentinels know each other, agree on the master, and see a replica that follows it.
func (w *Watched) Settle(tb testing.TB) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	require.EventuallyWithT(tb, func(t *assert.CollectT) {
		masters := map[string]bool{}
		for _, sentinel := range w.sentinels {
			seen, err := sentinel.Master(ctx, masterName).Result()
			assert.NoError(t, err)
			assert.Equal(t, "master", seen["flags"])
			assert.Equal(t, strconv.Itoa(len(w.sentinels)-1), seen["num-other-sentinels"])
			masters[seen["ip"]+":"+seen["port"]] = true
			replicas, err := sentinel.Replicas(ctx, masterName).Result()
			assert.NoError(t, err)
			if assert.Len(t, replicas, 1) {
				assert.Equal(t, "ok", replicas[0]["master-link-status"])
				assert.Equal(t, seen["port"], replicas[0]["master-port"])
			}
		}
		assert.Len(t, masters, 1)
	}, clusterWithin, pollCluster, "the sentinels agree")
}

// Master returns the server that the sentinels name.
func (w *Watched) Master(tb testing.TB) *Server {
	tb.Helper()
	addr, err := w.sentinels[0].GetMasterAddrByName(context.WithoutCancel(tb.Context()), masterName).Result()
	require.NoError(tb, err)
	server := w.servers[strings.Join(addr, ":")]
	require.NotNil(tb, server, addr)
	return server
}
