package servers

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"

	"onrush/modules/redisdb"
)

// RedisDatabases is how many numbered databases a redis-server has.
const RedisDatabases = 8192

// StartRedis starts a redis-server. fsync says when it flushes its writes to disk: always, which is before it
// answers, everysec, or "" for never. Its folder is on disk or in memory.
func StartRedis(onDisk bool, fsync string, more ...string) (*Server, error) {
	name, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("find redis-server: %w", err)
	}
	persist := append([]string{"--appendonly", "no"}, more...)
	if fsync != "" {
		persist = append([]string{"--appendonly", "yes", "--appendfsync", fsync}, more...)
	}
	return New(onDisk, func(string) error { return nil }, func(dir string, port int) (*Process, error) {
		args := append([]string{
			"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir, "--daemonize", "no",
			"--save", "", "--databases", strconv.Itoa(RedisDatabases), "--maxmemory-policy", "noeviction",
			"--loglevel", "warning",
		}, persist...)
		return Start(dir, pingRedis(port), name, args...)
	})
}

func pingRedis(port int) func(context.Context) error {
	return func(ctx context.Context) error {
		rdb, err := redisdb.Connect(RedisURL("127.0.0.1:"+strconv.Itoa(port), 0))
		if err != nil {
			return err
		}
		defer func() { _ = rdb.Close() }()
		return rdb.Ping(ctx).Err()
	}
}

// RedisURL returns the URL of a numbered database of a redis-server.
func RedisURL(addr string, database int) string { return fmt.Sprintf("redis://%s/%d", addr, database) }
