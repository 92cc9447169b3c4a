package redisdb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/modules/redisdb"
	"onrush/test/kit"
)

func TestRedisThatEvictsIsRefused(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly()) // the policy is the whole server's
	log := slog.New(slog.DiscardHandler)
	require.NoError(t, redisdb.CheckPolicy(t.Context(), s.Redis, log))
	require.NoError(t, s.Redis.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
	require.ErrorIs(t, redisdb.CheckPolicy(t.Context(), s.Redis, log), redisdb.ErrEvicts)
	s.RedisServer.Kill(t)
	err := redisdb.CheckPolicy(t.Context(), s.Redis, log)
	require.Error(t, err, "an unavailable Redis is refused")
	require.NotErrorIs(t, err, redisdb.ErrEvicts)
}

func TestTheEvictionPolicyIsKnownWithoutTheRightToRunCONFIG(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly())
	require.NoError(t, s.Redis.Do(t.Context(), "ACL", "SETUSER", "default", "-config").Err())
	var log strings.Builder
	require.NoError(t, redisdb.CheckPolicy(t.Context(), s.Redis, slog.New(slog.NewTextHandler(&log, nil))))
	require.NoError(t, redisdb.CheckKeeps(t.Context(), s.Redis))
	assert.Empty(t, log.String())
	require.NoError(t, s.Redis.Do(t.Context(), "ACL", "SETUSER", "default", "+config").Err())
	require.NoError(t, s.Redis.ConfigSet(t.Context(), "maxmemory-policy", "volatile-ttl").Err())
	require.NoError(t, s.Redis.Do(t.Context(), "ACL", "SETUSER", "default", "-config").Err())
	require.ErrorIs(t, redisdb.CheckPolicy(t.Context(), s.Redis, slog.New(slog.DiscardHandler)), redisdb.ErrEvicts)
	no, ok := errors.AsType[*problem.NoWritesError](redisdb.CheckKeeps(t.Context(), s.Redis))
	require.True(t, ok, "an instance is not ready to place")
	assert.Equal(t, "may evict orders", no.Reason)
	assert.ErrorContains(t, no, "(it is volatile-ttl at "+s.RedisAddr+")")
}

// The address of a master that sentinels watch is nothing that its clients have: it changes.
func TestTheMasterOfSentinelsThatEvictsIsNamed(t *testing.T) {
	t.Parallel()
	s := kit.OnSentinels(t)
	require.NoError(t, s.Redis.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
	require.ErrorContains(t, redisdb.CheckKeeps(t.Context(), s.Redis), "(it is allkeys-lru at shop)")
}

func TestANearlyFullRedisTakesNoOrders(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly())
	require.NoError(t, redisdb.CheckTakes(t.Context(), s.Redis))
	require.NoError(t, s.Redis.ConfigSet(t.Context(), "maxmemory", "100mb").Err())
	require.NoError(t, redisdb.CheckTakes(t.Context(), s.Redis))
	var no *problem.NoWritesError
	for i := 0; no == nil && i < 1000; i++ {
		require.NoError(t, s.Redis.Set(t.Context(), fmt.Sprint(i), strings.Repeat("x", 200_000), 0).Err(),
			"Redis takes writes until it is quite full")
		no, _ = errors.AsType[*problem.NoWritesError](redisdb.CheckTakes(t.Context(), s.Redis))
	}
	require.NotNil(t, no)
	assert.Equal(t, "memory full", no.Reason)
	require.NoError(t, redisdb.CheckKeeps(t.Context(), s.Redis), "nothing is evicted")
}

func TestWarningIsLoggedWhenTheEvictionPolicyIsUnknown(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	require.NoError(t, redisdb.CheckPolicy(t.Context(), kit.OnEmbedded(t).Redis,
		slog.New(slog.NewTextHandler(&log, nil))))
	assert.Contains(t, log.String(), "noeviction")
}

func TestALoginWithoutTheRightToRunINFOIsRefused(t *testing.T) {
	t.Parallel()
	require.NoError(t, redisdb.CheckVersion(t.Context(), kit.OnEmbedded(t).Redis))
	s := kit.Own(t, kit.RedisOnly())
	require.NoError(t, redisdb.CheckVersion(t.Context(), s.Redis))
	require.NoError(t, redisdb.CheckInfo(t.Context(), s.Redis))
	require.NoError(t, s.Redis.Do(t.Context(), "ACL", "SETUSER", "default", "-info").Err())
	err := redisdb.CheckVersion(t.Context(), s.Redis)
	require.ErrorIs(t, err, redisdb.ErrNoInfo)
	assert.NotContains(t, err.Error(), "\n")
	noWrites, ok := errors.AsType[*problem.NoWritesError](redisdb.CheckInfo(t.Context(), s.Redis))
	require.True(t, ok)
	assert.Equal(t, "no right to run INFO", noWrites.Reason)
	require.NoError(t, s.Redis.Do(t.Context(), "ACL", "SETUSER", "default", "+info").Err())
	require.NoError(t, redisdb.CheckInfo(t.Context(), s.Redis))
}

func TestCallIsNotSentTwiceWhenItsAnswerIsLost(t *testing.T) {
	t.Parallel()
	addr, calls := hangUp(t)
	for kind, url := range map[string]string{
		"one node": "redis://" + addr,
		"cluster":  "redis://" + addr + "?addr=" + addr,
	} {
		calls.Store(0)
		rdb, err := redisdb.Connect(url)
		require.NoError(t, err)
		t.Cleanup(func() { _ = rdb.Close() })
		require.ErrorIs(t, rdb.Incr(t.Context(), "n").Err(), io.EOF, kind)
		assert.EqualValues(t, 1, calls.Load(), kind)
	}
}

func TestEachServerHasAPoolOfTheSameSize(t *testing.T) {
	t.Parallel()
	addr, _ := hangUp(t)
	for url, want := range map[string]int{
		"redis://" + addr:                                    64,
		"redis://" + addr + "?addr=" + addr:                  64,
		"redis://" + addr + "?addr=" + addr + "&pool_size=7": 7,
	} {
		rdb, err := redisdb.Connect(url)
		require.NoError(t, err)
		t.Cleanup(func() { _ = rdb.Close() })
		var servers atomic.Int32
		check := func(_ context.Context, server *redis.Client) error {
			servers.Add(1)
			assert.Equal(t, want, server.Options().PoolSize, url)
			assert.Equal(t, time.Second, server.Options().ReadTimeout, url)
			return nil
		}
		switch client := rdb.(type) {
		case *redis.Client:
			require.NoError(t, check(t.Context(), client))
		case *redis.ClusterClient:
			require.NoError(t, client.ForEachMaster(t.Context(), check))
		}
		assert.EqualValues(t, 1, servers.Load(), url)
	}
}

// hangUp is a Redis, and a cluster of one node, that takes an INCR and hangs up instead of an
// answer. calls counts how many came.
func hangUp(t *testing.T) (addr string, calls *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	addr = listener.Addr().String()
	host, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	slots := fmt.Sprintf("*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$%d\r\n%s\r\n:%s\r\n$1\r\na\r\n", len(host), host, port)
	calls = &atomic.Int32{}
	serve := func(conn net.Conn) {
		defer func() { _ = conn.Close() }()
		buf := make([]byte, 1000)
		for {
			n, err := conn.Read(buf)
			if err != nil {
				return
			}
			answer := "-ERR unknown command\r\n"
			switch call := strings.ToLower(string(buf[:n])); {
			case strings.Contains(call, "slots"):
				answer = slots
			case strings.Contains(call, "incr"):
				calls.Add(1)
				return
			}
			if _, err := conn.Write([]byte(answer)); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	return addr, calls
}

func TestNearerDeadlineOfACallCounts(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly())
	require.NoError(t, s.Redis.Ping(t.Context()).Err())
	s.RedisServer.Freeze(t)
	fastest := time.Hour // of a few: a busy machine is late now and then
	for range 5 {
		brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		start := time.Now()
		require.Error(t, s.Redis.Ping(brief).Err())
		fastest = min(fastest, time.Since(start))
		cancel()
	}
	assert.Less(t, fastest, 500*time.Millisecond, "a read may last a second")
}

// The client of a master that sentinels name has what the URL says of the master.
func TestAURLNamesTheSentinelsOfAMaster(t *testing.T) {
	t.Parallel()
	client, err := redisdb.Connect("redis://shop:geheim@127.0.0.1:1/3?master=shop&addr=127.0.0.1:2&addr=127.0.0.1:3" +
		"&sentinel_user=watcher&sentinel_password=other&read_timeout=3s")
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	opts := client.(*redis.Client).Options()
	assert.Equal(t, 3, opts.DB)
	assert.Equal(t, "shop", opts.Username)
	assert.Equal(t, "geheim", opts.Password)
	assert.Equal(t, 3*time.Second, opts.ReadTimeout)
	assert.Equal(t, time.Second, opts.WriteTimeout)
	assert.True(t, opts.ContextTimeoutEnabled)
	assert.Nil(t, opts.TLSConfig)
	node, err := redisdb.NodeOf(t.Context(), client, "key")
	require.NoError(t, err)
	assert.Equal(t, "shop", node.Addr, "as alerts name it")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	require.Error(t, client.Ping(ctx).Err(), "no sentinel answers")
	require.NoError(t, ctx.Err(), "and the call ends by itself")

	secured, err := redisdb.Connect("rediss://127.0.0.1?master=shop")
	require.NoError(t, err)
	t.Cleanup(func() { _ = secured.Close() })
	require.NotNil(t, secured.(*redis.Client).Options().TLSConfig)
	assert.Empty(t, secured.(*redis.Client).Options().TLSConfig.ServerName, "each server has its own name")
	for _, bad := range []string{
		"redis://u:geheim@host/0?master=", "redis:///0?master=shop&addr=a:1&sentinel_password=geheim",
		"redis://u:geheim@host/x?master=shop",
	} {
		_, err := redisdb.Connect(bad)
		require.ErrorContains(t, err, "master=name", bad)
		assert.NotContains(t, err.Error(), "geheim")
	}
}

func TestURLsNameOneRedisOrACluster(t *testing.T) {
	t.Parallel()
	one, err := redisdb.Connect("redis://127.0.0.1:1/3")
	require.NoError(t, err)
	t.Cleanup(func() { _ = one.Close() })
	assert.IsType(t, &redis.Client{}, one)
	cluster, err := redisdb.Connect("redis://127.0.0.1:1?addr=127.0.0.1:2&addr=127.0.0.1:3")
	require.NoError(t, err)
	t.Cleanup(func() { _ = cluster.Close() })
	assert.IsType(t, &redis.ClusterClient{}, cluster)
	for _, bad := range []string{
		"", "host:6379", "http://u:geheim@host", "redis://u:geheim@host:port", "redis://u:geheim@host/x?addr=\x00",
		"redis://u:geheim@[::1/0", "ftp://u:geheim@h?addr=b:1",
	} {
		_, err := redisdb.Connect(bad)
		require.Error(t, err, bad)
		assert.NotContains(t, err.Error(), "geheim")
	}
}

func TestAnErrorOfAURLSaysHowToWriteAPasswordWithSigns(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"12/34", "12#34", "12?34", "ab/cd", "ab#cd", "ab?cd", "ab%zz", "50%"} {
		_, err := redisdb.Connect("redis://shop:" + password + "@127.0.0.1:1/0")
		require.ErrorContains(t, err, "write / as %2F, # as %23, ? as %3F, @ as %40, : as %3A and % as %25", password)
		assert.NotContains(t, err.Error(), password)
		one, err := redisdb.Connect("redis://shop:" + url.QueryEscape(password) + "@127.0.0.1:1/0")
		require.NoError(t, err)
		assert.Equal(t, password, one.(*redis.Client).Options().Password)
		require.NoError(t, one.Close())
	}
}

// A pipeline whose connection is refused, by the login or by a check, fails in each of its commands: an empty answer
// would be taken for one of Redis.
func TestEachCommandOfAPipelineHasTheErrorOfItsConnection(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly())
	errRefused := errors.New("refused")
	refuse := func(context.Context, string, redis.Cmdable) error { return errRefused }
	for name, row := range map[string]struct {
		url   string
		check redisdb.Check
		want  string
	}{
		"login":   {"redis://nobody:wrong@" + s.RedisAddr, nil, "WRONGPASS"},
		"check":   {"redis://" + s.RedisAddr, refuse, "refused"},
		"cluster": {"redis://nobody:wrong@" + s.RedisAddr + "?addr=" + s.RedisAddr, nil, ""},
	} {
		rdb, err := redisdb.ConnectChecked(row.url, row.check)
		require.NoError(t, err)
		t.Cleanup(func() { _ = rdb.Close() })
		queue := func(p redis.Pipeliner) error {
			p.Get(t.Context(), "{a}b")
			p.HMGet(t.Context(), "{a}c", "d", "e")
			return nil
		}
		for range 2 {
			for _, run := range []func(context.Context, func(redis.Pipeliner) error) ([]redis.Cmder, error){
				rdb.Pipelined, rdb.TxPipelined,
			} {
				cmds, err := run(t.Context(), queue)
				require.ErrorContains(t, err, row.want, name)
				for _, cmd := range cmds {
					require.Error(t, cmd.Err(), "%s: %s", name, cmd)
					require.NotErrorIs(t, cmd.Err(), redis.Nil, name)
				}
			}
		}
	}
}

// A failover makes another server the master under the same name: it is checked before it is used.
func TestEachNewMasterOfSentinelsIsCheckedAndNoSentinelIs(t *testing.T) {
	t.Parallel()
	w := kit.OnSentinels(t)
	var mu sync.Mutex
	checked := map[string]bool{}
	rdb, err := redisdb.ConnectChecked(w.RedisURL, func(ctx context.Context, name string, conn redis.Cmdable) error {
		mu.Lock()
		defer mu.Unlock()
		checked[name] = true
		return conn.Ping(ctx).Err()
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = rdb.Close() })
	require.NoError(t, rdb.Ping(t.Context()).Err())
	seen := func() int { mu.Lock(); defer mu.Unlock(); return len(checked) }
	require.Equal(t, 1, seen())
	w.Master(t).Kill(t)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.NoError(c, rdb.Set(t.Context(), "key", "1", 0).Err())
	}, time.Minute, 100*time.Millisecond)
	assert.Equal(t, 2, seen(), "each once by its run, and no sentinel: %v", checked)
	for name := range checked {
		assert.Regexp(t, `^shop [0-9a-f]{40}$`, name)
	}
}
