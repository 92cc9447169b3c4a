package lua

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

// ErrLocked says that somebody else holds one of the locks.
var ErrLocked = errors.New("locked by another")

const (
	// lockTTL is how long a lock outlives a holder that died.
	lockTTL = 8 * time.Second
	// extendEvery is how often a holder makes its locks last longer.
	extendEvery = 2 * time.Second
	// releaseWithin bounds giving all of them back; where Redis doesn't answer they run out.
	releaseWithin = time.Second
)

// Locks are locks over several names at once in Redis. They save work; what is right never hangs
// on them: a holder may lose its locks and go on.
type Locks struct {
	sync *redsync.Redsync
}

// NewLocks keeps the locks in rdb.
func NewLocks(rdb redis.UniversalClient) *Locks {
	return &Locks{sync: redsync.New(goredis.NewPool(rdb))}
}

// Try takes all locks or none, runs fn while it extends them, and gives them back on every way
// out. ErrLocked means that somebody else has one of them and fn did not run. A lock that Redis
// can't give, since it is full, read-only or unavailable, is left out: what frees the memory of a
// full Redis must not wait for a lock, which takes memory.
func (l *Locks) Try(ctx context.Context, names []string, fn func(ctx context.Context) error) error {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	held := make([]*redsync.Mutex, 0, len(names))
	defer func() { release(ctx, held) }()
	for _, name := range names {
		m := l.sync.NewMutex(name, redsync.WithExpiry(lockTTL), redsync.WithTries(1))
		if err := m.TryLockContext(ctx); err != nil {
			if _, taken := errors.AsType[*redsync.ErrTaken](err); taken || errors.Is(err, redsync.ErrFailed) {
				return fmt.Errorf("%w: %s", ErrLocked, name)
			}
			if ctx.Err() != nil {
				return fmt.Errorf("lock %s: %w", name, err)
			}
			continue
		}
		held = append(held, m)
	}
	// Nobody waits for an extension that is under way: it does nothing to a lock that was given back.
	extending, end := context.WithCancel(ctx)
	defer end()
	go extend(extending, held)
	return fn(ctx)
}

// extend makes the locks last longer until ctx ends.
func extend(ctx context.Context, held []*redsync.Mutex) {
	ticker := time.NewTicker(extendEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, m := range held {
			if ctx.Err() != nil {
				return
			}
			_, _ = m.ExtendContext(ctx) // losing a lock is harmless
		}
	}
}

// release gives locks back, also where the caller's context has ended.
func release(ctx context.Context, held []*redsync.Mutex) {
	end := time.Now().Add(releaseWithin)
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), end)
	defer cancel()
	for _, m := range slices.Backward(held) {
		if !time.Now().Before(end) { // a call that ran into the deadline returns before ctx says so
			return
		}
		_, _ = m.UnlockContext(ctx) // a lock that can't be given back runs out by itself
	}
}

// lockAgain is how long Hold waits before it tries again.
const lockAgain = 25 * time.Millisecond

// Hold takes all locks or none, and runs fn. Where another has one of them it waits
// up to wait, and then returns ErrLocked. Like Try, it goes on without a lock that Redis can't give:
// the locks save work, and what fn changes by compare-and-set is right without them.
func (l *Locks) Hold(ctx context.Context, names []string, wait time.Duration, fn func(ctx context.Context) error) error {
	ran := false
	run := func(ctx context.Context) error {
		ran = true
		return fn(ctx)
	}
	for until := time.Now().Add(wait); ; {
		err := l.Try(ctx, names, run)
		switch {
		case ran || err == nil || ctx.Err() != nil:
			return err
		case !errors.Is(err, ErrLocked):
			return err
		case time.Now().After(until):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockAgain):
		}
	}
}
