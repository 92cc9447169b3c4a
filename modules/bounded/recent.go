package bounded

import (
	"hash/maphash"
	"sync"
)

// shards is how many parts a Recent has. Each has its own lock, so that a crowd of new keys doesn't queue for one.
const shards = 64

// Recent keeps the entries that were used last: about the last most/2 ones at least, and never more than most. It is
// for keys of which many come at once and are used a few times, such as the buyers of a sale. A Map would refuse new
// keys in favour of keys that were used more often. Make one with NewRecent. It is safe for concurrent use.
type Recent[K comparable, V any] struct {
	seed       maphash.Seed
	generation int // how many entries a generation of a shard has at most
	shards     [shards]shard[K, V]
}

// shard has two generations. An entry that is used moves from the old generation to the young one. When the young
// generation is full, it becomes the old one, and the entries of the former old generation are gone.
type shard[K comparable, V any] struct {
	mu         sync.Mutex
	young, old map[K]V
}

// NewRecent returns an empty map of at most most entries, or of 128 if most is less.
func NewRecent[K comparable, V any](most int) *Recent[K, V] {
	r := &Recent[K, V]{seed: maphash.MakeSeed(), generation: max(most/(2*shards), 1)}
	for i := range r.shards {
		r.shards[i].young = map[K]V{}
	}
	return r
}

func (r *Recent[K, V]) shard(key K) *shard[K, V] {
	return &r.shards[maphash.Comparable(r.seed, key)%shards]
}

// Get returns the value of a key and whether there is one. It doesn't allocate, except to begin a generation.
func (r *Recent[K, V]) Get(key K) (V, bool) {
	s := r.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(key, r.generation)
}

// GetOrMake returns the value of a key. If there is none, it stores the value that made returns, once; made must not
// use the map.
func (r *Recent[K, V]) GetOrMake(key K, made func() V) V {
	s := r.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	value, found := s.get(key, r.generation)
	if !found {
		value = made()
		s.set(key, value, r.generation)
	}
	return value
}

// Set stores a value.
func (r *Recent[K, V]) Set(key K, value V) {
	s := r.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.old, key)
	s.set(key, value, r.generation)
}

// Delete removes the value of a key.
func (r *Recent[K, V]) Delete(key K) {
	s := r.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.young, key)
	delete(s.old, key)
}

// Clear removes all entries.
func (r *Recent[K, V]) Clear() {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		s.young, s.old = map[K]V{}, nil
		s.mu.Unlock()
	}
}

// Len returns how many entries there are.
func (r *Recent[K, V]) Len() (n int) {
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		n += len(s.young) + len(s.old)
		s.mu.Unlock()
	}
	return n
}

// get returns the value of a key, which is in the young generation then.
func (s *shard[K, V]) get(key K, generation int) (V, bool) {
	value, found := s.young[key]
	if found {
		return value, true
	}
	if value, found = s.old[key]; found {
		delete(s.old, key)
		s.set(key, value, generation)
	}
	return value, found
}

// set stores a value in the young generation, and begins another generation if this one is full. The old generation
// doesn't have the key.
func (s *shard[K, V]) set(key K, value V, generation int) {
	if len(s.young) >= generation {
		if _, known := s.young[key]; !known {
			s.old, s.young = s.young, make(map[K]V, generation)
		}
	}
	s.young[key] = value
}
