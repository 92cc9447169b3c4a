package sqldb

import (
	"context"
	"errors"
	"sync"
	"time"

	"onrush/modules/panics"
)

const (
	// maxBatch is how many keys one read asks for.
	maxBatch = 1000
	// maxWaiting bounds the keys that are being read or wait to be read.
	maxWaiting = 20 * maxBatch
)

// errTooManyKeys says that maxWaiting keys wait already.
var errTooManyKeys = errors.New("too many keys wait to be read")

// batches reads keys for callers that wait. One read is in flight at a time; the keys that are asked for
// meanwhile share the next one. So the load on SQL doesn't depend on the number of callers or keys.
type batches[V any] struct {
	read  func(ctx context.Context, keys []string) (map[string]V, error)
	keep  func(b *batch[V], keys []string) // stores what was read; called before the callers continue
	now   func() time.Time
	pause time.Duration // least time between the starts of two reads

	mu      sync.Mutex
	byKey   map[string]*batch[V] // the batch of each key that is being read or waits
	waiting []*batch[V]          // not read yet, oldest first
	running bool
	last    time.Time // when the last read began; only run uses it
}

// batch is a group of keys that are read together. Its results are set when done is closed.
type batch[V any] struct {
	keys   []string
	done   chan struct{}
	began  time.Time
	values map[string]V // with err, those that could be read
	err    error
}

// get waits for the read and returns the value of one of its keys, and whether it exists.
func (b *batch[V]) get(ctx context.Context, key string) (value V, found bool, err error) {
	select {
	case <-ctx.Done():
		return value, false, ctx.Err()
	case <-b.done:
	}
	if value, found = b.values[key]; found {
		return value, true, nil
	}
	return value, false, b.err
}

// join adds keys to the reads that wait, and records in joined which read has which key.
func (b *batches[V]) join(ctx context.Context, keys []string, joined map[string]*batch[V]) error {
	if len(keys) == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, key := range keys {
		in := b.byKey[key]
		if in == nil {
			if len(b.byKey) >= maxWaiting {
				return errTooManyKeys
			}
			in = b.add(key)
		}
		joined[key] = in
	}
	if !b.running && len(b.waiting) > 0 {
		b.running = true
		// The read continues when the caller that started it has returned: others wait for it, and the end of
		// a caller's context must not be taken for an unavailable SQL store.
		go b.run(context.WithoutCancel(ctx))
	}
	return nil
}

// add puts a key into the last batch that waits, or into a new one if that is full.
func (b *batches[V]) add(key string) *batch[V] {
	last := len(b.waiting) - 1
	if last < 0 || len(b.waiting[last].keys) == maxBatch {
		b.waiting = append(b.waiting, &batch[V]{done: make(chan struct{})})
		last++
	}
	in := b.waiting[last]
	in.keys = append(in.keys, key)
	b.byKey[key] = in
	return in
}

// run reads batches until none waits.
func (b *batches[V]) run(ctx context.Context) {
	for {
		// The batch grows during the pause. The bounds apply if the clock was set back or forward.
		<-time.After(min(max(b.last.Add(b.pause).Sub(b.now()), 0), b.pause))
		next := b.next()
		b.last = b.now()
		reading, cancel := context.WithTimeout(ctx, loadWithin)
		next.began = b.last
		next.values, next.err = panics.RecoveredValue(func() (map[string]V, error) {
			return b.read(reading, next.keys)
		})
		cancel()
		if b.finish(next) {
			return
		}
	}
}

// next takes the oldest batch that waits.
func (b *batches[V]) next() *batch[V] {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := b.waiting[0]
	b.waiting = b.waiting[1:]
	return next
}

// finish keeps the results of a batch, except for keys that were forgotten since, and wakes its callers.
// It reports whether no other batch waits; the next caller then starts run again.
func (b *batches[V]) finish(read *batch[V]) (idle bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	keys := make([]string, 0, len(read.keys))
	for _, key := range read.keys {
		if b.byKey[key] == read {
			delete(b.byKey, key)
			keys = append(keys, key)
		}
	}
	b.keep(read, keys)
	close(read.done)
	b.running = len(b.waiting) > 0
	return !b.running
}

// forget makes the next caller read a key again: what a read in flight returns for it is not kept.
func (b *batches[V]) forget(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.byKey, key)
}

// forgetAll is forget for all keys.
func (b *batches[V]) forgetAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.byKey)
}
