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

func TestARedisThatRunsNoScriptsSaysSo(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		args   []string
		rights string
	}{
		"no EVALSHA":      {nil, "-evalsha"},
		"no EVAL":         {nil, "-eval"},
		"EVALSHA renamed": {[]string{"--rename-command", "EVALSHA", "OTHER"}, "+@all"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := kit.Own(t, kit.RedisOnly(), kit.RedisArgs(row.args...))
			require.NoError(t, s.Redis.Do(t.Context(), "ACL", "SETUSER", "default", row.rights).Err())
			no, ok := errors.AsType[*problem.NoWritesError](redisdb.CheckWrite(t.Context(), s.Redis, "k"))
			require.True(t, ok)
			assert.Equal(t, "no privilege", no.Reason)
		})
	}
}

func TestCheckWriteRunsAScriptThatTheServerHasForgotten(t *testing.T) {
	t.Parallel()
	own := kit.Own(t, kit.RedisOnly())
	for name, s := range map[string]*kit.Stores{"real": own.Stores, "embedded": kit.OnEmbedded(t)} {
		for range 2 {
			require.NoError(t, s.Redis.ScriptFlush(t.Context()).Err(), name)
			require.NoError(t, redisdb.CheckWrite(t.Context(), s.Redis, "k", "l"), name)
			require.NoError(t, redisdb.CheckWrite(t.Context(), s.Redis, "k", "l"), name)
		}
	}
}

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
