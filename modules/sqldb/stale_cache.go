package sqldb

import (
	"context"
	"errors"
	"time"

	"onrush/modules/bounded"
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
	// unknownEvery is the least time from one read of keys without a copy to the next.
	unknownEvery = 10 * time.Millisecond
)

// StaleCache keeps copies of values in SQL, so that the hot path reads each key from SQL at most once a
// second. It also remembers for a second that a value does not exist.
//
// Lookups that wait at the same time share reads. Keys that have a copy are read apart from those that don't,
// and absent keys are remembered apart from copies: so clients that ask for many keys that don't exist
// neither delay nor evict the values that do.
type StaleCache[V any] struct {
	what   string // names the values in errors, such as "stock points"
	now    func() time.Time
	fresh  func() time.Duration
	stale  time.Duration // how old a copy may be while SQL is unavailable
	copies *bounded.Map[string, kept[V]]
	absent *bounded.Map[string, time.Time] // when the read began that didn't find the key

	known, unknown batches[V]
}

// kept is one copy: asOf is when the read of its value began, tried when SQL was last asked.
type kept[V any] struct {
	value       V
	asOf, tried time.Time
}

// NewStaleCache returns a cache of the values that load reads; what names them in errors. If load returns an
// error, the values beside it are kept, and all other keys are unknown rather than absent.
func NewStaleCache[V any](
	what string, now func() time.Time, load func(context.Context, []string) (map[string]V, error),
) *StaleCache[V] {
	f := &StaleCache[V]{
		what: what, now: now,
		fresh:  func() time.Duration { return freshFor },
		stale:  staleFor,
		copies: bounded.New[string, kept[V]](maxCopies),
		absent: bounded.New[string, time.Time](maxAbsent),
	}
	f.known = batches[V]{read: load, keep: f.keep, now: now, byKey: map[string]*batch[V]{}}
	f.unknown = batches[V]{read: load, keep: f.keep, now: now, byKey: map[string]*batch[V]{}, pause: unknownEvery}
	return f
}

// NewCrowdCache is NewStaleCache for values of very many keys, each of which is used a few times: copies are used for
// as long as fresh returns, also while SQL is unavailable, and at least the most/2 that were used last are kept. A read
// of keys without a copy begins when the one before has ended, without a pause: nearly all keys are of that kind. The
// caller must Forget what changes.
func NewCrowdCache[V any](
	what string, now func() time.Time, load func(context.Context, []string) (map[string]V, error),
	fresh func() time.Duration, most int,
) *StaleCache[V] {
	sc := NewStaleCache(what, now, load)
	sc.unknown.pause, sc.stale = 0, 0
	sc.fresh, sc.copies = fresh, bounded.New[string, kept[V]](most)
	return sc
}

// Get returns the value of a key and whether it exists. It doesn't allocate while the copy is fresh.
func (sc *StaleCache[V]) Get(ctx context.Context, key string) (V, bool, error) {
	if c, ok := sc.usable(key, sc.fresh()); ok {
		return c.value, true, nil
	}
	values, err := sc.GetAll(ctx, []string{key})
	v, ok := values[key]
	return v, ok, err
}

// GetAll returns the values of keys; keys that don't exist are not in the map. Callers wait for a read, unless SQL
// failed to answer the last one. If SQL is unavailable and a copy is missing or older than staleFor, the error
// is unavailable. If too many keys wait to be read, it is
// overloaded.
func (sc *StaleCache[V]) GetAll(ctx context.Context, keys []string) (map[string]V, error) {
	values := make(map[string]V, len(keys))
	var known, unknown, retried []string
	fresh := sc.fresh()
	for _, key := range keys {
		if c, ok := sc.usable(key, fresh); ok {
			values[key] = c.value
		} else if c, ok := sc.copies.Get(key); ok {
			if sc.failed(c) {
				values[key], retried = c.value, append(retried, key)
				continue
			}
			known = append(known, key)
		} else if !sc.isAbsent(key) {
			unknown = append(unknown, key)
		}
	}
	// SQL failed to answer the last read: nobody waits for the next one.
	_ = sc.known.join(ctx, retried, map[string]*batch[V]{})
	reads := make(map[string]*batch[V], len(known)+len(unknown))
	if err := errors.Join(sc.known.join(ctx, known, reads), sc.unknown.join(ctx, unknown, reads)); err != nil {
		return nil, &problem.Error{
			Code: problem.CodeOverloaded, Detail: "Too many lookups are waiting; try again.",
			RetryAfter: time.Second, Err: err,
		}
	}
	for key, b := range reads {
		value, found, err := b.get(ctx, key)
		if err != nil {
			c, ok := sc.usable(key, sc.stale)
			if !ok {
				return nil, problem.Unavailable(err, "The "+sc.what+" can't be read at the moment.")
			}
			value, found = c.value, true
		}
		if found {
			values[key] = value
		}
	}
	return values, nil
}

// Peek returns the copy of a key, however old it is, and whether there is one.
func (sc *StaleCache[V]) Peek(key string) (V, bool) {
	c, ok := sc.copies.Get(key)
	return c.value, ok
}

// usable returns the copy of a key if it is not older than age, or if it is stale and SQL failed to
// answer less than retryStale ago.
func (sc *StaleCache[V]) usable(key string, age time.Duration) (kept[V], bool) {
	c, ok := sc.copies.Get(key)
	if !ok {
		return c, false
	}
	now := sc.now()
	old := now.Sub(c.asOf)
	failed := c.tried.After(c.asOf) && now.Sub(c.tried) < retryStale
	return c, old < age || failed && old < sc.stale
}

// failed reports whether the last read of a copy failed a moment ago, and the copy may still be served.
func (sc *StaleCache[V]) failed(c kept[V]) bool {
	now := sc.now()
	return c.tried.After(c.asOf) && now.Sub(c.tried) < forgetFailure && now.Sub(c.asOf) < sc.stale
}

// isAbsent reports whether SQL didn't have the key a moment ago.
func (sc *StaleCache[V]) isAbsent(key string) bool {
	asOf, ok := sc.absent.Get(key)
	return ok && sc.now().Sub(asOf) < freshFor
}

// keep stores the results of a read. If SQL didn't answer, it marks the existing copies, so that they are
// served for retryStale before SQL is asked again.
func (sc *StaleCache[V]) keep(read *batch[V], keys []string) {
	for _, key := range keys {
		value, found := read.values[key]
		switch {
		case found:
			sc.copies.Set(key, kept[V]{value: value, asOf: read.began, tried: read.began})
		case read.err == nil:
			sc.absent.Set(key, read.began)
			sc.copies.Delete(key)
		default:
			if c, ok := sc.copies.Get(key); ok {
				c.tried = sc.now()
				sc.copies.Set(key, c)
			}
		}
	}
}

// Forget removes the copy of a key; call it after changing the value.
func (sc *StaleCache[V]) Forget(key string) {
	for _, b := range []*batches[V]{&sc.known, &sc.unknown} {
		b.forget(key)
	}
	sc.copies.Delete(key)
	sc.absent.Delete(key)
}

// ForgetAll removes all copies.
func (sc *StaleCache[V]) ForgetAll() {
	for _, b := range []*batches[V]{&sc.known, &sc.unknown} {
		b.forgetAll()
	}
	sc.copies.Clear()
	sc.absent.Clear()
}
