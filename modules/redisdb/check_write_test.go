package redisdb_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/modules/redisdb"
	"onrush/test/kit"
)

// A Redis that can't write its file refuses even a PING.
func TestARedisThatCantPersistSaysSo(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly(), kit.RedisArgs("--enable-protected-configs", "yes"))
	ctx := t.Context()
	require.NoError(t, redisdb.Ping(ctx, s.Redis))
	gone := filepath.Join(t.TempDir(), "gone")
	require.NoError(t, os.Mkdir(gone, 0o700))
	require.NoError(t, s.Redis.ConfigSet(ctx, "dir", gone).Err())
	require.NoError(t, os.Remove(gone))
	require.NoError(t, s.Redis.ConfigSet(ctx, "save", "3600 1").Err())
	require.NoError(t, s.Redis.BgSave(ctx).Err())
	for name, check := range map[string]func() error{
		"ping":  func() error { return redisdb.Ping(ctx, s.Redis) },
		"write": func() error { return redisdb.CheckWrite(ctx, s.Redis, "k") },
	} {
		assert.Eventually(t, func() bool {
			no, ok := errors.AsType[*problem.NoWritesError](check())
			return ok && no.Reason == "can't persist"
		}, 10*time.Second, 10*time.Millisecond, name)
	}
	assert.True(t, redisdb.IsNoWrites(s.Redis.Set(ctx, "k", "v", 0).Err()))
}
