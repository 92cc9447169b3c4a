package sqldb

import (
	"context"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"onrush/web/problem"
)

const (
	// freshFor is how old a copy may be while SQL answers.
	freshFor = time.Second
	// staleFor is how old a copy may be while SQL is unavailable.
	staleFor = time.Hour
	// retryStale is how long a stale copy is served before SQL is asked again.
	retryStale = time.Second
	// loadWithin bounds one read from SQL.
	loadWithin = time.Second
	// maxCopies bounds the number of copies.
	maxCopies = 10_000
)

// StaleCache keeps copies of values in SQL, so that the hot path reads each key from SQL at most once a
// second. It also remembers that a value does not exist.
type StaleCache[V any] struct {
	what   string // names the values in errors, such as "stock points"
	now    func() time.Time
	load   func(ctx context.Context, keys []string) (map[string]V, error)
	copies *otter.Cache[string, kept[V]]
	flight singleflight.Group
}

// kept is one copy: asOf is when the read of its value began, tried when SQL was last asked.
type kept[V any] struct {
	value       V
	found       bool
	asOf, tried time.Time
}

// NewStaleCache returns a cache of the values that load reads; what names them in errors.
func NewStaleCache[V any](
	what string, now func() time.Time, load func(context.Context, []string) (map[string]V, error),
) *StaleCache[V] {
	copies := otter.Must(&otter.Options[string, kept[V]]{MaximumSize: maxCopies})
	return &StaleCache[V]{what: what, now: now, load: load, copies: copies}
}

// Get returns the value of a key and whether it exists. It doesn't allocate while the copy is fresh.
func (f *StaleCache[V]) Get(ctx context.Context, key string) (V, bool, error) {
	if c, ok := f.usable(key, freshFor); ok {
		return c.value, c.found, nil
	}
	values, err := f.GetAll(ctx, []string{key})
	v, ok := values[key]
	return v, ok, err
}

// GetAll returns the values of keys; keys that don't exist are not in the map. If SQL is unavailable and
// a copy is missing or older than staleFor, the error is unavailable.
func (f *StaleCache[V]) GetAll(ctx context.Context, keys []string) (map[string]V, error) {
	values := make(map[string]V, len(keys))
	var ask []string
	for _, key := range keys {
		if c, ok := f.usable(key, freshFor); ok {
			c.into(values, key)
			continue
		}
		ask = append(ask, key)
	}
	if len(ask) == 0 {
		return values, nil
	}
	read, err := f.refresh(ctx, ask)
	for _, key := range ask {
		c, ok := read[key] // not from the cache, which may have evicted it already
		if !ok {
			c, ok = f.usable(key, staleFor)
		}
		if !ok {
			return nil, problem.Unavailable(err, "The "+f.what+" can't be read at the moment.")
		}
		c.into(values, key)
	}
	return values, nil
}

// usable returns the copy of a key if it is not older than age, or if it is stale and SQL failed to
// answer less than retryStale ago.
func (f *StaleCache[V]) usable(key string, age time.Duration) (kept[V], bool) {
	c, ok := f.copies.GetIfPresent(key)
	if !ok {
		return c, false
	}
	now := f.now()
	old := now.Sub(c.asOf)
	failed := c.tried.After(c.asOf) && now.Sub(c.tried) < retryStale
	return c, old < age || failed && old < staleFor
}

func (c kept[V]) into(values map[string]V, key string) {
	if c.found {
		values[key] = c.value
	}
}

// refresh reads keys from SQL. Callers that need the same keys share one read, which continues when the
// caller that started it has left.
func (f *StaleCache[V]) refresh(ctx context.Context, keys []string) (map[string]kept[V], error) {
	done := f.flight.DoChan(strings.Join(keys, "\x00"), func() (any, error) {
		return problem.Recovered(func() (map[string]kept[V], error) { return f.read(ctx, keys) })
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case res := <-done:
		read, _ := res.Val.(map[string]kept[V])
		return read, res.Err
	}
}

// read reads keys from SQL into the cache. If SQL doesn't answer, it marks the existing copies, so that
// they are served for retryStale before SQL is asked again.
func (f *StaleCache[V]) read(ctx context.Context, keys []string) (map[string]kept[V], error) {
	// The end of a caller's context must not be taken for an unavailable SQL store.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadWithin)
	defer cancel()
	began := f.now()
	values, err := f.load(ctx, keys)
	if err != nil {
		for _, key := range keys {
			if c, ok := f.copies.GetIfPresent(key); ok {
				c.tried = f.now()
				f.copies.Set(key, c)
			}
		}
		return nil, err
	}
	read := make(map[string]kept[V], len(keys))
	for _, key := range keys {
		value, found := values[key]
		read[key] = kept[V]{value: value, found: found, asOf: began, tried: began}
		f.copies.Set(key, read[key])
	}
	return read, nil
}

// Forget removes the copy of a key; call it after changing the value.
func (f *StaleCache[V]) Forget(key string) { f.copies.Invalidate(key) }
