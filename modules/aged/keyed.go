package aged

import (
	"context"
	"sync"
	"time"

	"onrush/modules/bounded"
	"onrush/modules/gather"
	"onrush/modules/panics"
	"onrush/modules/problem"
)

const (
	// freshFor is how old a copy may be while SQL answers. What doesn't exist is never remembered for longer.
	freshFor = time.Second
	// staleFor is how old a copy may be while SQL is unavailable.
	staleFor = time.Hour
	// retryStale is how long a stale copy is served before SQL is asked again.
	retryStale = time.Second
	// forgetFailure is how long after a failed read nobody waits for the next one. If no caller made that read, SQL
	// may be well again.
	forgetFailure = 5 * time.Second
	// loadWithin bounds one read from SQL.
	loadWithin = time.Second
	// maxCopies bounds the number of copies. About half as many, those that were used last, are kept in any case.
	maxCopies = 20_000
	// maxAbsent bounds how many keys without a value are remembered.
	maxAbsent = 20_000
	// maxRead is how many keys one read asks for.
	maxRead = 1000
	// maxWaiting bounds the keys with a copy, and those without one, that wait to be read.
	maxWaiting = 20 * maxRead
	// unknownEvery is the least time from one read of keys without a copy to the next.
	unknownEvery = 10 * time.Millisecond
)

// Keyed keeps copies of values in SQL by their keys, so that the hot path reads each key from SQL at most once a
// second. It also remembers for a second that a value does not exist.
//
// Lookups that wait at the same time share reads. Keys that have a copy are read apart from those that don't,
// and absent keys are remembered apart from copies: so clients that ask for many keys that don't exist
// neither delay nor evict the values that do.
type Keyed[V any] struct {
	what   string // names the values in errors, such as "stock points"
	now    func() time.Time
	fresh  func() time.Duration
	stale  time.Duration // how old a copy may be while SQL is unavailable
	copies *bounded.Map[string, keyedCopy[V]]
	absent *bounded.Map[string, time.Time] // when the read began that didn't find the key

	load  func(ctx context.Context, keys []string) (map[string]V, error)
	pause time.Duration // least time between the starts of two reads of keys without a copy
	last  time.Time     // when the last of these reads began; only call uses it
	calls *gather.Group[group, *reading[V], struct{}]

	mu    sync.Mutex
	reads map[string]*reading[V] // of each key that is being read or waits
}

// group is the keys that are read together: those with a copy, or those without one.
type group bool

const (
	unknown group = false
	known   group = true
)

// keyedCopy is one copy: asOf is when the read of its value began, tried when SQL was last asked.
type keyedCopy[V any] struct {
	value       V
	asOf, tried time.Time
}

// NewKeyed returns a cache of the values that load reads; what names them in errors. If load returns an
// error, the values beside it are kept, and all other keys are unknown rather than absent.
func NewKeyed[V any](
	what string, now func() time.Time, load func(context.Context, []string) (map[string]V, error),
) *Keyed[V] {
	k := &Keyed[V]{
		what: what, now: now, load: load, pause: unknownEvery, reads: map[string]*reading[V]{},
		fresh:  func() time.Duration { return freshFor },
		stale:  staleFor,
		copies: bounded.New[string, keyedCopy[V]](maxCopies),
		absent: bounded.New[string, time.Time](maxAbsent),
	}
	k.calls = gather.New(gather.Config[group, *reading[V], struct{}]{
		Call: k.call, MaxCall: maxRead, MaxWaiting: maxWaiting,
	})
	return k
}

// NewCrowd is NewKeyed for values of very many keys, each of which is used a few times: copies are used for
// as long as fresh returns, also while SQL is unavailable, and at least the most/2 that were used last are kept. A read
// of keys without a copy begins when the one before has ended, without a pause: nearly all keys are of that kind. The
// caller must Forget what changes.
func NewCrowd[V any](
	what string, now func() time.Time, load func(context.Context, []string) (map[string]V, error),
	fresh func() time.Duration, most int,
) *Keyed[V] {
	k := NewKeyed(what, now, load)
	k.pause, k.stale = 0, 0
	k.fresh, k.copies = fresh, bounded.New[string, keyedCopy[V]](most)
	return k
}

// Get returns the value of a key and whether it exists. It doesn't allocate while the copy is fresh.
func (k *Keyed[V]) Get(ctx context.Context, key string) (V, bool, error) {
	if c, ok := k.usable(key, k.fresh()); ok {
		return c.value, true, nil
	}
	values, err := k.GetAll(ctx, []string{key})
	v, ok := values[key]
	return v, ok, err
}

// GetAll returns the values of keys; keys that don't exist are not in the map. Callers wait for a read, unless SQL
// failed to answer the last one. If SQL is unavailable and a copy is missing or older than staleFor, the error
// is unavailable. If too many keys wait to be read, it is overloaded.
func (k *Keyed[V]) GetAll(ctx context.Context, keys []string) (map[string]V, error) {
	values := make(map[string]V, len(keys))
	var old, missing, retried []string
	fresh := k.fresh()
	for _, key := range keys {
		if c, ok := k.usable(key, fresh); ok {
			values[key] = c.value
		} else if c, ok := k.copies.Get(key); ok {
			if k.failed(c) {
				values[key], retried = c.value, append(retried, key)
				continue
			}
			old = append(old, key)
		} else if !k.isAbsent(key) {
			missing = append(missing, key)
		}
	}
	// SQL failed to answer the last read: nobody waits for the next one.
	_, _ = k.join(ctx, known, retried)
	reads, err := k.join(ctx, known, old)
	if err == nil {
		var more []*reading[V]
		more, err = k.join(ctx, unknown, missing)
		reads = append(reads, more...)
	}
	if err != nil {
		return nil, &problem.Error{
			Code: problem.CodeOverloaded, Detail: "Too many lookups are waiting; try again.",
			RetryAfter: time.Second, Err: err,
		}
	}
	for _, r := range reads {
		found, err := r.wait(ctx)
		if found {
			values[r.key] = r.value
		} else if err != nil {
			c, ok := k.usable(r.key, k.stale)
			if !ok {
				return nil, problem.Unavailable(err, "The "+k.what+" can't be read at the moment.")
			}
			onOldCopy.Mark()
			values[r.key] = c.value
		}
	}
	return values, nil
}

// Peek returns the copy of a key, however old it is, and whether there is one.
func (k *Keyed[V]) Peek(key string) (V, bool) {
	c, ok := k.copies.Get(key)
	return c.value, ok
}

// usable returns the copy of a key if it is not older than age, or if it is stale and SQL failed to
// answer less than retryStale ago.
func (k *Keyed[V]) usable(key string, age time.Duration) (keyedCopy[V], bool) {
	c, ok := k.copies.Get(key)
	if !ok {
		return c, false
	}
	now := k.now()
	old := now.Sub(c.asOf)
	failed := c.tried.After(c.asOf) && now.Sub(c.tried) < retryStale
	return c, old < age || failed && old < k.stale
}

// failed reports whether the last read of a copy failed a moment ago, and the copy may still be served.
func (k *Keyed[V]) failed(c keyedCopy[V]) bool {
	now := k.now()
	return c.tried.After(c.asOf) && now.Sub(c.tried) < forgetFailure && now.Sub(c.asOf) < k.stale
}

// isAbsent reports whether SQL didn't have the key a moment ago.
func (k *Keyed[V]) isAbsent(key string) bool {
	asOf, ok := k.absent.Get(key)
	return ok && k.now().Sub(asOf) < freshFor
}

// reading is the read of one key. Its outcome is set when done is closed.
type reading[V any] struct {
	ctx   context.Context // of the caller who asked first, without its end
	key   string
	done  chan struct{}
	value V
	found bool
	err   error // the value was not found, but may exist
}

// wait waits for the outcome, and reports whether there is a value.
func (r *reading[V]) wait(ctx context.Context) (found bool, err error) {
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-r.done:
		return r.found, r.err
	}
}

// join returns the reads of keys. A key that is not being read and doesn't wait enters the next read of its group.
func (k *Keyed[V]) join(ctx context.Context, of group, keys []string) ([]*reading[V], error) {
	if len(keys) == 0 {
		return nil, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	// The read continues when the caller that started it has returned: others wait for it, and the end of
	// a caller's context must not be taken for an unavailable SQL store.
	ctx = context.WithoutCancel(ctx)
	joined := make([]*reading[V], len(keys))
	for i, key := range keys {
		r := k.reads[key]
		if r == nil {
			r = &reading[V]{ctx: ctx, key: key, done: make(chan struct{})}
			if err := k.calls.Go(of, r); err != nil {
				return nil, err
			}
			k.reads[key] = r
		}
		joined[i] = r
	}
	return joined, nil
}

// call reads the keys of a group that wait, and keeps the results, except for keys that were forgotten since.
func (k *Keyed[V]) call(of group, reads []*reading[V], _ []struct{}) error {
	if of == unknown { // the next read grows meanwhile. The bounds apply if the clock was set back or forward
		<-time.After(min(max(k.last.Add(k.pause).Sub(k.now()), 0), k.pause))
		k.last = k.now()
	}
	began := k.now()
	ctx, cancel := context.WithTimeout(reads[0].ctx, loadWithin)
	defer cancel()
	keys := make([]string, len(reads))
	for i, r := range reads {
		keys[i] = r.key
	}
	values, err := panics.RecoveredValue(func() (map[string]V, error) { return k.load(ctx, keys) })
	k.mu.Lock()
	for _, r := range reads {
		if r.value, r.found = values[r.key]; !r.found {
			r.err = err
		}
		if k.reads[r.key] == r {
			delete(k.reads, r.key)
			k.keep(r, began)
		}
		close(r.done)
	}
	k.mu.Unlock()
	return nil
}

// keep stores the result of a read that began then. If SQL didn't answer, it marks the existing copy, so that it is
// served for retryStale before SQL is asked again.
func (k *Keyed[V]) keep(r *reading[V], began time.Time) {
	switch {
	case r.found:
		k.copies.Set(r.key, keyedCopy[V]{value: r.value, asOf: began, tried: began})
	case r.err == nil:
		k.absent.Set(r.key, began)
		k.copies.Delete(r.key)
	default:
		if c, ok := k.copies.Get(r.key); ok {
			c.tried = k.now()
			k.copies.Set(r.key, c)
		}
	}
}

// Forget removes the copy of a key; call it after changing the value. What a read under way returns for it is not kept.
func (k *Keyed[V]) Forget(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.reads, key)
	k.copies.Delete(key)
	k.absent.Delete(key)
}

// ForgetAll is Forget for all keys.
func (k *Keyed[V]) ForgetAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.reads)
	k.copies.Clear()
	k.absent.Clear()
}
