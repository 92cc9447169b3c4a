package servers

import (
	"net"
	"os"
	"strconv"
	"time"
)

// Server is a private redis-server, mariadbd or mysqld.
type Server struct {
	Addr string // host:port; stays the same through a restart

	start   func() (*Process, error)
	process *Process
	dir     string
}

// Used returns the processor time that the server has had since its start (only on Linux).
func (s *Server) Used() (time.Duration, error) { return s.process.Used() }

// startTries is how often a server is started on another port if its port was taken.
const startTries = 3

// New starts a server with its data in a folder that prepare has filled. A server that is onDisk flushes its writes.
func New(
	onDisk bool, prepare func(dir string) error, start func(dir string, port int) (*Process, error),
) (*Server, error) {
	dir, err := TempDir(onDisk)
	if err != nil {
		return nil, err
	}
	if err := prepare(dir); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	for range startTries {
		var port int
		if port, err = FreePort(); err != nil {
			break
		}
		s := &Server{Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), dir: dir}
		s.start = func() (*Process, error) { return start(dir, port) }
		if s.process, err = s.start(); err == nil {
			return s, nil
		}
	}
	_ = os.RemoveAll(dir)
	return nil, err
}

// Freeze suspends the server (SIGSTOP): connections stay open and nothing is answered until Thaw.
func (s *Server) Freeze() error { return s.process.Signal(Suspend) }

// Thaw resumes a frozen server.
func (s *Server) Thaw() error { return s.process.Signal(Resume) }

// Ended is closed when the server has ended, until Restart.
func (s *Server) Ended() <-chan struct{} { return s.process.Ended() }

// Kill ends the server without a warning (SIGKILL).
func (s *Server) Kill() { s.process.Kill() }

// Restart starts a killed server on the same port with the data that it had on disk.
func (s *Server) Restart() error {
	process, err := s.start()
	if err == nil {
		s.process = process
	}
	return err
}

// Stop ends the server and removes its data.
func (s *Server) Stop() {
	s.process.Kill()
	_ = os.RemoveAll(s.dir)
}
