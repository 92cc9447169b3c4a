package order

import (
	"context"
	"time"
)

// Fresh keeps copies of what SQL holds, at most a second old while SQL answers.
type Fresh[V any] = fresh[V]

// NewFresh makes copies of what load reads; what names the kind of thing in errors.
func NewFresh[V any](what string, now func() time.Time, load func(context.Context, []string) (map[string]V, error)) *Fresh[V] {
	return newFresh(what, now, load)
}

// One returns the value of one key and whether it exists; a fresh copy costs no allocation.
func (f *fresh[V]) One(ctx context.Context, key string) (V, bool, error) {
	if c, ok := f.usable(key, freshFor); ok {
		return c.value, c.found, nil
	}
	values, err := f.get(ctx, key)
	v, ok := values[key]
	return v, ok, err
}

// Many returns the values of keys; what does not exist is not in the map.
func (f *fresh[V]) Many(ctx context.Context, keys []string) (map[string]V, error) {
	return f.get(ctx, keys...)
}

// Forget drops the copy of a key that was just changed.
func (f *fresh[V]) Forget(key string) { f.forget(key) }
