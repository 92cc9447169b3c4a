package redisdb

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// staleLocks finds locks that Redis still keeps although their holder is dead. Redis expires a key at a time of its own
// clock: a replica whose clock is behind, or a Redis that is started on another machine, keeps it for longer. A holder
// that lives extends its lock every extendEvery, which moves the end of the lock. So a lock whose end has not moved for
// lockTTL, by the clock of the instance that waits for it, has no holder.
type staleLocks struct {
	rdb redis.UniversalClient
	now func() time.Time

	mu   sync.Mutex
	seen map[string]seenLock
}

// seenLock is what a lock was when somebody waited for it.
type seenLock struct {
	value  string
	end    time.Time // by the clock of this instance; zero if Redis never removes it
	since  time.Time // when it was first seen with this end
	looked time.Time
}

const (
	// lookEvery is how often a lock is read while many wait for it.
	lookEvery = time.Second
	// moved is by how much the end of a lock must have moved to count as extended.
	moved = extendEvery / 4
	// maxSeen bounds the locks that are remembered.
	maxSeen = 1000
)

// removeLock removes the lock that has a value. A key of another type is no lock.
//
// KEYS[1] the lock. ARGV[1] its value. Returns how many keys it removed.
var removeLock = redis.NewScript(`
if redis.call('TYPE', KEYS[1])['ok'] ~= 'string' or redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('UNLINK', KEYS[1])
end
return 0`)

// remove reads a lock that another holder seems to have, and removes the lock if it is stale. It reports whether it
// removed the lock.
func (s *staleLocks) remove(ctx context.Context, name string) bool {
	now := s.now()
	s.mu.Lock()
	known, ok := s.seen[name]
	due := !ok || now.Sub(known.looked).Abs() >= lookEvery
	if due { // no other caller looks meanwhile
		known.looked = now
		s.seen[name] = known
	}
	s.mu.Unlock()
	if !due {
		return false
	}
	value, end, err := s.read(ctx, name, now)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		delete(s.seen, name)
		return false
	}
	if known.since.IsZero() || known.value != value || end.After(known.end.Add(moved)) {
		known.value, known.end, known.since = value, end, now
	}
	if now.Sub(known.since) < lockTTL {
		s.keep(name, known, now)
		return false
	}
	delete(s.seen, name)
	removed, err := removeLock.Run(ctx, s.rdb, []string{name}, value).Int()
	return err == nil && removed > 0
}

// keep remembers a lock, and forgets locks that nobody has waited for lately.
func (s *staleLocks) keep(name string, lock seenLock, now time.Time) {
	if len(s.seen) >= maxSeen {
		maps.DeleteFunc(s.seen, func(_ string, l seenLock) bool { return now.Sub(l.looked).Abs() > 2*lookEvery })
	}
	if len(s.seen) < maxSeen {
		s.seen[name] = lock
	}
}

// read returns the value and the end of a lock; "" if the key has another type.
func (s *staleLocks) read(ctx context.Context, name string, now time.Time) (value string, end time.Time, err error) {
	var get *redis.StringCmd
	var left *redis.DurationCmd
	_, _ = s.rdb.Pipelined(ctx, func(p redis.Pipeliner) error { // each command has its own error
		get, left = p.Get(ctx, name), p.PTTL(ctx, name)
		return nil
	})
	if err := get.Err(); err != nil && !redis.HasErrorPrefix(err, "WRONGTYPE") {
		return "", time.Time{}, err
	}
	if left.Err() != nil {
		return "", time.Time{}, left.Err()
	}
	if left.Val() == -2 {
		return "", time.Time{}, errors.New("it is gone")
	}
	if left.Val() > 0 {
		end = now.Add(left.Val())
	}
	return get.Val(), end, nil
}
