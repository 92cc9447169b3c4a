package lua_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/test/kit"
)

func TestRedisThatEvictsIsRefused(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly()) // the policy is the whole server's
	log := slog.New(slog.DiscardHandler)
	require.NoError(t, lua.CheckPolicy(t.Context(), s.Redis, log))
	require.NoError(t, s.Redis.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
	require.ErrorIs(t, lua.CheckPolicy(t.Context(), s.Redis, log), lua.ErrEvicts)
	s.RedisServer.Kill(t)
	err := lua.CheckPolicy(t.Context(), s.Redis, log)
	require.Error(t, err, "a Redis that is away is not let pass")
	require.NotErrorIs(t, err, lua.ErrEvicts)
}

func TestRedisThatDoesNotTellItsPolicyIsWarnedOf(t *testing.T) {
	t.Parallel()
	mini := kit.OnEmbedded(t)
	managed := kit.Own(t, kit.RedisOnly())
	require.NoError(t, managed.Redis.Do(t.Context(), "ACL", "SETUSER", "default", "-config").Err())
	for _, rdb := range []redis.UniversalClient{mini.Redis, managed.Redis} {
		var out strings.Builder
		require.NoError(t, lua.CheckPolicy(t.Context(), rdb, slog.New(slog.NewTextHandler(&out, nil))))
		assert.Contains(t, out.String(), "noeviction")
	}
}

func TestCallIsNotSentTwiceWhenItsAnswerIsLost(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly())
	ctx := t.Context()
	script := redis.NewScript(`return redis.call('INCR', KEYS[1])`)
	require.NoError(t, script.Load(ctx, s.Redis).Err())
	require.Eventually(t, func() bool { return s.Redis.PoolStats().IdleConns >= 2 }, 5*time.Second, 10*time.Millisecond)

	s.RedisServer.Freeze(t)
	start := time.Now()
	require.Error(t, script.Run(ctx, s.Redis, []string{"n"}).Err())
	assert.Less(t, time.Since(start), 3*time.Second, "no call waits for ever")
	s.RedisServer.Thaw(t)

	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Equal(c, "1", s.Redis.Get(ctx, "n").Val(), "it did run, once")
	}, 5*time.Second, 10*time.Millisecond)
	// What a second attempt would have sent arrived before this client's next connection.
	require.NoError(t, s.ConnectRedis(t).Ping(ctx).Err())
	assert.Equal(t, "1", s.Redis.Get(ctx, "n").Val())
}

func TestNearerDeadlineOfACallCounts(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly())
	require.NoError(t, s.Redis.Ping(t.Context()).Err())
	s.RedisServer.Freeze(t)
	brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	require.Error(t, s.Redis.Ping(brief).Err())
	assert.Less(t, time.Since(start), 500*time.Millisecond)
}

func TestURLsNameOneRedisOrACluster(t *testing.T) {
	t.Parallel()
	one, err := lua.Connect("redis://127.0.0.1:1/3")
	require.NoError(t, err)
	t.Cleanup(func() { _ = one.Close() })
	assert.IsType(t, &redis.Client{}, one)
	cluster, err := lua.Connect("redis://127.0.0.1:1?addr=127.0.0.1:2&addr=127.0.0.1:3")
	require.NoError(t, err)
	t.Cleanup(func() { _ = cluster.Close() })
	assert.IsType(t, &redis.ClusterClient{}, cluster)
	for _, bad := range []string{"", "host:6379", "http://u:geheim@host", "redis://u:geheim@host:port", "redis://u:geheim@host/x?addr=\x00", "redis://u:geheim@[::1/0", "ftp://u:geheim@h?addr=b:1"} {
		_, err := lua.Connect(bad)
		require.Error(t, err, bad)
		assert.NotContains(t, err.Error(), "geheim")
	}
}
