package seckill

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/clock"
)

// shownOnce is a route that sends what answer returns, and the cache behind it.
type shownOnce struct {
	*encodedAnswers

	app     *fiber.App
	now     time.Time
	changed atomic.Int64
	made    int
	err     error
}

func newShownOnce() *shownOnce {
	s := &shownOnce{app: fiber.New(), now: time.Date(2026, 11, 11, 20, 0, 0, 0, time.UTC)}
	s.encodedAnswers = newEncodedAnswers(clock.Fixed(func() time.Time { return s.now }), &s.changed)
	s.app.Get("/:id", func(c *fiber.Ctx) error {
		return s.send(c, listing{activity: strings.Clone(c.Params("id"))}, func(context.Context) (any, error) {
			s.made++
			return map[string]int{"made": s.made}, s.err
		})
	})
	return s
}

func (s *shownOnce) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	res, err := s.app.Test(httptest.NewRequest(http.MethodGet, path, http.NoBody))
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	if res.StatusCode == http.StatusOK {
		assert.Equal(t, fiber.MIMEApplicationJSON, res.Header.Get(fiber.HeaderContentType))
	}
	return res.StatusCode, string(data)
}

func TestAnAnswerIsEncodedOncePerTwentyMillisecondsAndAfterEachChange(t *testing.T) {
	t.Parallel()
	s := newShownOnce()
	made := func(want, path string) {
		t.Helper()
		status, body := s.get(t, path)
		assert.Equal(t, http.StatusOK, status)
		assert.JSONEq(t, want, body)
	}
	made(`{"made":1}`, "/a")
	made(`{"made":1}`, "/a")
	made(`{"made":2}`, "/b")
	s.now = s.now.Add(19 * time.Millisecond)
	made(`{"made":1}`, "/a")
	s.now = s.now.Add(time.Millisecond)
	made(`{"made":3}`, "/a")
	s.changed.Add(1)
	made(`{"made":4}`, "/a")
	s.now = s.now.Add(-time.Hour)
	made(`{"made":5}`, "/a")
	s.now = s.now.Add(time.Second)
	s.err = errors.New("the store is gone")
	for range 2 {
		status, _ := s.get(t, "/a")
		assert.Equal(t, http.StatusInternalServerError, status)
	}
	s.err = nil
	made(`{"made":8}`, "/a")
}

// An answer may wait for Redis. If each request made its own meanwhile, a crowd would encode it thousands of times.
func TestRequestsThatComeWhileAnAnswerIsMadeShareIt(t *testing.T) {
	t.Parallel()
	const requests = 20
	var changes, made atomic.Int64
	e := newEncodedAnswers(clock.Fixed(time.Now), &changes)
	begun, open := make(chan struct{}, requests), make(chan struct{})
	app := fiber.New()
	app.Get("/", func(c *fiber.Ctx) error {
		begun <- struct{}{}
		return e.send(c, listing{}, func(context.Context) (any, error) {
			<-open
			return made.Add(1), nil
		})
	})
	var all sync.WaitGroup
	for range requests {
		all.Go(func() {
			res, err := app.Test(httptest.NewRequest(http.MethodGet, "/", http.NoBody), -1)
			if assert.NoError(t, err) {
				_ = res.Body.Close()
			}
		})
	}
	for range requests {
		<-begun
	}
	close(open)
	all.Wait()
	assert.Less(t, made.Load(), int64(requests/2))
}

func TestAnswersOfAnyNumberOfPagesTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	s := newShownOnce()
	for page := range 100_000 {
		s.kept.Set(listing{page: api.Page{Page: page, Size: 20}}, &encodedAnswer{body: make([]byte, 65)})
	}
	assert.LessOrEqual(t, s.kept.Len(), maxEncoded/(overhead+65))
	assert.Greater(t, s.kept.Len(), maxEncoded/(overhead+65)/3)
}
