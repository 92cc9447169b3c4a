package kit

import (
	"net"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Server is a private redis-server or mariadbd, which tests may freeze and kill.
type Server struct {
	Addr string // host:port; stays the same through a restart

	start   func() (*process, error)
	process *process
	dir     string
}

// Used returns the processor time that the server has had since its start (only on Linux).
func (s *Server) Used() (time.Duration, error) { return s.process.used() }

// startTries is how often a server is started on another port if its port was taken.
const startTries = 3

// newServer starts a server with its data in a folder that prepare has filled. One that is onDisk flushes its writes.
func newServer(
	onDisk bool, prepare func(dir string) error, start func(dir string, port int) (*process, error),
) (*Server, error) {
	dir, err := tempDir(onDisk)
	if err != nil {
		return nil, err
	}
	if err := prepare(dir); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	for range startTries {
		var port int
		if port, err = freePort(); err != nil {
			break
		}
		s := &Server{Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), dir: dir}
		s.start = func() (*process, error) { return start(dir, port) }
		if s.process, err = s.start(); err == nil {
			return s, nil
		}
	}
	_ = os.RemoveAll(dir)
	return nil, err
}

// Freeze suspends the server (SIGSTOP): connections stay open and nothing is answered until Thaw.
func (s *Server) Freeze(tb testing.TB) {
	tb.Helper()
	require.NoError(tb, s.process.os.Signal(syscall.SIGSTOP), "freeze")
}

// Thaw resumes a frozen server.
func (s *Server) Thaw(tb testing.TB) {
	tb.Helper()
	require.NoError(tb, s.process.os.Signal(syscall.SIGCONT), "thaw")
}

// Kill ends the server without a warning (SIGKILL).
func (s *Server) Kill(testing.TB) { s.process.kill() }

// Restart starts a killed server on the same port with the data that it had on disk.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	var err error
	s.process, err = s.start()
	require.NoError(tb, err, "restart")
}

func (s *Server) stop() {
	s.process.kill()
	_ = os.RemoveAll(s.dir)
}
