package kit

import "testing"

// Owned is Stores on servers that belong to one test, to be frozen, killed and started again.
type Owned struct {
	*Stores

	RedisServer *Server
	SQLServer   *Server // nil with RedisOnly
}

// Own starts servers for a test that breaks them. It is skipped where the programs are missing,
// or fails if RequireReal is set.
func Own(t testing.TB, opts ...Option) *Owned {
	t.Helper()
	needReal(t)
	o := read(opts)
	s := &Owned{Stores: &Stores{Name: OwnStores}}
	s.RedisServer = own(t, func() (*Server, error) { return startRedis(o.fsync) })
	s.RedisAddr = s.RedisServer.Addr
	if !o.redisOnly {
		s.SQLServer = own(t, func() (*Server, error) { return startSQL(o.flush) })
		s.connectSQL(t, o, s.SQLServer.Addr)
	}
	s.connectRedis(t, o, 0)
	return s
}

func own(t testing.TB, start func() (*Server, error)) *Server {
	t.Helper()
	server, err := start()
	if err != nil {
		t.Fatalf("start an own server: %v", err)
	}
	t.Cleanup(server.stop)
	return server
}
