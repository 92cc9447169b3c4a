//go:build large

package deploy

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// shBlock returns the only block of commands of a page of docs/operating that has a text.
func shBlock(t *testing.T, page, text string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "docs", "operating", page))
	require.NoError(t, err)
	var found []string
	for _, block := range regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$").FindAllStringSubmatch(string(raw), -1) {
		if strings.Contains(block[1], text) {
			found = append(found, regexp.MustCompile(`(?m)^   `).ReplaceAllString(block[1], "")) // in a list
		}
	}
	require.Len(t, found, 1, "%s: %s", page, text)
	return found[0]
}

// ownRedis is a redis-server with a file of its own.
type ownRedis struct{ dir, file, port string }

// startOwnRedis starts a redis-server with a file that requires a password.
func startOwnRedis(t *testing.T, password string) (r ownRedis) {
	t.Helper()
	kit.Tool(t, "redis-cli")
	r = ownRedis{dir: t.TempDir(), port: fmt.Sprint(kit.FreePort(t))}
	r.file = filepath.Join(r.dir, "redis.conf")
	settings := fmt.Sprintf("bind 127.0.0.1\nport %s\ndir %s\npidfile %[2]s/pid\nlogfile %[2]s/log\nappendonly yes\n"+
		"requirepass %[3]s\nmasterauth %[3]s\n", r.port, r.dir, password)
	require.NoError(t, os.WriteFile(r.file, []byte(settings), 0o600))
	r.start(t)
	return r
}

// start waits until a former server has ended, returns when the new one has read its files, and stops it at the end of
// the test.
func (r ownRedis) start(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+r.port)
		return err != nil || conn.Close() != nil
	}, 30*time.Second, 20*time.Millisecond)
	before, _ := os.ReadFile(filepath.Join(r.dir, "log"))
	ready := strings.Count(string(before), "Ready to accept connections")
	run(t, kit.Tool(t, "redis-server"), r.file, "--daemonize", "yes")
	t.Cleanup(func() { // the password may have changed meanwhile
		for _, password := range []string{"secret", "old", "new"} {
			_ = r.client(t, "default", password).ShutdownNoSave(context.WithoutCancel(t.Context())).Err()
		}
	})
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(filepath.Join(r.dir, "log"))
		return err == nil && strings.Count(string(text), "Ready to accept connections") > ready
	}, 30*time.Second, 20*time.Millisecond)
}

func (r ownRedis) client(t *testing.T, user, password string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{
		Addr: "127.0.0.1:" + r.port, Username: user, Password: password, Protocol: 2, DisableIdentity: true,
		MaxRetries: -1,
	})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestTheLoginOfRedisIsMadeByTheBlockOfThePage(t *testing.T) {
	t.Parallel()
	r := startOwnRedis(t, "secret")
	said := run(t, "bash", "-c", strings.ReplaceAll(shBlock(t, "stores.md", "ACL SETUSER"), "-h HOST", "-p "+r.port))
	assert.Equal(t, 9+2, strings.Count(said, "OK\n"), "each right, MULTI and CONFIG REWRITE: %s", said)
	login := r.client(t, "onrush", "password")
	require.NoError(t, login.Set(t.Context(), "onrush:x", 1, 0).Err())
	require.ErrorContains(t, login.Set(t.Context(), "x", 1, 0).Err(), "NOPERM")
	require.ErrorContains(t, login.FlushAll(t.Context()).Err(), "NOPERM")
	kept, err := os.ReadFile(r.file)
	require.NoError(t, err)
	assert.Contains(t, string(kept), "\nuser onrush on ")
}

func TestThePasswordOfRedisChangesByTheBlockOfThePage(t *testing.T) {
	t.Parallel()
	r := startOwnRedis(t, "old")
	steps := regexp.MustCompile(`(?m)^# \d\. `).Split(shBlock(t, "secrets.md", "CONFIG SET masterauth"), -1)
	require.Len(t, steps, 1+4)
	at := func(step int) string { // the rest of its comment's line is one, too
		return steps[0] + "# " + strings.ReplaceAll(steps[step], "-h HOST", "-p "+r.port)
	}
	accepted := func() (passwords string) {
		for _, password := range []string{"old", "new"} {
			if r.client(t, "default", password).Ping(t.Context()).Err() == nil {
				passwords += password + " "
			}
		}
		return passwords
	}
	said := run(t, "bash", "-c", at(1))
	assert.Equal(t, "OK\nOK\nOK\n", said)
	assert.Equal(t, "old new ", accepted())
	said = run(t, "bash", "-c", at(4))
	assert.Equal(t, "OK\nOK\n", said)
	assert.Equal(t, "new ", accepted())
	kept, err := os.ReadFile(r.file)
	require.NoError(t, err)
	withoutOld := regexp.MustCompile(`(?m)^requirepass .*\n`).ReplaceAll(kept, nil)
	assert.NotContains(t, string(withoutOld), `"old"`)
	require.NoError(t, os.WriteFile(r.file, withoutOld, 0o600))
	_ = r.client(t, "default", "new").ShutdownNoSave(t.Context()).Err()
	r.start(t)
	assert.Equal(t, "new ", accepted(), "after a restart")
}

func TestACopyOfRedisIsRestoredByTheBlockOfThePage(t *testing.T) {
	t.Parallel()
	r := startOwnRedis(t, "secret")
	c := r.client(t, "default", "secret")
	require.NoError(t, c.Set(t.Context(), "kept", 1, 0).Err())
	work := t.TempDir()
	on := strings.NewReplacer("-h 10.0.0.11", "-p "+r.port, " -p 6379", "", "/etc/redis/redis.conf", r.file,
		"/var/lib/redis", r.dir, "onrush.rdb", filepath.Join(work, "onrush.rdb"))
	run(t, "bash", "-c", on.Replace(shBlock(t, "backup.md", "--rdb")))
	info, err := os.Stat(filepath.Join(work, "onrush.rdb"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.NoError(t, c.FlushAll(t.Context()).Err())
	_ = c.ShutdownNoSave(t.Context()).Err()
	require.NoError(t, os.RemoveAll(filepath.Join(r.dir, "appendonlydir")))
	settings, err := os.ReadFile(r.file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(r.file, append(settings, "replicaof 127.0.0.1 1\n"...), 0o600))
	said := run(t, "bash", "-c", on.Replace(shBlock(t, "backup.md", "--appendonly no")))
	assert.Contains(t, said, "role:master")
	assert.Contains(t, said, "aof_last_bgrewrite_status:ok")
	r.start(t)
	assert.Equal(t, "1", r.client(t, "default", "secret").Get(t.Context(), "kept").Val(), "as it starts from then on")
}

func TestSentinelsAreToldOfTheRestoredMasterByTheBlockOfThePage(t *testing.T) {
	t.Parallel()
	kit.Tool(t, "redis-cli")
	w := kit.OnSentinels(t)
	restored := kit.Own(t, kit.RedisOnly())
	host, port, err := net.SplitHostPort(restored.RedisAddr)
	require.NoError(t, err)
	ports := regexp.MustCompile(`127\.0\.0\.1:(\d+)`).FindAllStringSubmatch(w.RedisURL, -1)
	require.Len(t, ports, 3)
	script := strings.NewReplacer("10.0.0.21 10.0.0.22 10.0.0.23", ports[0][1]+" "+ports[1][1]+" "+ports[2][1],
		"-h $s -p 26379", "-p $s", "10.0.0.12 6379", host+" "+port).Replace(shBlock(t, "backup.md", "SENTINEL REMOVE"))
	said := run(t, "bash", "-c", script)
	assert.Equal(t, strings.Repeat("OK\n", 3+3*3)+strings.Repeat(host+"\n"+port+"\n", 3), said)
	for _, p := range ports {
		sentinel := redis.NewSentinelClient(&redis.Options{Addr: p[0], Protocol: 2, DisableIdentity: true})
		defer func() { _ = sentinel.Close() }()
		require.Eventually(t, func() bool {
			seen, err := sentinel.Master(t.Context(), "shop").Result()
			return err == nil && seen["num-other-sentinels"] == "2" && seen["port"] == port
		}, 30*time.Second, 100*time.Millisecond, "the sentinels find each other again")
	}
	assert.Contains(t, restored.Redis.Info(t.Context(), "replication").Val(), "role:master")
}
