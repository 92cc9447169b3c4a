package tasks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/panics"
	"onrush/modules/problem"
)

const (
	// readAtOnce is how many tasks one HMGET reads, and selectAtOnce how many one statement does.
	readAtOnce, selectAtOnce = 500, 200
	// pipelined is how many tasks are read in one round trip.
	pipelined = 20 * readAtOnce
	// readWithin bounds one round trip, so that time remains to ask SQL.
	readWithin = 500 * time.Millisecond
	// selectWithin bounds what a round asks SQL.
	selectWithin = time.Second
	// tickAfterError is the least time from a read that failed to the next one.
	tickAfterError = 500 * time.Millisecond
)

// read reads tasks from Redis and tells their followers. Those that Redis doesn't know, or can't be asked
// for, are looked up in SQL while the watch continues. An error says that Redis is unavailable.
func (w *Watcher) read(ctx context.Context, in *watch, round uint64, hashes []string) error {
	var missing []string
	err := panics.Recovered(func() error {
		for len(hashes) > 0 {
			chunk := hashes[:min(pipelined, len(hashes))]
			absent, err := w.readChunk(ctx, in, round, chunk)
			if err != nil {
				return err
			}
			missing, hashes = append(missing, absent...), hashes[len(chunk):]
		}
		return nil
	})
	if err != nil {
		missing = append(missing, hashes...)
	}
	w.lookUp(ctx, in, round, missing, err)
	return err
}

// readChunk reads some tasks in one round trip and returns those that Redis doesn't know.
func (w *Watcher) readChunk(
	ctx context.Context, in *watch, round uint64, hashes []string,
) (absent []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	values := make([]any, 0, len(hashes))
	parts, err := w.d.Lua.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for part := range slices.Chunk(hashes, readAtOnce) {
			p.HMGet(ctx, w.d.Lua.Keys.Tasks(in.lane, in.activity), part...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %d tasks of activity %s: %w", len(hashes), in.activity, err)
	}
	for _, part := range parts {
		if found, ok := part.(*redis.SliceCmd); ok {
			values = append(values, found.Val()...)
		}
	}
	states := make(map[string]State, len(hashes))
	for i, hash := range hashes {
		text, known := values[i].(string)
		if !known {
			absent = append(absent, hash)
			continue
		}
		state, err := parseState(text)
		if err != nil {
			w.tell(in, round, nil, []string{hash}, err)
			continue
		}
		states[hash] = state
	}
	w.tell(in, round, states, nil, nil)
	return absent, nil
}

func parseState(text string) (State, error) {
	t, err := lua.ParseTask(text)
	if err != nil {
		return State{}, err
	}
	n, err := order.ParseNumber(t.Number)
	return State{Number: n, State: t.State, Reason: t.Reason}, err
}

// lookUp asks SQL for tasks in the background. While it does, no other round of the watch asks SQL: the next
// round finds the same tasks missing and asks again. redisErr says why Redis could not be asked.
func (w *Watcher) lookUp(ctx context.Context, in *watch, round uint64, missing []string, redisErr error) {
	if len(missing) == 0 {
		return
	}
	w.mu.Lock()
	busy := in.asking
	in.asking = true
	w.mu.Unlock()
	if busy {
		return
	}
	go func() {
		defer func() {
			w.mu.Lock()
			in.asking = false
			w.mu.Unlock()
		}()
		ctx, cancel := context.WithTimeout(ctx, selectWithin)
		defer cancel()
		states, err := panics.RecoveredValue(func() (map[string]State, error) {
			return w.selectStates(ctx, in, missing)
		})
		absent := ErrUnknown
		if redisErr != nil || err != nil {
			absent = problem.Unavailable(errors.Join(redisErr, err), "The task can't be looked up right now.")
		}
		w.tell(in, round, states, missing, absent)
	}()
}

// selectStates reads the tasks of stored orders from SQL. With an error it returns the states read before it.
func (w *Watcher) selectStates(ctx context.Context, in *watch, hashes []string) (map[string]State, error) {
	states := make(map[string]State, len(hashes))
	for chunk := range slices.Chunk(hashes, selectAtOnce) {
		tasks := make([]string, len(chunk))
		for i, hash := range chunk {
			tasks[i] = order.TaskID{Lane: in.lane, Activity: in.activity, Hash: hash}.String()
		}
		stored, err := selectTasks(ctx, w.d.DB, tasks)
		if err != nil {
			return states, err
		}
		for _, s := range stored {
			states[order.TaskHash(s.Task)] = s.state()
		}
	}
	return states, nil
}

// tell gives the followers of the tasks in states their state, and the followers of the other hashes the error absent.
func (w *Watcher) tell(in *watch, round uint64, states map[string]State, hashes []string, absent error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for hash, state := range states {
		if f := in.followed[hash]; f != nil {
			f.tell(round, state, nil)
		}
	}
	for _, hash := range hashes {
		if _, found := states[hash]; found {
			continue
		}
		if f := in.followed[hash]; f != nil {
			f.tell(round, f.state, absent)
		}
	}
}

// tell sets the known state or error. It wakes the followers if the state has changed, or if there is or was an error,
// since polls wait for errors too.
func (f *followed) tell(round uint64, state State, err error) {
	if round < f.round {
		return // a later round was faster
	}
	woken := f.round == 0 || f.state != state || f.err != nil || err != nil
	f.round, f.state, f.err = round, state, err
	if woken {
		close(f.changed)
		f.changed = make(chan struct{})
	}
}
