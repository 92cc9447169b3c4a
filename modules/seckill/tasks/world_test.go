package tasks_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/seckill/tasks"
	"onrush/test/kit"
	"onrush/test/stage"
)

var discard = slog.New(slog.DiscardHandler)

// world is a sale, and a watcher whose ticks the test gives.
type world struct {
	*stage.Stage
	*tasks.Watcher

	commands *kit.Commands
	ticks    chan time.Time
	waits    chan time.Duration // what the loop of a watch waits for
}

func newWorld(t *testing.T, stores *kit.Stores, units int64) *world {
	t.Helper()
	w := &world{
		Stage: stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": units}}),
		ticks: make(chan time.Time), waits: make(chan time.Duration),
	}
	rdb := stores.ConnectRedis(t)
	w.commands = kit.CountCommands(rdb)
	scripts, ended := lua.New(rdb, stores.Keys), make(chan struct{})
	t.Cleanup(func() { close(ended) })
	clock := clock.New(time.Now)
	w.Watcher = tasks.NewWatcher(tasks.Deps{
		DB: stores.DB, Lua: scripts, Pace: tasks.NewPace(scripts, clock), Log: discard,
		After: func(d time.Duration) <-chan time.Time {
			select {
			case w.waits <- d:
			case <-ended:
			}
			return w.ticks
		},
	})
	return w
}

// settle waits until the reads of a round are over.
func (w *world) settle() { <-w.waits }

// round begins a round after settle and waits until its reads are over.
func (w *world) round() {
	w.ticks <- time.Time{}
	w.settle()
}

// run gives ticks without end.
func (w *world) run(t *testing.T) {
	t.Helper()
	go func() {
		for {
			select {
			case <-w.waits:
				w.ticks <- time.Time{}
			case <-t.Context().Done():
				return
			}
		}
	}()
}

// task returns the task of an order.
func (w *world) task(o *order.Order) order.TaskID {
	return order.TaskID{Lane: w.Lane, Activity: w.Activity, Hash: order.TaskHash(o.Task)}
}

// get returns the current state of an order's task.
func (w *world) get(ctx context.Context, o *order.Order) (tasks.State, error) {
	return w.Wait(ctx, w.task(o), tasks.State{})
}

// outcome is what a follower was told.
type outcome struct {
	state tasks.State
	err   error
}

// followers wait for changes of tasks after a state, each in its own goroutine.
type followers struct {
	wg       sync.WaitGroup
	outcomes []outcome
}

// follow makes n followers wait for a state other than SUBMITTED, as event streams do, of one order each in turn.
func (w *world) follow(t *testing.T, n int, orders ...*order.Order) *followers {
	t.Helper()
	f := w.start(t, n, orders...)
	require.Eventually(t, func() bool {
		_, _, all := w.Followed()
		return all >= n
	}, 10*time.Second, time.Millisecond)
	return f
}

// start is follow, but doesn't wait until all followers wait.
func (w *world) start(t *testing.T, n int, orders ...*order.Order) *followers {
	t.Helper()
	f := &followers{outcomes: make([]outcome, n)}
	for i := range n {
		o := orders[i%len(orders)]
		f.wg.Go(func() {
			state, err := w.Wait(t.Context(), w.task(o), tasks.State{Number: o.Number, State: lua.TaskSubmitted})
			f.outcomes[i] = outcome{state, err}
		})
	}
	return f
}
