package bounded

import "github.com/maypok86/otter/v2"

// Map keeps the values that are used most. Make one with New, ByString or Weighed. It is safe for concurrent use.
type Map[K comparable, V any] struct {
	kept store[K]
}

// store is an otter.Cache. The interface keeps otter's generic code out of the packages that only see a type with a
// Map: each of them compiled it again, for most of the time of a build.
type store[K comparable] interface {
	GetIfPresent(key K) (any, bool)
	Set(key K, value any) (any, bool)
	ComputeIfAbsent(key K, value func() (v any, cancel bool)) (any, bool)
	Invalidate(key K) (any, bool)
	InvalidateAll()
	CleanUp()
	EstimatedSize() int
	WeightedSize() uint64
}

// ByString returns an empty map of at most most entries.
func ByString[V any](most int) *Map[string, V] { return &Map[string, V]{kept: byString(most)} }

// byString is compiled once for all types of values.
func byString(most int) store[string] {
	return otter.Must(&otter.Options[string, any]{MaximumSize: most})
}

// New returns an empty map of at most most entries.
func New[K comparable, V any](most int) *Map[K, V] {
	return &Map[K, V]{kept: otter.Must(&otter.Options[K, any]{MaximumSize: most})}
}

// Weighed returns an empty map whose entries weigh at most most together.
func Weighed[K comparable, V any](most uint64, weigh func(K, V) uint32) *Map[K, V] {
	return &Map[K, V]{kept: otter.Must(&otter.Options[K, any]{
		MaximumWeight: most, Weigher: func(key K, value any) uint32 { return weigh(key, value.(V)) },
	})}
}

// Get returns the value of a key and whether there is one. It doesn't allocate.
func (m *Map[K, V]) Get(key K) (V, bool) {
	value, found := m.kept.GetIfPresent(key)
	if !found {
		var none V
		return none, false
	}
	return value.(V), true
}

// GetOrMake returns the value of a key. If there is none, it stores the value that made returns, once.
func (m *Map[K, V]) GetOrMake(key K, made func() V) V {
	if value, found := m.Get(key); found {
		return value
	}
	value, _ := m.kept.ComputeIfAbsent(key, func() (any, bool) { return made(), false })
	return value.(V)
}

// Set stores a value.
func (m *Map[K, V]) Set(key K, value V) { m.kept.Set(key, value) }

// Delete removes the value of a key.
func (m *Map[K, V]) Delete(key K) { m.kept.Invalidate(key) }

// Clear removes all entries.
func (m *Map[K, V]) Clear() { m.kept.InvalidateAll() }

// Settle removes the values over the bound at once. Otherwise they are removed a little later.
func (m *Map[K, V]) Settle() { m.kept.CleanUp() }

// Len returns about how many entries there are.
func (m *Map[K, V]) Len() int { return m.kept.EstimatedSize() }

// Weight returns what the entries weigh together; without Weighed, each weighs one.
func (m *Map[K, V]) Weight() uint64 { return m.kept.WeightedSize() }
