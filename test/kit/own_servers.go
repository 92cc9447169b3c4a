package kit

import (
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"onrush/app/servers"
)

// Owned is Stores on servers that belong to one test, which it may freeze, kill and restart.
type Owned struct {
	*Stores

	RedisServer *Server
	SQLServer   *Server // nil with RedisOnly
}

// Own starts servers for a test that stops them. The test is skipped if the programs are missing, or
// fails if RequireReal is set.
func Own(tb testing.TB, opts ...Option) *Owned {
	tb.Helper()
	needReal(tb)
	o := read(opts)
	onDisk := o.fsync != "" || o.flush
	s := &Owned{Stores: &Stores{Name: OwnStores}}
	s.RedisServer = own(tb, func() (*servers.Server, error) {
		return servers.StartRedis(onDisk, o.fsync, o.redisArgs...)
	})
	s.RedisAddr = s.RedisServer.Addr
	if !o.redisOnly {
		s.SQLServer = owned(tb)(startSQL(1, onDisk, o.flush, o.bufferMB, o.sqlArgs...))
		s.connectSQL(tb, o, s.SQLServer)
	}
	s.connectRedis(tb, o, 0)
	return s
}

// StartReplica starts a replica of the stores' Redis, and returns when it has all that the Redis has. fsync is its
// appendfsync; "" is no file.
func StartReplica(tb testing.TB, s *Stores, fsync string) *Server {
	tb.Helper()
	host, port, err := net.SplitHostPort(s.RedisAddr)
	require.NoError(tb, err)
	server := own(tb, func() (*servers.Server, error) {
		return servers.StartRedis(fsync != "", fsync, "--replicaof", host+" "+port)
	})
	ctx := tb.Context()
	require.Eventually(tb, func() bool {
		var wait *redis.Cmd
		_, err := s.Redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Set(ctx, "followed", 1, time.Second)
			wait = pipe.Do(ctx, "wait", 1, 100)
			return nil
		})
		replicas, waitErr := wait.Int()
		return err == nil && waitErr == nil && replicas > 0
	}, servers.StartWithin, pollCluster, "the replica follows")
	return server
}

func own(tb testing.TB, start func() (*servers.Server, error)) *Server {
	tb.Helper()
	return owned(tb)(wrap(start()))
}

// owned makes a started server end with the test.
func owned(tb testing.TB) func(*Server, error) *Server {
	tb.Helper()
	return func(server *Server, err error) *Server {
		tb.Helper()
		if err != nil {
			tb.Fatalf("start an own server: %v", err)
		}
		tb.Cleanup(server.Stop)
		return server
	}
}
