package settings

import (
	"context"
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
	// keepTries is how often the copy in Redis is written if others write it at the same time.
	keepTries = 50
	// maxWaiting is how many changes wait for SQL at most.
	maxWaiting = 200
)

// Stored are the settings as a store has them.
type Stored struct {
	Set       Values `json:"set"`
	Version   int64  `json:"version"`
	UpdatedMS int64  `json:"updated_ms"` // 0: nobody has changed them
	// Changed is when each was changed, in UTC ms, by name; those that nobody has changed are absent.
	Changed map[string]int64 `json:"changed,omitempty"`
	// Pending says that SQL or Redis doesn't have them yet.
	Pending bool `json:"-"`
	// Uncertain says of a change that a restart of all instances may undo it, since only one store has it, which may be
	// away then or be replaced: SQL alone, or a Redis whose replicas may lack it.
	Uncertain bool `json:"-"`
}

// Store reads and changes the settings in both stores. It remembers the newest settings that it has seen, and gives
// them to a store that has lost them. It is safe for concurrent use.
type Store struct {
	db      *sqldb.DB
	lua     *lua.Scripts
	now     func() time.Time
	isRoute func(route string) error

	mu    sync.Mutex
	known kept   // by this instance
	row   Stored // of SQL, when it was last read
	redis kept   // of Redis, when it was last read
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
	errRedis := <-inRedis
	current := s.current()
	if errSQL != nil && (errRedis != nil || current.Version == 0) {
		return Stored{}, sqldb.Problem(errSQL, "read the settings")
	}
	return current, nil
}

// Change sets those of the values that are not nil, removes those that unset names, and returns all settings. from is
// the version that the caller saw; see oplog.Check. A change that changes nothing makes no version. While SQL is
// unavailable, the change is kept in Redis, and Settle writes it to SQL later.
func (s *Store) Change(ctx context.Context, set Values, unset []string, from int64) (Stored, error) {
	if err := set.check(s.isRoute); err != nil {
		return Stored{}, err
	}
	c := change{AtMS: s.now().UnixMilli(), By: oplog.NewStamp(ctx), Set: set, Unset: unset}
	reading, cancel := context.WithTimeout(ctx, storeWithin)
	_ = s.readRedis(reading) // what waits there comes first
	cancel()
	known := s.knows()
	after, err := s.changeSQL(ctx, &known, &c, from)
	switch err = sqldb.Problem(err, "change the settings"); {
	case err == nil:
		s.learn(&after, nil)
		errRedis := s.copyRow(ctx, &after, known.Waiting)
		after.Pending, after.Uncertain = errRedis != nil, errRedis != nil
		return after, nil
	case problem.CodeOf(err) != problem.CodeUnavailable:
		return Stored{}, err
	}
	after, errRedis := s.changeRedis(ctx, &c, from)
	if errRedis != nil && !problem.Is(errRedis) {
		return Stored{}, errors.Join(err, errRedis)
	}
	return after, errRedis
}

// changeSQL makes a change in SQL, after those that wait. It returns within storeWithin: the driver doesn't
// give up a commit when ctx ends. The log tells later whether such a commit took place.
func (s *Store) changeSQL(ctx context.Context, known *kept, c *change, from int64) (Stored, error) {
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
			before, err := absorb(ctx, tx, known)
			if err != nil {
				return err
			}
			if err := oplog.Check(ctx, tx, "settings", from, before.Version); err != nil {
				return err
			}
			last := *c
			last.AtMS = max(c.AtMS, before.UpdatedMS+1)
			o.after, err = apply(ctx, tx, before, &last)
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

// changeRedis adds a change to those that wait for SQL. From then on this instance remembers it, too, and gives it to a
// Redis that has lost it.
func (s *Store) changeRedis(ctx context.Context, c *change, from int64) (Stored, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	for range keepTries {
		k, text, err := s.readKept(ctx)
		if err != nil {
			return Stored{}, err
		}
		known := s.learn(nil, &k)
		before := known.settings()
		if from > 0 && from != before.Version {
			return Stored{}, problem.Errorf(problem.CodeStaleVersion,
				"It was changed meanwhile: its version is %d.", before.Version)
		}
		if len(known.Waiting) >= maxWaiting {
			return Stored{}, problem.Unavailable(nil, "Too many changes wait for the store.")
		}
		added := *c
		added.AtMS = max(c.AtMS, before.UpdatedMS+1)
		after, _ := before.after(&added)
		next := known.with(kept{Waiting: []change{added}})
		if equal(before.Set, after.Set) && before.Version > 0 { // it is written again, for an answer of its own
			after, next = before, known
		}
		done, confirmed, err := s.keep(ctx, text, next)
		if err != nil {
			return Stored{}, err
		}
		if done {
			after.Pending = len(next.Waiting) > 0
			after.Uncertain = !confirmed && (after.Pending || s.lua.Waits.Replicas > 0)
			return after, nil
		}
	}
	return Stored{}, problem.Unavailable(nil, "Too many operators change the settings.")
}

// Settle makes the stores agree: SQL gets the changes that wait, and what it has lost; Redis gets a copy of the row.
func (s *Store) Settle(ctx context.Context) error {
	known := s.knows()
	var row Stored
	err := s.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		row, err = absorb(ctx, tx, &known)
		return err
	})
	if err != nil {
		return fmt.Errorf("write the settings to SQL: %w", err)
	}
	s.learn(&row, nil)
	return s.copyRow(ctx, &row, known.Waiting)
}

// copyRow writes a row to Redis, without the changes that it has absorbed.
func (s *Store) copyRow(ctx context.Context, row *Stored, absorbed []change) error {
	s.forget(absorbed)
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	for range keepTries {
		k, text, err := s.readKept(ctx)
		if err != nil {
			return err
		}
		waiting := len(k.Waiting)
		k = k.without(absorbed)
		asked := s.lua.Waits.Replicas > 0 // then a copy that is there is written again, so that replicas confirm it
		if s.learn(nil, &k); len(k.Waiting) == waiting && k.Base.covers(row) && !asked {
			return nil
		}
		done, confirmed, err := s.keep(ctx, text, k.with(kept{Base: *row}))
		switch {
		case err != nil:
			return err
		case done && asked && !confirmed:
			return lua.ErrUnconfirmed
		case done:
			return nil
		}
	}
	return errors.New("others write the settings in Redis")
}

// readSQL reads the row.
func (s *Store) readSQL(ctx context.Context) error {
	row, err := read(ctx, s.db.Read)
	if err == nil {
		s.learn(&row, nil)
	}
	return err
}

// readRedis reads the copy. One that lacks what the instance knows, such as after a failover, gets it.
func (s *Store) readRedis(ctx context.Context) error {
	k, text, err := s.readKept(ctx)
	if err != nil {
		return err
	}
	if known := s.learn(nil, &k); !k.covers(&known) {
		_, _, err = s.keep(ctx, text, known) // if another one was faster, the next read sees it
	}
	return err
}
