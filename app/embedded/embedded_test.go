package embedded_test

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"onrush/app/embedded"
	"onrush/modules/redisdb"
)

func startRedis(t *testing.T) redis.UniversalClient {
	t.Helper()
	server, err := embedded.Redis(t.Context(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	rdb, err := redisdb.Connect("redis://" + server.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

func TestEmbeddedKeysExpireByThemselves(t *testing.T) {
	t.Parallel()
	rdb := startRedis(t)
	require.NoError(t, rdb.Set(t.Context(), "brief", "1", 200*time.Millisecond).Err())
	require.NoError(t, rdb.Set(t.Context(), "long", "1", time.Hour).Err())
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Zero(c, rdb.Exists(t.Context(), "brief").Val())
	}, 5*time.Second, 10*time.Millisecond)
	assert.EqualValues(t, 1, rdb.Exists(t.Context(), "long").Val())
}

func TestEmbeddedTimeIsTheRealOne(t *testing.T) {
	t.Parallel()
	rdb := startRedis(t)
	before := time.Now().Add(-time.Second)
	now, err := rdb.Time(t.Context()).Result()
	require.NoError(t, err)
	assert.WithinRange(t, now, before, time.Now().Add(time.Second))
	inScript, err := rdb.Eval(t.Context(), `return redis.call('TIME')`, nil).StringSlice()
	require.NoError(t, err)
	assert.Len(t, inScript, 2)
}

func TestDataFilesAreReadableOnlyByTheirOwner(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	db, err := embedded.SQL(t.Context(), dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.Write.ExecContext(t.Context(), `CREATE TABLE t (x INT)`)
	require.NoError(t, err)
	_, err = embedded.Secrets(dir)
	require.NoError(t, err)

	files := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&0o077, "%s has mode %s", path, info.Mode())
		files++
		return nil
	}))
	assert.GreaterOrEqual(t, files, 4, "the folder, the store and its log, the secrets")
}

func TestStoreKeepsItsDataThroughARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := embedded.SQL(t.Context(), dir, nil)
	require.NoError(t, err)
	_, err = db.Write.ExecContext(t.Context(), `CREATE TABLE t (x INT)`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	db, err = embedded.SQL(t.Context(), dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	var rows int
	require.NoError(t, db.Read.GetContext(t.Context(), &rows, `SELECT COUNT(*) FROM t`))
}

func TestSecretsAreMadeOnceAndKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	var mu sync.Mutex
	made := map[embedded.Keyring]int{}
	var starts errgroup.Group
	for range 8 {
		starts.Go(func() error {
			keys, err := embedded.Secrets(dir)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			made[*keys]++
			return nil
		})
	}
	require.NoError(t, starts.Wait())
	require.Len(t, made, 1, "programs that start together have the same secrets")
	for keys := range made {
		assert.GreaterOrEqual(t, len(keys.JWT), 32)
		assert.NotEqual(t, keys.JWT, keys.Path)
		assert.True(t, strings.HasPrefix(keys.Sandbox, "whsec_"))
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left lying about")

	other, err := embedded.Secrets(t.TempDir())
	require.NoError(t, err)
	assert.NotContains(t, made, *other, "no two runs have the same secrets")
}

func TestDamagedSecretsAreNotReplaced(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "{", `{"jwt":"geheim"}`} {
		dir := t.TempDir()
		path := filepath.Join(dir, "secrets.json")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := embedded.Secrets(dir)
		require.ErrorContains(t, err, path)
		assert.NotContains(t, err.Error(), "geheim")
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, content, string(kept))
	}
}
