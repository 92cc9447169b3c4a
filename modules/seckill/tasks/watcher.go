package tasks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/sqldb"
)

// Deps are the dependencies of a Watcher.
type Deps struct {
	DB   *sqldb.DB
	Lua  *lua.Scripts
	Pace *Pace
	// After returns a channel that receives after a time. Default time.After.
	After func(time.Duration) <-chan time.Time
	Log   *slog.Logger
}

// Watcher reads the tasks that are followed. It is safe for concurrent use, and keeps nothing of tasks that
// nobody follows.
type Watcher struct {
	d Deps

	mu      sync.Mutex
	watches map[place]*watch
}

// place is where Redis has the tasks of an activity.
type place struct {
	lane     int
	activity string
}

// watch has the tasks of one activity that somebody follows. Its loop runs while there are such tasks, and for one tick
// more, so that reads are never closer together than a tick.
type watch struct {
	place
	followed map[string]*followed // by hash
	round    uint64               // of the read that began last
	asking   bool                 // whether SQL is being asked
}

// followed is a task that somebody follows.
type followed struct {
	known

	followers int
}

// known is what the last read said of a task.
type known struct {
	state   State
	err     error         // why there is no state, or no new one
	round   uint64        // of the read; 0: the task was not read yet
	changed chan struct{} // closed when state or err has changed
}

// NewWatcher returns a Watcher that nobody uses yet.
func NewWatcher(d Deps) *Watcher {
	if d.After == nil {
		d.After = time.After
	}
	return &Watcher{d: d, watches: map[place]*watch{}}
}

// Wait returns the state of a task as soon as it differs from last; if last is the zero State, it returns
// the current one. A state that others follow too may be one tick old. The error is ErrUnknown if a read
// that began after the call found the task in no store, unavailable if not all stores could be read, or
// ctx.Err().
func (w *Watcher) Wait(ctx context.Context, t order.TaskID, last State) (State, error) {
	in, f, joined := w.join(t) //nolint:contextcheck // a watch outlives its followers
	defer w.leave(in, t.Hash, f)
	for {
		now := w.known(f)
		switch {
		case now.round == 0:
		case now.err == nil && now.state != last:
			return now.state, nil
		case now.err != nil && now.round > joined:
			return State{}, now.err
		}
		select {
		case <-now.changed:
		case <-ctx.Done():
			return State{}, ctx.Err()
		}
	}
}

// join adds a follower and starts the loop of its watch if none runs. joined is the round that had begun.
func (w *Watcher) join(t order.TaskID) (in *watch, f *followed, joined uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := place{t.Lane, t.Activity}
	in, running := w.watches[at]
	if !running {
		in = &watch{place: at, followed: map[string]*followed{}}
		w.watches[at] = in
		go w.loop(in)
	}
	f = in.followed[t.Hash]
	if f == nil {
		f = &followed{known: known{changed: make(chan struct{})}}
		in.followed[t.Hash] = f
	}
	f.followers++
	return in, f, in.round
}

// leave removes a follower, and the task if it was its last one.
func (w *Watcher) leave(in *watch, hash string, f *followed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.followers--; f.followers == 0 {
		delete(in.followed, hash)
	}
}

func (w *Watcher) known(f *followed) known {
	w.mu.Lock()
	defer w.mu.Unlock()
	return f.known
}

// loop reads the tasks of a watch at each tick until nobody follows any.
func (w *Watcher) loop(in *watch) {
	ctx := context.Background()
	for {
		round, hashes := w.begin(in)
		if len(hashes) == 0 && w.end(in) {
			return
		}
		err := w.read(ctx, in, round, hashes)
		tick := w.d.Pace.tick(ctx, in.lane)
		if err != nil {
			w.d.Log.WarnContext(ctx, "tasks can't be read", "activity_id", in.activity, "tasks", len(hashes),
				"error", err)
			tick = max(tick, tickAfterError)
		}
		<-w.d.After(tick)
	}
}

// begin begins a round and returns the tasks to read: those whose state may change.
func (w *Watcher) begin(in *watch) (round uint64, hashes []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	in.round++
	hashes = make([]string, 0, len(in.followed))
	for hash, f := range in.followed {
		if !f.state.final() {
			hashes = append(hashes, hash)
		}
	}
	return in.round, hashes
}

// end removes a watch that nobody needs.
func (w *Watcher) end(in *watch) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(in.followed) > 0 {
		return false
	}
	delete(w.watches, in.place)
	return true
}
