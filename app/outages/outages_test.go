package outages

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"

	"onrush/modules/problem"
	"onrush/test/kit"
)

// logBook is a log that a test reads.
type logBook struct{ kit.Output }

// lines are the lines without their time.
func (l *logBook) lines() (lines []string) {
	for line := range strings.Lines(l.String()) {
		_, line, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		lines = append(lines, line)
	}
	return lines
}

func (l *logBook) count(text string) int { return strings.Count(l.String(), text) }

// refusal is an answer of Redis that is an error.
type refusal string

func (r refusal) Error() string { return string(r) }
func (r refusal) RedisError()   {}

func newBook(clock *kit.Clock, level slog.Level) (*logBook, *Log, *slog.Logger) {
	book := &logBook{}
	o := New(slog.NewTextHandler(book, &slog.HandlerOptions{Level: level}), clock.Now)
	return book, o, slog.New(o)
}

func TestOutageOfAStoreIsLoggedOnceAtItsBeginAndEnd(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(time.Now())
	book, o, log := newBook(clock, slog.LevelInfo)
	var redisErr error
	pings := map[string]func(context.Context) error{
		"redis": func(context.Context) error { return redisErr },
		"sql":   func(context.Context) error { return nil },
	}
	redisErr = &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for range 100 {
		log.Warn("moving orders failed", "error", fmt.Errorf("lane 1: %w", redisErr))
		log.With("job", "audit").WithGroup("g").Error("job failed", "error", context.DeadlineExceeded)
		o.check(t.Context(), pings)
	}
	assert.Equal(t, 1, book.count("\n"), book.String())
	assert.Equal(t, 1, book.count(`level=WARN msg="a store is unavailable" store=redis error=`), book.String())

	redisErr = nil
	clock.Advance(12 * time.Second)
	for range 100 {
		o.check(t.Context(), pings)
		log.Warn("moving orders failed", "error", io.EOF) // connections of before
	}
	assert.Equal(t, 2, book.count("\n"), book.String())
	assert.Equal(t, 1, book.count(`level=INFO msg="a store is available again" store=redis after=12s`), book.String())
}

// A store that refuses the login refuses it at each call.
func TestARefusedLoginIsAnOutage(t *testing.T) {
	t.Parallel()
	for store, refused := range map[string]error{
		"sql":   &mysql.MySQLError{Number: 1045, Message: "Access denied"},
		"redis": fmt.Errorf("dial: %w", refusal("WRONGPASS invalid username-password pair")),
	} {
		clock := kit.NewClock(time.Now())
		book, o, log := newBook(clock, slog.LevelInfo)
		pings := map[string]func(context.Context) error{store: func(context.Context) error { return refused }}
		for range 100 {
			log.Warn("job failed", "job", "settle_stock", "error", fmt.Errorf("begin: %w", refused))
			o.check(t.Context(), pings)
		}
		assert.Equal(t, 1, book.count("\n"), book.String())
		assert.Contains(t, book.String(), `msg="a store is unavailable" store=`+store)
	}
}

// A full Redis takes a write now and then, when some memory was freed.
func TestAStoreThatTakesWritesNowAndThenIsLoggedOnce(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(time.Now())
	book, o, log := newBook(clock, slog.LevelInfo)
	full := &problem.NoWritesError{Reason: "memory full", Err: refusal("OOM command not allowed")}
	var err error
	check := func() {
		redis := func(context.Context) error { return err }
		o.check(t.Context(), map[string]func(context.Context) error{"redis": redis})
		log.Warn("job failed", "job", "flush_answer_counters", "error", fmt.Errorf("flush: %w", full.Err))
		clock.Advance(time.Second)
	}
	for i := range 80 {
		if err = nil; i%20 < 8 { // it takes writes for 12 s at a time
			err = full
		}
		check()
	}
	assert.Equal(t, 1, book.count("\n"), book.String())
	assert.Equal(t, 1, book.count(`msg="a store is unavailable" store=redis`), book.String())
	err = nil
	for range 31 {
		check()
	}
	assert.Equal(t, 1, book.count(`msg="a store is available again" store=redis`), book.String())
}

// The master of Redis was killed; its successor lacks replicas, and hangs soon after it had taken writes again.
func TestEachCauseOfAnOutageIsLogged(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(time.Now())
	book, o, _ := newBook(clock, slog.LevelInfo)
	check := func(err error, times int) {
		for range times {
			ping := func(context.Context) error { return err }
			o.check(t.Context(), map[string]func(context.Context) error{"redis": ping})
			clock.Advance(time.Second)
		}
	}
	gone := func(port int) error {
		return &net.OpError{Op: "dial", Source: &net.TCPAddr{Port: port}, Err: errors.New("connection refused")}
	}
	lacking := &problem.NoWritesError{Reason: "too few replicas", Err: errors.New("0 of 1")}
	for port := range 5 {
		check(gone(port), 1)
	}
	check(lacking, 10)
	check(nil, 14)
	check(fmt.Errorf("ping: %w", context.DeadlineExceeded), 10)
	check(lacking, 1)
	const another = `level=WARN msg="a store is unavailable for another cause" store=redis error=`
	assert.Equal(t, []string{
		`level=WARN msg="a store is unavailable" store=redis error="dial :0: connection refused"`,
		another + `"it takes no writes: too few replicas: 0 of 1"`,
		another + `"ping: context deadline exceeded"`,
		another + `"it takes no writes: too few replicas: 0 of 1"`,
	}, book.lines(), "a cause again after 30 s")

	before := len(book.lines())
	for range 30 {
		check(gone(1), 1)
		check(lacking, 1)
	}
	assert.LessOrEqual(t, len(book.lines())-before, 4, "a cause at most once in 30 s: %s", book)
	check(nil, 31)
	assert.Equal(t, 1, book.count(`msg="a store is available again" store=redis`), book.String())
}

func TestFailedCallIsLoggedWhenAllStoresAnswer(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock(time.Now())
	book, o, log := newBook(clock, slog.LevelInfo)
	fine := map[string]func(context.Context) error{"redis": func(context.Context) error { return nil }}
	for range 3 {
		log.Warn("job failed", "job", "audit", "error", driver.ErrBadConn)
		log.Warn("job failed", "job", "audit", "error", driver.ErrBadConn)
		o.check(t.Context(), fine)
	}
	assert.Equal(t, 3, book.count(`level=WARN msg="job failed" job=audit error="driver: bad connection"`),
		"one a check: %s", book)
}

func TestOtherWarningsAreNotSuppressed(t *testing.T) {
	t.Parallel()
	book, _, log := newBook(kit.NewClock(time.Now()), slog.LevelInfo)
	log.Warn("an activity drifts; repair it", "activity_id", "a")
	log.Warn("job failed", "error", errors.New("unexpected"))
	log.Warn("job failed", "error", &mysql.MySQLError{Number: 1644, Message: "no"})
	log.Info("stopping", "error", io.EOF)
	assert.Equal(t, 4, book.count("\n"), book.String())
}

func TestSuppressedLinesAreLoggedAtTheDebugLevel(t *testing.T) {
	t.Parallel()
	book, _, log := newBook(kit.NewClock(time.Now()), slog.LevelDebug)
	for range 5 {
		log.Warn("job failed", "error", io.ErrUnexpectedEOF)
	}
	assert.Equal(t, 5, book.count("level=DEBUG"), book.String())
}

func TestOneLostPingIsNoOutage(t *testing.T) {
	t.Parallel()
	book, o, _ := newBook(kit.NewClock(time.Now()), slog.LevelInfo)
	asked := 0
	o.check(t.Context(), map[string]func(context.Context) error{"sql": func(context.Context) error {
		if asked++; asked == 1 {
			return context.DeadlineExceeded
		}
		return nil
	}})
	assert.Empty(t, book.String())
	assert.Equal(t, 2, asked)
}
