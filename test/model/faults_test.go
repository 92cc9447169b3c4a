package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// fault is what goes wrong during an action, once.
type fault string

// The faults.
const (
	none       fault = "none"
	stop       fault = "stop"       // the work ends after a step, as if the process were killed there
	unsent     fault = "unsent"     // a call doesn't reach Redis
	unanswered fault = "unanswered" // Redis carries out a call, and its answer is lost
	failed     fault = "failed"     // a statement, begin or commit of SQL fails, or a commit whose answer is lost
	overtaken  fault = "overtaken"  // the other instance runs a job between two steps or calls
)

// drawn are the faults as they are drawn: nearly half of the actions have none.
var drawn = []fault{
	none, none, none, none, none, none, stop, stop, stop, unsent, unanswered, failed, failed,
	overtaken, overtaken, overtaken,
}

// maxSteps, maxCalls and maxStatements are how many steps, calls of Redis, and calls of SQL of an action may fail.
const maxSteps, maxCalls, maxStatements = 4, 8, 24

var errStop = errors.New("stopped by the model")

// faults injects the fault of the current action into both instances.
type faults struct {
	mu    sync.Mutex
	what  fault
	left  int    // how many steps, or calls, pass before it
	other func() // what the other instance does if an action is overtaken
	own   bool   // the model itself reads
	fired *tally
}

// ours lets the model use the stores without a fault.
func (f *faults) ours(do func()) {
	f.mu.Lock()
	f.own = true
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.own = false
		f.mu.Unlock()
	}()
	do()
}

// arm sets the fault of an action: the first after steps, or calls, pass. other is for overtaken.
func (f *faults) arm(what fault, after int, other func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.what, f.left, f.other = what, after, other
}

// disarm ends the fault.
func (f *faults) disarm() { f.arm(none, 0, nil) }

// hits reports whether the fault happens at a step or a call.
func (f *faults) hits(what fault, at string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.what != what || f.own {
		return false
	}
	if f.left > 0 {
		f.left--
		return false
	}
	f.what = none
	f.fired.count(fmt.Sprintf("%s %s", what, at))
	return true
}

// step implements order.Faults.
func (f *faults) step(name string) error {
	if f.hits(overtaken, name) {
		f.other()
	}
	if f.hits(stop, name) {
		return errStop
	}
	return nil
}

// DialHook implements redis.Hook.
func (f *faults) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook implements redis.Hook.
func (f *faults) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		return f.round([]redis.Cmder{cmd}, func() error { return next(ctx, cmd) })
	}
}

// ProcessPipelineHook implements redis.Hook.
func (f *faults) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		return f.round(cmds, func() error { return next(ctx, cmds) })
	}
}

// round is one round trip to Redis. Those of locks don't fail: a lock that stays would delay the check by its TTL.
func (f *faults) round(cmds []redis.Cmder, send func() error) error {
	name := cmds[0].Name()
	if name == "hello" || strings.Contains(fmt.Sprint(cmds[0].Args()...), "lock:") {
		return send()
	}
	fail := func() error {
		for _, cmd := range cmds {
			cmd.SetErr(io.EOF)
		}
		return io.EOF
	}
	switch {
	case f.hits(unsent, name):
		return fail()
	case f.hits(overtaken, name):
		f.other()
	}
	lost := f.hits(unanswered, name)
	err := send()
	if lost {
		return fail()
	}
	return err
}

// tally counts what happened in all checks of a test.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *tally) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[what]++
}

// String lists the counts by name.
func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := make([]string, 0, len(c.n))
	for _, what := range slices.Sorted(maps.Keys(c.n)) {
		lines = append(lines, fmt.Sprintf("%6d %s", c.n[what], what))
	}
	return strings.Join(lines, "\n")
}
