package kit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/app/servers"
)

// Program is the program in its own process, which tests may stop and kill.
type Program struct {
	URL string // where it listens

	process *servers.Process
}

// Build builds the program at an import path into the folder dir and returns the file. It has no tables for debuggers,
// which take the linker as long as all the rest; the traces of panics are the same.
func Build(dir, importPath string) (string, error) {
	file := filepath.Join(dir, filepath.Base(importPath))
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", file, importPath)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", importPath, err, out)
	}
	return file, nil
}

// Run starts the program with nothing but env as its environment and waits until it listens. It
// is killed when the test ends, if it still runs then.
func Run(t testing.TB, file string, env ...string) *Program {
	t.Helper()
	// A later value of env counts.
	started, url, err := servers.StartProgram(t.TempDir(), append([]string{"ONRUSH_STOP_DELAY=0s"}, env...), file)
	require.NoError(t, err)
	p := &Program{URL: url, process: started}
	t.Cleanup(func() {
		p.process.Kill()
		if t.Failed() {
			t.Logf("the program said:\n%s", p.process.Tail())
		}
	})
	return p
}

// Kill ends the program without a warning (SIGKILL) and waits until it is gone.
func (p *Program) Kill(testing.TB) { p.process.Kill() }

// Terminate asks the program to stop (SIGTERM), waits at most within until it has, and returns how
// it ended: nil if it says that all went well.
func (p *Program) Terminate(t testing.TB, within time.Duration) error {
	t.Helper()
	p.Signal(t, syscall.SIGTERM)
	return p.Ended(within)
}

// Signal sends a signal.
func (p *Program) Signal(t testing.TB, s os.Signal) {
	t.Helper()
	require.NoError(t, p.process.Signal(s))
}

// Ended returns how the program ended, which it waits for: nil if it says that all went well.
func (p *Program) Ended(within time.Duration) error {
	select {
	case <-p.process.Ended():
		return p.process.Err()
	case <-time.After(within):
		return fmt.Errorf("it still runs after %s\n%s", within, p.process.Tail())
	}
}

// Used returns the processor time that the program has had since its start (only on Linux).
func (p *Program) Used() (time.Duration, error) { return p.process.Used() }

// Memory returns how much memory of the program is resident now, and was at most since its start, in bytes (only on
// Linux).
func (p *Program) Memory() (now, peak int64, err error) { return p.process.Memory() }
