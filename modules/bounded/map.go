package bounded

import (
	"hash/maphash"
	"sync"
)

// A Map has up to maxShards parts, each of at least minShard entries. Each part has its own lock, so that a crowd of
// new keys doesn't queue for one. Weighed values vary in size, so their parts are larger.
const maxShards, minShard, weighedShards = 64, 256, 4

// Map keeps the entries that were used last: about the last most/2 ones at least, and never more than most. Make one
// with New or Weighed. It is safe for concurrent use.
type Map[K comparable, V any] struct {
	seed       maphash.Seed
	weigh      func(K, V) int // nil: each entry weighs 1
	generation int            // what the entries of a generation of a shard weigh at most
	shards     []shard[K, V]
}

// shard has two generations. An entry that is used moves from the old one to the young one; when that is full, it
// becomes the old one, and the entries that were not used since the last time are gone.
type shard[K comparable, V any] struct {
	mu         sync.Mutex
	young, old map[K]V
	weight     int // of young
}

// New returns an empty map of at most most entries, or of 2 if most is less.
func New[K comparable, V any](most int) *Map[K, V] {
	return newMap[K, V](most, min(max(most/minShard, 1), maxShards), nil)
}

// Weighed returns an empty map whose entries weigh at most most together. It doesn't keep an entry that weighs more
// than an eighth of that. An entry must not change its weight.
func Weighed[K comparable, V any](most int, weigh func(K, V) int) *Map[K, V] {
	return newMap(most, weighedShards, weigh)
}

func newMap[K comparable, V any](most, shards int, weigh func(K, V) int) *Map[K, V] {
	m := &Map[K, V]{
		seed: maphash.MakeSeed(), weigh: weigh,
		generation: max(most/(2*shards), 1), shards: make([]shard[K, V], shards),
	}
	m.Clear()
	return m
}

func (m *Map[K, V]) shard(key K) *shard[K, V] {
	return &m.shards[maphash.Comparable(m.seed, key)%uint64(len(m.shards))]
}

// Get returns the value of a key and whether there is one. It doesn't allocate, except to begin a generation.
func (m *Map[K, V]) Get(key K) (V, bool) {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	return m.get(s, key)
}

// GetOrMake returns the value of a key. If there is none, it stores the value that made returns, once; made must not
// use the map.
func (m *Map[K, V]) GetOrMake(key K, made func() V) V {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	value, found := m.get(s, key)
	if !found {
		value = made()
		m.set(s, key, value)
	}
	return value
}

// Set stores a value.
func (m *Map[K, V]) Set(key K, value V) {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	m.set(s, key, value)
}

// Delete removes the value of a key.
func (m *Map[K, V]) Delete(key K) {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	m.delete(s, key)
}

// Clear removes all entries.
func (m *Map[K, V]) Clear() {
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		s.young, s.old, s.weight = map[K]V{}, nil, 0
		s.mu.Unlock()
	}
}

// Len returns how many entries there are.
func (m *Map[K, V]) Len() (n int) {
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		n += len(s.young) + len(s.old)
		s.mu.Unlock()
	}
	return n
}

// get returns the value of a key, which is in the young generation then.
func (m *Map[K, V]) get(s *shard[K, V], key K) (V, bool) {
	value, found := s.young[key]
	if found {
		return value, true
	}
	if value, found = s.old[key]; found {
		m.set(s, key, value)
	}
	return value, found
}

// set stores a value in the young generation, and begins another one if that is full.
func (m *Map[K, V]) set(s *shard[K, V], key K, value V) {
	m.delete(s, key)
	weight := m.weightOf(key, value)
	if weight > m.generation {
		return
	}
	if s.weight+weight > m.generation {
		s.old, s.young, s.weight = s.young, make(map[K]V, len(s.young)), 0
	}
	s.young[key] = value
	s.weight += weight
}

func (m *Map[K, V]) delete(s *shard[K, V], key K) {
	if value, found := s.young[key]; found {
		s.weight -= m.weightOf(key, value)
		delete(s.young, key)
	}
	delete(s.old, key)
}

func (m *Map[K, V]) weightOf(key K, value V) int {
	if m.weigh == nil {
		return 1
	}
	return m.weigh(key, value)
}
