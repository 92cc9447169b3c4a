package site

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"onrush/lua"
	"onrush/modules/aged"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// Deps are what a Site depends on.
type Deps struct {
	DB  *sqldb.DB
	Lua *lua.Scripts
	// Lanes is how many lanes the instance asks for, 1 or more.
	Lanes int
	// Now is the time of the stores, and Local measures how old a copy is.
	Now, Local func() time.Time
	// Random is the source of the site's id and key.
	Random io.Reader
	Log    *slog.Logger
}

// Site is an instance's copy of what all instances share. It is safe for concurrent use.
type Site struct {
	deps   Deps
	follow *aged.Follower
	fixed  bool

	mu   sync.Mutex // held while it is read
	used bool       // the lanes of sales were looked up in SQL
	last atomic.Pointer[copied]

	foreign atomic.Bool // the last read found keys of another site in Redis
}

// copied are the values and when their read began.
type copied struct {
	Values
	key  [keyBytes]byte
	asOf time.Time
}

// maxLanes is how many lanes an order number can have: order.MaxLane.
const maxLanes = 1<<10 - 1

// errUnread says that neither store has told the instance its site yet.
var errUnread = errors.New("neither SQL nor Redis has told this instance what its site is")

// New returns a Site that is not read yet.
func New(d Deps) *Site {
	s := &Site{deps: d}
	read := func(ctx context.Context, _ time.Time) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.read(ctx)
	}
	s.follow = aged.NewFollower("site", d.Local, d.Log, sqldb.IsUnavailable, read)
	return s
}

// Fixed returns a Site for tests, which never reads a store.
func Fixed(lanes int) *Site {
	s := &Site{fixed: true, deps: Deps{Lanes: lanes, Now: time.Now, Local: time.Now}}
	s.last.Store(&copied{Values: Values{ID: "fixed", Lanes: lanes, LanesBefore: lanes}})
	return s
}

// Load is the first read, before a request is served. If it fails, Run and those who need the site try again.
func (s *Site) Load(ctx context.Context) { s.follow.Load(ctx) }

// CheckOwn returns ErrForeign if the last read found keys of another site in Redis.
func (s *Site) CheckOwn() error {
	if s.foreign.Load() {
		return ErrForeign
	}
	return nil
}

// Run reads the site twice a second until ctx ends.
func (s *Site) Run(ctx context.Context) { s.follow.Run(ctx) }

// Age returns how old the copy is; 0 until it was read for the first time.
func (s *Site) Age() time.Duration { return s.follow.Age() }

// Lanes returns how many lanes may have orders. It is at least what the instance asks for.
func (s *Site) Lanes(ctx context.Context) int {
	if c := s.current(ctx); c != nil {
		return max(c.Lanes, s.deps.Lanes)
	}
	return s.deps.Lanes
}

// Settled returns how many lanes each instance knows of: sales get these. The error is unavailable if that isn't known
// yet.
func (s *Site) Settled(ctx context.Context) (int, error) {
	if c := s.current(ctx); c != nil {
		return c.settled(s.deps.Now().UnixMilli()), nil
	}
	return 0, problem.Unavailable(errUnread, "The program has not reached its stores yet.")
}

// Fresh reports whether no sale can have a lane that Lanes doesn't count: a store was read a moment ago. After a read
// of lanes, it says whether these were all.
func (s *Site) Fresh() bool {
	c := s.last.Load()
	return c != nil && s.isFresh(c)
}

// NumberKey returns the key of the permutation of order numbers; the error is unavailable if it isn't known yet.
func (s *Site) NumberKey(ctx context.Context) (key [keyBytes]byte, err error) {
	if c := s.current(ctx); c != nil {
		return c.key, nil
	}
	return key, problem.Unavailable(errUnread, "The program has not reached its stores yet.")
}

func (s *Site) isFresh(c *copied) bool {
	return s.fixed || s.deps.Local().Sub(c.asOf).Abs() <= freshFor
}

// current returns the copy. It first reads a copy again that is too old, since the instance was suspended or its loop
// doesn't run. If the read fails, it returns the old copy, or nil if there is none.
func (s *Site) current(ctx context.Context) *copied {
	c := s.last.Load()
	if c != nil && s.isFresh(c) {
		return c
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.last.Load(); c != nil && s.isFresh(c) { // somebody else has read it
		return c
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readWithin)
	defer cancel()
	if err := s.read(ctx); err != nil {
		s.deps.Log.DebugContext(ctx, "the site can't be read", "error", err)
	}
	return s.last.Load()
}

const (
	// readWithin bounds a read that somebody waits for, and sqlWithin the part of it that waits for SQL.
	readWithin, sqlWithin = 600 * time.Millisecond, 400 * time.Millisecond
)

// read reads the row, or the copy in Redis while SQL doesn't answer.
func (s *Site) read(ctx context.Context) error {
	began := s.deps.Local()
	v, errSQL := s.readSQL(ctx)
	s.foreign.Store(errors.Is(errSQL, ErrForeign))
	switch {
	case errSQL == nil:
		return s.use(ctx, &v, began)
	case errors.Is(errSQL, ErrForeign):
		return errSQL
	}
	v, errRedis := s.readRedis(ctx)
	if errRedis != nil {
		return errors.Join(errSQL, errRedis)
	}
	return s.use(ctx, &v, began)
}

// readSQL reads the row, and raises its lanes if the instance asks for more or knows of more, as after SQL was restored
// to an older state. Then Redis gets a copy.
func (s *Site) readSQL(ctx context.Context) (Values, error) {
	ctx, cancel := context.WithTimeout(ctx, sqlWithin)
	defer cancel()
	v, err := selectRow(ctx, s.deps.DB, s.deps.Lanes, s.deps.Random)
	if err != nil {
		return v, err
	}
	want := max(s.deps.Lanes, s.known())
	if !s.used {
		used, err := usedLanes(ctx, s.deps.DB)
		if err != nil {
			return v, err
		}
		want = max(want, used)
		if was, err := s.readRedis(ctx); err == nil && was.ID == v.ID {
			want = max(want, was.Lanes)
		}
		s.used = true
	}
	if want > v.Lanes {
		if err := raise(ctx, s.deps.DB, want, s.deps.Now().UnixMilli()); err != nil {
			return v, err
		}
		if v, err = selectRow(ctx, s.deps.DB, want, s.deps.Random); err != nil {
			return v, err
		}
	}
	if err := s.keep(ctx, &v); err != nil {
		return v, err
	}
	return v, nil
}

func (s *Site) known() int {
	if c := s.last.Load(); c != nil {
		return c.Lanes
	}
	return 0
}

// ErrForeign says that the keys in Redis are of another site than the SQL store: two programs have one prefix.
var ErrForeign = errors.New("the keys in Redis are of another site than the SQL store: " +
	"give this site another ONRUSH_REDIS_PREFIX, or correct the address of a store")

func foreign(keys lua.Keys) error {
	return fmt.Errorf("%w; or, if the other site is gone, delete its keys, first %s", ErrForeign, keys.Site())
}

// CheckEmpty returns ErrForeign if a database is empty and Redis has the keys of a site: then it is not the database of
// that site. If Redis can't be read, it logs why it didn't look, and the error is nil, as without scripts.
func CheckEmpty(ctx context.Context, scripts *lua.Scripts, isEmpty func() bool, log *slog.Logger) error {
	if scripts == nil || !isEmpty() {
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	// An instance that starts at the same time makes the tables before it writes to Redis.
	_, err := ReadCopy(asking, scripts)
	switch {
	case errors.Is(err, errNoCopy) || !isEmpty():
		return nil // nothing says that there is a site
	case err != nil:
		log.WarnContext(ctx, "the database has no tables and gets them; Redis didn't say whether they are elsewhere, "+
			"at another address: compare the address with that of the other instances", "error", err)
		return nil
	}
	return fmt.Errorf("the database has no tables yet, and gets none: %w", foreign(scripts.Keys))
}

var errNoCopy, errBadCopy = errors.New("redis has no copy of the site"), errors.New("it is not the copy of a site")

// keep writes the copy in Redis if Redis has another one. If the write fails, the next read repeats it. The copy of
// another site stays, and is ErrForeign.
func (s *Site) keep(ctx context.Context, v *Values) error {
	was, err := s.readRedis(ctx)
	switch {
	case err == nil && was == *v:
		return nil
	case err == nil && was.ID != v.ID:
		return foreign(s.deps.Lua.Keys)
	}
	replace := err == nil || errors.Is(err, errBadCopy) || lua.IsWrongType(err)
	if replace || errors.Is(err, errNoCopy) {
		var text []byte
		if text, err = json.Marshal(v); err == nil {
			err = s.deps.Lua.KeepSite(ctx, string(text), replace)
		}
	}
	if err != nil {
		s.deps.Log.DebugContext(ctx, "redis has no copy of the site", "error", err)
	}
	return nil
}

// readRedis reads the copy in Redis.
func (s *Site) readRedis(ctx context.Context) (v Values, err error) { return ReadCopy(ctx, s.deps.Lua) }

// ReadCopy reads the copy in Redis. An error says that there is none, or none that can be read.
func ReadCopy(ctx context.Context, scripts *lua.Scripts) (v Values, err error) {
	text, err := scripts.Site(ctx)
	if err != nil {
		return v, err
	}
	if text == "" {
		return v, errNoCopy
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return v, fmt.Errorf("read the copy of the site: %w: %w", errBadCopy, err)
	}
	return v, nil
}

// use replaces the copy of the instance.
func (s *Site) use(ctx context.Context, v *Values, began time.Time) error {
	next, before := &copied{Values: *v, asOf: began}, s.last.Load()
	key, err := hex.DecodeString(v.NumberKey)
	switch {
	case err != nil || len(key) != keyBytes || v.Lanes < 1 || v.Lanes > maxLanes:
		return fmt.Errorf("the site %q has no valid key of numbers, or no valid number of lanes", v.ID)
	case before != nil && before.ID == v.ID && before.Lanes > v.Lanes: // the copy of before a failover of Redis
		return fmt.Errorf("a store has %d lanes of the site, which has %d", v.Lanes, before.Lanes)
	}
	copy(next.key[:], key)
	s.last.Store(next)
	switch log := s.deps.Log; {
	case before != nil && before.ID != v.ID:
		log.ErrorContext(ctx, "the stores are of another site than before", "site", v.ID, "before", before.ID)
	case before == nil && v.Lanes > s.deps.Lanes:
		log.InfoContext(ctx, "the site has more lanes than ONRUSH_LANES; its number applies", "lanes", v.Lanes,
			"configured", s.deps.Lanes)
	case before != nil && before.Lanes < v.Lanes:
		log.InfoContext(ctx, "the site has more lanes", "lanes", v.Lanes, "before", before.Lanes)
	}
	return nil
}
