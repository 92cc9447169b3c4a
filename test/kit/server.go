package kit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/app/servers"
)

// Server is a private redis-server or mariadbd, which tests may freeze and kill.
type Server struct {
	*servers.Server

	vitess *vitess // nil unless it is a vtcombo
}

// wrap adds to a started server what tests do with it.
func wrap(s *servers.Server, err error) (*Server, error) { return &Server{Server: s}, err }

// Tablet returns the mysqld that a Vitess keeps its rows in.
func (s *Server) Tablet() *Server { return s.vitess.tablet }

// Stop ends the server and removes its data.
func (s *Server) Stop() {
	s.Server.Stop()
	if s.vitess != nil {
		s.vitess.tablet.Stop()
	}
}

// Freeze suspends the server (SIGSTOP): connections stay open and nothing is answered until Thaw.
func (s *Server) Freeze(tb testing.TB) {
	tb.Helper()
	require.NoError(tb, s.Server.Freeze(), "freeze")
}

// Thaw resumes a frozen server.
func (s *Server) Thaw(tb testing.TB) {
	tb.Helper()
	require.NoError(tb, s.Server.Thaw(), "thaw")
}

// Kill ends the server without a warning (SIGKILL).
func (s *Server) Kill(testing.TB) { s.Server.Kill() }

// Restart starts a killed server on the same port with the data that it had on disk.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	require.NoError(tb, s.Server.Restart(), "restart")
}

// IsMariaDB reports whether the real SQL server of the tests is MariaDB.
func IsMariaDB() bool {
	program, err := servers.FindSQL()
	return err == nil && program.IsMaria
}
