package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/lua"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// storeWithin bounds the wait for one store, so that a frozen SQL doesn't hold up a stop of all sales.
	storeWithin = time.Second
	// keepTries is how often a change is added in Redis if others change the settings at the same time.
	keepTries = 100
	// maxWaiting is how many changes wait for SQL at most.
	maxWaiting = 200
)

// Stored are the settings as a store has them.
type Stored struct {
	Set       Values `json:"set"`
	Version   int64  `json:"version"`
	UpdatedMS int64  `json:"updated_ms"` // 0: nobody has changed them
}

// Store reads and changes the settings in both stores, and remembers what they had last. It is safe for concurrent use.
type Store struct {
	db      *sqldb.DB
	lua     *lua.Scripts
	now     func() time.Time
	isRoute func(route string) error

	mu   sync.Mutex
	row  Stored // of SQL
	kept kept   // of Redis
}

// NewStore returns a Store; isRoute returns an error for a text that is no route of buyers.
func NewStore(
	db *sqldb.DB, scripts *lua.Scripts, now func() time.Time, isRoute func(route string) error,
) *Store {
	return &Store{db: db, lua: scripts, now: now, isRoute: isRoute}
}

// Get returns the settings. If one of the stores is unavailable, what the other one has and what was last read count.
func (s *Store) Get(ctx context.Context) (Stored, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	inRedis := make(chan error, 1)
	go func() { inRedis <- s.readRedis(ctx) }()
	errSQL := s.readSQL(ctx)
	if errRedis := <-inRedis; errSQL != nil && (errRedis != nil || s.current().Version == 0) {
		return Stored{}, sqldb.Problem(errSQL, "read the settings")
	}
	return s.current(), nil
}

// Change sets those of the values that are not nil, removes those that unset names, and returns all settings. from is
// the version that the caller saw; see oplog.Check. A change that changes nothing makes no version. While SQL is
// unavailable, the change is kept in Redis, and Settle writes it to SQL later.
func (s *Store) Change(ctx context.Context, set Values, unset []string, from int64) (Stored, error) {
	if err := set.check(s.isRoute); err != nil {
		return Stored{}, err
	}
	// The time is before the read of Redis: a change that another instance adds there after the read is newer.
	c := change{AtMS: s.now().UnixMilli(), By: oplog.NewStamp(ctx), Set: set, Unset: unset}
	k, text, errRedis := s.readKept(ctx)
	after, err := s.changeSQL(ctx, &k, &c, from)
	switch err = sqldb.Problem(err, "change the settings"); {
	case err == nil:
		s.remember(&after, nil)
		if errRedis == nil {
			_, _ = s.keep(ctx, text, kept{Base: after}) // or else Settle does it
		}
		return after, nil
	case problem.CodeOf(err) != problem.CodeUnavailable:
		return Stored{}, err
	}
	after, errRedis = s.changeRedis(ctx, &c, from)
	if errRedis != nil && !problem.Is(errRedis) {
		return Stored{}, errors.Join(err, errRedis)
	}
	return after, errRedis
}

// changeSQL makes a change in SQL, after those that wait in Redis. It returns within storeWithin: the driver doesn't
// give up a commit when ctx ends. The log tells later whether such a commit took place.
func (s *Store) changeSQL(ctx context.Context, k *kept, c *change, from int64) (Stored, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	type outcome struct {
		after Stored
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = s.db.InTx(ctx, func(tx *sqlx.Tx) error {
			before, err := absorb(ctx, tx, k)
			if err != nil {
				return err
			}
			if err := oplog.Check(ctx, tx, "settings", from, before.Version); err != nil {
				return err
			}
			o.after, err = apply(ctx, tx, before, c)
			return err
		})
		done <- o
	}()
	select {
	case o := <-done:
		return o.after, o.err
	case <-ctx.Done():
		return Stored{}, ctx.Err()
	}
}

// changeRedis adds a change to those that wait for SQL.
func (s *Store) changeRedis(ctx context.Context, c *change, from int64) (Stored, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	for range keepTries {
		k, text, err := s.readKept(ctx)
		if err != nil {
			return Stored{}, err
		}
		s.mu.Lock()
		if s.row.newer(&k.Base) {
			k.Base = s.row // Redis has lost its copy, or was restored to an older one
		}
		s.mu.Unlock()
		before := k.over(Stored{})
		if from > 0 && from != before.Version {
			return Stored{}, problem.Errorf(problem.CodeStaleVersion,
				"It was changed meanwhile: its version is %d.", before.Version)
		}
		if len(k.Waiting) >= maxWaiting {
			return Stored{}, problem.Unavailable(nil, "Too many changes wait for the store.")
		}
		added := *c
		added.AtMS = max(s.now().UnixMilli(), before.UpdatedMS+1)
		after := before.after(&added)
		if same, err := equal(before.Set, after.Set); err != nil || same && before.Version > 0 {
			return before, err
		}
		k.Waiting = append(k.Waiting, added)
		if done, err := s.keep(ctx, text, k); done || err != nil {
			return after, err
		}
	}
	return Stored{}, problem.Unavailable(nil, "Too many operators change the settings.")
}

// Settle makes the stores agree: SQL gets the changes that wait in Redis, and what it has lost since; Redis gets a copy
// of the row.
func (s *Store) Settle(ctx context.Context) error {
	k, text, err := s.readKept(ctx)
	if err != nil {
		return err
	}
	row, err := read(ctx, s.db.Read)
	if err != nil {
		return err
	}
	if len(k.Waiting) > 0 || k.Base.newer(&row) {
		err := s.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
			row, err = absorb(ctx, tx, &k)
			return err
		})
		if err != nil {
			return fmt.Errorf("write the settings of Redis to SQL: %w", err)
		}
	}
	s.remember(&row, nil)
	if len(k.Waiting) > 0 || row.newer(&k.Base) {
		_, err = s.keep(ctx, text, kept{Base: row})
	}
	return err
}

// settled reports whether the stores agree, as far as they were read.
func (s *Store) settled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.kept.Waiting) == 0 && !s.row.newer(&s.kept.Base) && !s.kept.Base.newer(&s.row)
}

// current returns the newer settings of those that were last read, with the changes that wait.
func (s *Store) current() Stored {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept.over(s.row)
}

// remember keeps what a store has; nil is not known.
func (s *Store) remember(row *Stored, k *kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if row != nil {
		s.row = *row
	}
	if k != nil {
		s.kept = *k
	}
}

// readSQL reads the row.
func (s *Store) readSQL(ctx context.Context) error {
	row, err := read(ctx, s.db.Read)
	if err == nil {
		s.remember(&row, nil)
	}
	return err
}

// readRedis reads the copy.
func (s *Store) readRedis(ctx context.Context) error {
	k, _, err := s.readKept(ctx)
	if err == nil {
		s.remember(nil, &k)
	}
	return err
}

func equal(a, b Values) (bool, error) {
	was, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	is, err := json.Marshal(b)
	return string(was) == string(is), err
}
