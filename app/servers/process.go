package servers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// StartWithin bounds how long a server may take until it answers.
const StartWithin = 60 * time.Second

// Process is a program that runs until it ends, is killed, or this program ends.
type Process struct {
	os  *os.Process
	log string        // path of its output
	end chan struct{} // closed when it has ended
	err error         // how it ended; set before end is closed
}

// Start runs a program with its output in dir and waits until ready returns nil.
func Start(dir string, ready func(context.Context) error, name string, args ...string) (*Process, error) {
	p := &Process{log: filepath.Join(dir, filepath.Base(name)+".log"), end: make(chan struct{})}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	dieWithUs(cmd)
	started := make(chan error, 1)
	go func() {
		// The kernel's death signal comes when the *thread* that started the server ends, so this
		// one is kept for as long as the server runs.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.end)
		err := cmd.Start()
		_ = out.Close()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p.os = cmd.Process
	if err := p.waitUntil(ready); err != nil {
		p.Kill()
		return nil, fmt.Errorf("start %s: %w\n%s", name, err, p.Tail())
	}
	return p, nil
}

// listening finds the address in what the program of this module prints at its start.
var listening = regexp.MustCompile(`listens on (http://[^\s"]+)`)

// StartProgram runs the program of this module with nothing but env as its environment, waits until it listens, and
// returns where.
func StartProgram(dir string, env []string, file string, args ...string) (p *Process, url string, err error) {
	log := filepath.Join(dir, "env.log")
	_ = os.Remove(log) // of the process before
	listens := func(context.Context) error {
		said, err := os.ReadFile(log)
		if err != nil {
			return err
		}
		found := listening.FindSubmatch(said)
		if found == nil {
			return errors.New("it doesn't listen yet")
		}
		url = string(found[1])
		return nil
	}
	// env becomes the program: it has the same process id.
	p, err = Start(dir, listens, "env", slices.Concat([]string{"-i"}, env, []string{file}, args)...)
	return p, url, err
}

func (p *Process) waitUntil(ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), StartWithin)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.end:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return fmt.Errorf("no answer within %s: %w", StartWithin, err)
		case <-tick.C:
		}
	}
}

// Signal sends a signal.
func (p *Process) Signal(s os.Signal) error { return p.os.Signal(s) }

// Ended is closed when the process has ended; Err then says how.
func (p *Process) Ended() <-chan struct{} { return p.end }

// Err returns how the process ended: nil if it says that all went well.
func (p *Process) Err() error {
	<-p.end
	return p.err
}

// Kill ends the process without a warning and waits until it is gone.
func (p *Process) Kill() {
	_ = p.os.Signal(syscall.SIGKILL)
	<-p.end
}

// Tail returns the end of the server's output.
func (p *Process) Tail() string {
	const most = 2000
	out, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(out[max(0, len(out)-most):])
}

// Ports of servers are below those that systems assign to outgoing connections: while a server is
// stopped, no outgoing connection may get its port.
const firstPort, ports = 20_000, 12_000

// FreePort finds a port that no process listens on. Another process may take it before it is used, so
// callers try again with another port.
func FreePort() (port int, err error) {
	l, err := ListenFree()
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// ListenFree listens on a port that no process listens on.
func ListenFree() (l net.Listener, err error) {
	for range 100 {
		port := firstPort + rand.IntN(ports)
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return l, nil
		}
	}
	return nil, fmt.Errorf("find a free port: %w", err)
}
