package kit

import "testing"

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
	s.RedisServer = own(tb, func() (*Server, error) { return startRedis(onDisk, o.fsync, o.redisArgs...) })
	s.RedisAddr = s.RedisServer.Addr
	if !o.redisOnly {
		s.SQLServer = own(tb, func() (*Server, error) { return startSQL(onDisk, o.flush, o.bufferMB, o.sqlArgs...) })
		s.connectSQL(tb, o, s.SQLServer.Addr)
	}
	s.connectRedis(tb, o, 0)
	return s
}

func own(tb testing.TB, start func() (*Server, error)) *Server {
	tb.Helper()
	server, err := start()
	if err != nil {
		tb.Fatalf("start an own server: %v", err)
	}
	tb.Cleanup(server.stop)
	return server
}
