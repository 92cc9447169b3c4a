package settings

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"onrush/modules/aged"
	"onrush/modules/sqldb"
)

// storeWithin bounds the wait for one store, so that a frozen SQL doesn't hold up a stop of all sales.
const storeWithin = time.Second

// Store follows and changes the settings in both stores. It remembers the newest ones that it has seen, and gives them
// to a store that has lost them. It is safe for concurrent use.
type Store struct {
	Deps

	sql, redis *aged.Follower

	tried   atomic.Bool // a store was read, perhaps in vain
	current atomic.Pointer[Stored]

	mu             sync.Mutex
	known          kept      // by this instance
	inSQL, inRedis Stored    // when they were last read or written
	asOf           time.Time // when one of them was
}

// New returns a Store without any settings until its first Refresh.
func New(deps Deps) *Store {
	s := &Store{Deps: deps}
	s.current.Store(&Stored{})
	follow := func(in string, read func(context.Context) error) *aged.Follower {
		return aged.NewFollower("settings in "+in, s.Now, s.Log, sqldb.IsUnavailable,
			func(ctx context.Context, _ time.Time) error {
				defer s.tried.Store(true)
				return read(ctx)
			})
	}
	s.redis = follow("Redis", s.readRedis)
	s.sql = follow("SQL", func(ctx context.Context) error {
		if err := s.readSQL(ctx); err != nil || s.isSettled() {
			return err
		}
		if err := s.Settle(ctx); err != nil {
			s.Log.DebugContext(ctx, "the stores of the settings don't agree yet", "error", err)
		}
		return nil
	})
	return s
}

// Refresh reads both stores. After an error of one the other one counts.
func (s *Store) Refresh(ctx context.Context) error {
	return errors.Join(s.redis.Refresh(ctx), s.sql.Refresh(ctx))
}

// Load is the first Refresh, before a request is served. What fails is tried again by Run.
func (s *Store) Load(ctx context.Context) {
	s.redis.Load(ctx)
	s.sql.Load(ctx)
}

// Run reads each store twice a second until ctx ends.
func (s *Store) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { s.redis.Run(ctx) })
	loops.Go(func() { s.sql.Run(ctx) })
	loops.Wait()
}

// Age returns how long ago one of the stores was read; 0 until then.
func (s *Store) Age() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asOf.IsZero() {
		return 0
	}
	return max(s.Now().Sub(s.asOf), 0)
}

// Stopped reports whether no sale takes orders.
func (s *Store) Stopped() bool { return s.current.Load().Set.Stopped() }

// Unknown reports whether sales may be stopped, since no settings were found where they were looked for.
func (s *Store) Unknown() bool { return s.tried.Load() && s.current.Load().Version == 0 }

// Level says which parts are turned off.
func (s *Store) Level() Level { return s.current.Load().Set.Level() }

// Get reads both stores and returns the settings. If one of the stores is unavailable, what the other one has and what
// was last read count.
func (s *Store) Get(ctx context.Context) (Stored, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	inRedis := make(chan error, 1)
	go func() { inRedis <- s.readRedis(ctx) }()
	errSQL := s.readSQL(ctx)
	errRedis := <-inRedis
	s.mu.Lock()
	defer s.mu.Unlock()
	current := *s.current.Load()
	if errSQL != nil && (errRedis != nil || current.Version == 0) {
		return Stored{}, sqldb.Unavailable(errSQL)
	}
	current.Pending = len(s.known.Waiting) > 0 || !s.inSQL.is(&current) || !s.inRedis.is(&current)
	return current, nil
}

// readSQL reads the row.
func (s *Store) readSQL(ctx context.Context) error {
	row, err := read(ctx, s.DB.Read)
	if err == nil {
		s.learn(ctx, &s.inSQL, kept{Base: row}, nil)
	}
	return err
}

// readRedis reads the copy. A copy that lacks what the instance knows, such as after a failover, gets it.
func (s *Store) readRedis(ctx context.Context) error {
	_, err := s.keep(ctx, nil, nil)
	return err
}

// knows returns what the instance knows.
func (s *Store) knows() kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

// isSettled reports whether SQL had all that the instance knows when it was last read.
func (s *Store) isSettled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.known.Waiting) == 0 && s.inSQL.is(&s.known.Base)
}

// learn remembers what a store has, which is s.inSQL or s.inRedis, but for changes that no longer wait. It applies the
// settings that the instance knows then, if they have changed, and returns what it knows.
func (s *Store) learn(ctx context.Context, store *Stored, has kept, done []change) kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asOf = s.Now()
	*store = has.settings()
	s.known = s.known.with(has).without(done)
	before, now := s.current.Load(), s.known.settings()
	if now.is(before) {
		return s.known
	}
	s.current.Store(&now)
	if err := s.Apply(now.Set); err != nil {
		s.Log.WarnContext(ctx, "settings can't be applied; those before stay", "version", now.Version, "error", err)
	} else if before.Version != 0 || now.Set != (Values{}) {
		s.Log.InfoContext(ctx, "the settings of operators apply", "version", now.Version,
			"sales_stopped", now.Set.Stopped(), "degrade", now.Set.Level().String())
	}
	return s.known
}
