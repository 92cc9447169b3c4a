package sqldb

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// shareOf is how many callers of one pool may use the rows of one key at once. More would only wait for
// each other in SQL.
const shareOf = 3

// shares bounds how many connections of a pool wait for the rows of one key, such as a sale's
// stock: other callers with the same key wait without a connection.
type shares struct {
	mu    sync.Mutex
	byKey map[string]*share
}

type share struct {
	turns chan struct{}
	users int // callers that have a turn or wait for one; guarded by shares.mu
}

// Share waits until fewer than 3 callers of this pool have a turn for each key, and runs fn while it has a turn for
// each, which ends with fn, also by a panic. So one locked row keeps only a few connections busy. If ctx ends first,
// the error wraps ctx.Err(), and fn doesn't run.
func (db *DB) Share(ctx context.Context, keys []string, fn func() error) error {
	keys = slices.Compact(slices.Sorted(slices.Values(keys))) // sorted, so that two callers never deadlock
	taken := make([]string, 0, len(keys))
	defer func() {
		for _, key := range taken {
			db.shares.give(key)
		}
	}()
	for _, key := range keys {
		if err := db.shares.take(ctx, key); err != nil {
			return err
		}
		taken = append(taken, key)
	}
	return fn()
}

func (s *shares) take(ctx context.Context, key string) error {
	s.mu.Lock()
	if s.byKey == nil {
		s.byKey = map[string]*share{}
	}
	of := s.byKey[key]
	if of == nil {
		of = &share{turns: make(chan struct{}, shareOf)}
		s.byKey[key] = of
	}
	of.users++
	s.mu.Unlock()
	select {
	case of.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		s.leave(key)
		return fmt.Errorf("wait for a turn at %s: %w", key, ctx.Err())
	}
}

func (s *shares) give(key string) {
	s.mu.Lock()
	<-s.byKey[key].turns
	s.mu.Unlock()
	s.leave(key)
}

// leave removes a user of a key, and the key with its last user.
func (s *shares) leave(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.byKey[key]; of.users > 1 {
		of.users--
		return
	}
	delete(s.byKey, key)
}
