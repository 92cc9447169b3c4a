package redisdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"

	"onrush/modules/loop"
)

// ErrLocked says that another holder has one of the locks.
var ErrLocked = errors.New("locked by another")

const (
	// lockTTL is how long a lock remains after its holder died.
	lockTTL = 8 * time.Second
	// extendEvery is how often a holder extends its locks.
	extendEvery = 2 * time.Second
	// releaseWithin bounds the release of all locks; if Redis doesn't answer, they expire.
	releaseWithin = time.Second
)

// Locks takes locks on several names at once in Redis. They only avoid duplicate work. Correctness must
// not depend on them, since a holder may lose its locks without noticing.
type Locks struct {
	sync  *redsync.Redsync
	stale staleLocks
}

// NewLocks returns Locks that are kept in rdb.
func NewLocks(rdb redis.UniversalClient) *Locks { return NewLocksAt(rdb, time.Now) }

// NewLocksAt is NewLocks with a clock.
func NewLocksAt(rdb redis.UniversalClient, now func() time.Time) *Locks {
	return &Locks{
		sync:  redsync.New(goredis.NewPool(rdb)),
		stale: staleLocks{rdb: rdb, now: now, seen: map[string]seenLock{}},
	}
}

// Try runs fn, or returns ErrLocked if another holder has one of the locks. It extends the locks while fn runs, and
// always releases them. If Redis can't create a lock because it is full, read-only or unavailable, fn runs without that
// lock: work that frees the memory of a full Redis must not wait for a lock, which needs memory.
func (l *Locks) Try(ctx context.Context, names []string, fn func(ctx context.Context) error) error {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	held := make([]*redsync.Mutex, 0, len(names))
	defer func() { release(ctx, held) }()
	for _, name := range names {
		m := l.sync.NewMutex(name, redsync.WithExpiry(lockTTL), redsync.WithTries(1))
		err := m.TryLockContext(ctx)
		if isTaken(err) && l.stale.remove(ctx, name) {
			onStaleLock.Mark()
			err = m.TryLockContext(ctx)
		}
		if err != nil {
			if isTaken(err) {
				return fmt.Errorf("%w: %s", ErrLocked, name)
			}
			if ctx.Err() != nil {
				return fmt.Errorf("lock %s: %w", name, err)
			}
			onNoLock.Mark()
			continue
		}
		held = append(held, m)
	}
	// An extension may still be running at release; it does nothing to a lock that was released.
	extending, end := context.WithCancel(ctx)
	defer end()
	go extend(extending, held)
	return fn(ctx)
}

func isTaken(err error) bool {
	_, taken := errors.AsType[*redsync.ErrTaken](err)
	return taken || errors.Is(err, redsync.ErrFailed)
}

// extend extends the locks every extendEvery until ctx ends.
func extend(ctx context.Context, held []*redsync.Mutex) {
	for loop.Wait(ctx, extendEvery) == nil {
		for _, m := range held {
			if ctx.Err() != nil {
				return
			}
			if ok, _ := m.ExtendContext(ctx); !ok && ctx.Err() == nil { // losing a lock is harmless
				onLostLock.Mark()
			}
		}
	}
}

// release releases locks, even if the caller's context has ended.
func release(ctx context.Context, held []*redsync.Mutex) {
	end := time.Now().Add(releaseWithin)
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), end)
	defer cancel()
	for _, m := range slices.Backward(held) {
		if !time.Now().Before(end) { // a call that hits the deadline may return before ctx is done
			return
		}
		_, _ = m.UnlockContext(ctx) // a lock that can't be released expires
	}
}

// lockAgain is the wait between two attempts of Hold.
const lockAgain = 25 * time.Millisecond

// Hold takes all locks or none, and runs fn. If another holder has one of them, it waits up to wait
// and then returns ErrLocked. Like Try, it continues without a lock that Redis can't create: fn must
// change state by compare-and-set, which is correct without locks.
func (l *Locks) Hold(
	ctx context.Context, names []string, wait time.Duration, fn func(ctx context.Context) error,
) error {
	ran := false
	run := func(ctx context.Context) error {
		ran = true
		return fn(ctx)
	}
	for until := time.Now().Add(wait); ; {
		err := l.Try(ctx, names, run)
		if ran || !errors.Is(err, ErrLocked) || ctx.Err() != nil || time.Now().After(until) {
			return err
		}
		if err := loop.Wait(ctx, lockAgain); err != nil {
			return err
		}
	}
}
