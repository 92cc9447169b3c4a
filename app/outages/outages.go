// Package outages keeps the log readable while a store is away: it says so once, and again if that has another cause.
package outages

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/redis/go-redis/v9"

	"onrush/modules/problem"
	"onrush/modules/redisdb"
)

const (
	// watchEvery is how often the stores are checked.
	watchEvery = time.Second
	// watchWithin bounds one check.
	watchWithin = 2 * time.Second
	// settleWithin is how long its broken connections may still fail after a store is available again.
	settleWithin = 5 * time.Second
	// writesFor is how long a store that answered and took no writes must take them before it is available again: a
	// store with a full disk accepts a write now and then.
	writesFor = 30 * time.Second
	// causeEvery is how often the log has the same cause of one outage, which may change to and fro.
	causeEvery = 30 * time.Second
)

// Log is a log handler that logs once that a store is unavailable, again if that has another cause, and once that
// the store is available again. In between, every job, mover and request keeps failing for the same reason; their lines
// are logged at the debug level.
type Log struct {
	slog.Handler

	state *state
}

type state struct {
	now  func() time.Time
	poke chan struct{} // a call failed as calls to an unavailable store do

	mu          sync.Mutex
	unavailable map[string]outage // by store
	settled     time.Time         // until then, broken connections are expected
	suspected   *suspect          // the first such call since the last check
}

// outage is a time in which a store is unavailable.
type outage struct {
	since    time.Time
	noWrites bool                 // it answered and took no writes
	back     time.Time            // since when it takes writes; zero: it doesn't
	cause    string               // that was logged last
	logged   map[string]time.Time // when, by cause
}

// suspect is a line that is held back until it is known whether a store is unavailable.
type suspect struct {
	to     slog.Handler
	record slog.Record
}

// New returns a handler that passes lines on. now is the time of this instance.
func New(to slog.Handler, now func() time.Time) *Log {
	return &Log{
		Handler: to, state: &state{now: now, poke: make(chan struct{}, 1), unavailable: map[string]outage{}},
	}
}

// Handle passes a line on. A warning or an error that an unavailable store may have caused is passed on at the
// debug level, and held back until check knows whether one is unavailable.
func (o *Log) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn || !failedCall(r) {
		return o.Handler.Handle(ctx, r)
	}
	o.state.suspect(o.Handler, r.Clone())
	if !o.Enabled(ctx, slog.LevelDebug) {
		return nil
	}
	r.Level = slog.LevelDebug
	return o.Handler.Handle(ctx, r)
}

// WithAttrs makes a handler that adds attributes, of the same stores.
func (o *Log) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Log{Handler: o.Handler.WithAttrs(attrs), state: o.state}
}

// WithGroup makes a handler that opens a group, of the same stores.
func (o *Log) WithGroup(name string) slog.Handler {
	return &Log{Handler: o.Handler.WithGroup(name), state: o.state}
}

func (s *state) suspect(to slog.Handler, r slog.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unavailable) == 0 && s.suspected == nil && s.now().After(s.settled) {
		s.suspected = &suspect{to: to, record: r}
	}
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

// Watch checks the stores each second, and at once when a call failed, until ctx ends. A ping
// returns nil if its store answers.
func (o *Log) Watch(ctx context.Context, pings map[string]func(context.Context) error) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-o.state.poke:
		}
		o.check(ctx, pings)
		select { // calls fail by the thousand while a store is unavailable
		case <-ctx.Done():
			return
		case <-time.After(watchEvery / 10):
		}
	}
}

// check asks each store and logs what changed.
func (o *Log) check(ctx context.Context, pings map[string]func(context.Context) error) {
	o.state.mu.Lock()
	held := o.state.suspected
	o.state.suspected = nil
	o.state.mu.Unlock()
	for _, store := range slices.Sorted(maps.Keys(pings)) {
		err := answers(ctx, pings[store])
		if ctx.Err() != nil {
			return
		}
		o.log(ctx, store, err)
	}
	o.state.mu.Lock()
	quiet := len(o.state.unavailable) > 0 || o.state.now().Before(o.state.settled)
	o.state.mu.Unlock()
	if held != nil && !quiet { // all stores answer: the call failed for a reason of its own
		_ = held.to.Handle(ctx, held.record) // there is nowhere to report that the log can't be written
	}
}

// answers pings a store, and pings it again if there is no answer: one lost ping is no outage.
func answers(ctx context.Context, ping func(context.Context) error) (err error) {
	for range 2 {
		within, cancel := context.WithTimeout(ctx, watchWithin)
		err = ping(within)
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

// log logs that a store became unavailable (err is why) or available.
func (o *Log) log(ctx context.Context, store string, err error) {
	log := slog.New(o.Handler)
	if err != nil {
		switch known, news := o.state.fail(store, err); {
		case !known:
			log.WarnContext(ctx, "a store is unavailable", "store", store, "error", err)
		case news:
			log.WarnContext(ctx, "a store is unavailable for another cause", "store", store, "error", err)
		}
		return
	}
	if after, over := o.state.answer(store); over {
		log.InfoContext(ctx, "a store is available again", "store", store, "after", after.Round(time.Millisecond))
	}
}

// fail takes the error of a check of a store, and reports whether its outage was known, and whether the log must have
// the error. A cause is logged again if another was logged in between, at most once in causeEvery.
func (s *state) fail(store string, err error) (known, news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, known := s.unavailable[store]
	now := s.now()
	if !known {
		of = outage{since: now, logged: map[string]time.Time{}}
	}
	_, noWrites := errors.AsType[*problem.NoWritesError](err)
	of.noWrites, of.back = of.noWrites || noWrites, time.Time{}
	if cause := causeOf(err); cause != of.cause && now.Sub(of.logged[cause]) >= causeEvery {
		of.cause, of.logged[cause], news = cause, now, true
	}
	s.unavailable[store] = of
	return known, news
}

// answer takes a check of a store that succeeded. If that ends its outage, it returns how long the store was
// unavailable.
func (s *state) answer(store string) (after time.Duration, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of, known := s.unavailable[store]
	if !known {
		return 0, false
	}
	now := s.now()
	if of.back.IsZero() {
		of.back = now
	}
	if of.noWrites && now.Sub(of.back) < writesFor {
		s.unavailable[store] = of
		return 0, false
	}
	delete(s.unavailable, store)
	s.settled = now.Add(settleWithin)
	return now.Sub(of.since), true
}

// causeOf returns what tells the errors of an outage apart that call for different remedies: why a store takes no
// writes, the code of its refusal, that it doesn't answer, or that it isn't reached. The texts of errors differ from
// call to call, for example by ports.
func causeOf(err error) string {
	if no, ok := errors.AsType[*problem.NoWritesError](err); ok {
		return no.Reason
	}
	if answer, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return strconv.Itoa(int(answer.Number))
	}
	if answer, ok := errors.AsType[redis.Error](err); ok {
		code, _, _ := strings.Cut(answer.Error(), " ")
		return code
	}
	if slow, ok := errors.AsType[net.Error](err); ok && slow.Timeout() || errors.Is(err, redis.ErrPoolTimeout) {
		return "no answer"
	}
	return "not reached"
}

// failedCall reports whether a line has an error of a call that did not reach its store, got no answer in time, or was
// refused since the store takes no writes.
func failedCall(r slog.Record) bool {
	found := false
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		found = ok && isUnreachable(err)
		return !found
	})
	return found
}

// serverGone are answers of a MySQL server that accepts no calls: too many connections, also of the account, shutting
// down, connection killed, query killed; and no login: another password, host or database, a host or an account that is
// locked, a password that has expired.
var serverGone = map[uint16]bool{
	1040: true, 1203: true, 1226: true, 1053: true, 1927: true, 1317: true,
	1044: true, 1045: true, 1049: true, 1129: true, 1130: true, 1698: true, 1820: true, 1862: true, 3118: true,
	4151: true,
}

// redisGone begin the answers of a Redis that accepts no calls at the moment, or no login.
var redisGone = []string{
	"LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "ERR max number of clients",
	"WRONGPASS", "NOAUTH", "ERR AUTH", "ERR invalid password", "ERR DB index is out of range",
}

// isUnreachable reports whether an error is of a store that could not be reached, that broke the connection, that did
// not answer in time, or that takes no writes.
func isUnreachable(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok { // a deadline that passed is one
		return true
	}
	if answer, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return serverGone[answer.Number]
	}
	if redisdb.IsNoWrites(err) {
		return true
	}
	if answer, ok := errors.AsType[redis.Error](err); ok {
		return slices.ContainsFunc(redisGone, func(prefix string) bool {
			return strings.HasPrefix(answer.Error(), prefix)
		})
	}
	for _, gone := range []error{
		io.EOF, io.ErrUnexpectedEOF, driver.ErrBadConn, mysql.ErrInvalidConn, redis.ErrPoolTimeout,
		redis.ErrPoolExhausted, context.DeadlineExceeded,
	} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
