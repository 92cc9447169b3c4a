package kit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// Build builds the program at an import path into the folder dir and returns the file.
func Build(dir, importPath string) (string, error) {
	file := filepath.Join(dir, filepath.Base(importPath))
	if out, err := exec.Command("go", "build", "-o", file, importPath).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", importPath, err, out)
	}
	return file, nil
}

// listening finds the address in what the program prints at its start.
var listening = regexp.MustCompile(`listens on (http://\S+)`)

// Run starts the program with nothing but env as its environment and waits until it listens. It
// is killed when the test ends, if it still runs then.
func Run(t testing.TB, file string, env ...string) *Program {
	t.Helper()
	var p Program
	dir := t.TempDir()
	args := append(append([]string{"-i", "ONRUSH_STOP_DELAY=0s"}, env...), file) // a later value of env counts
	// env becomes the program: it has the same process id.
	started, err := servers.Start(dir, p.listens(filepath.Join(dir, "env.log")), "env", args...)
	require.NoError(t, err)
	p.process = started
	t.Cleanup(func() {
		p.process.Kill()
		if t.Failed() {
			t.Logf("the program said:\n%s", p.process.Tail())
		}
	})
	return &p
}

func (p *Program) listens(log string) func(context.Context) error {
	return func(ctx context.Context) error {
		said, err := os.ReadFile(log)
		if err != nil {
			return err
		}
		found := listening.FindSubmatch(said)
		if found == nil {
			return errors.New("it does not listen yet")
		}
		p.URL = string(found[1])
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/livez", nil)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		return res.Body.Close()
	}
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
