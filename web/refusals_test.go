package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
)

func TestRefusalsAreSummedUpInOneLinePerCode(t *testing.T) {
	t.Parallel()
	log := &logged{}
	app := newTestApp(t, Config{}, log.logger(slog.LevelInfo))
	app.Get("/things/:id", func(*fiber.Ctx) error {
		return problem.Errorf(codeSoldOut, "None of %s is left.", "secret")
	})
	app.Get("/store", func(*fiber.Ctx) error { return problem.Unavailable(errors.New("deadlock"), "Not now.") })
	const asked = 300
	for range asked {
		askApp(t, app, "GET", "/things/secret", "")
		askApp(t, app, "GET", "/store", "")
	}
	counted := func(code string) (count, lines int) {
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, `msg="requests refused" code=`+code+" ") {
				_, n, _ := strings.Cut(strings.TrimSpace(line), "count=")
				more, err := strconv.Atoi(n)
				require.NoError(t, err)
				count, lines = count+more, lines+1
			}
		}
		return count, lines
	}
	require.Eventually(t, func() bool {
		n, _ := counted("sold_out")
		m, _ := counted("unavailable")
		return n == asked && m == asked
	}, 30*time.Second, 5*time.Millisecond, log.String())
	assert.NotContains(t, log.String(), "secret")
	causes := strings.Count(log.String(), "deadlock")
	_, summaries := counted("unavailable")
	assert.LessOrEqual(t, causes, summaries, "a cause is logged once between two summaries")
	assert.Positive(t, causes)
}

func TestSummaryCountsWhatCameSinceTheLast(t *testing.T) {
	t.Parallel()
	log := &logged{}
	told := make(chan string, 3)
	stop, end := context.WithCancel(t.Context())
	r := newRefusals(stop, log.logger(slog.LevelInfo), func(code string, requests int) {
		told <- fmt.Sprint(code, " ", requests)
	})
	never := time.AfterFunc(time.Hour, t.Fail)
	r.summary = never // the test sums up itself
	sold := problem.Errorf(codeSoldOut, "None is left.")
	assert.True(t, r.add(sold))
	assert.False(t, r.add(sold))
	assert.True(t, r.add(problem.NotFound("thing")))
	r.sum()
	assert.Contains(t, log.String(), `msg="requests refused" code=sold_out status=409 count=2`)
	assert.Contains(t, log.String(), `msg="requests refused" code=not_found status=404 count=1`)
	r.summary = never
	assert.True(t, r.add(sold))
	end()
	assert.ElementsMatch(t, []string{"sold_out 2", "not_found 1", "sold_out 1"}, []string{<-told, <-told, <-told},
		"the end of the server doesn't wait")
	assert.Contains(t, log.String(), `code=sold_out status=409 count=1`)
	r.add(sold)
	assert.Nil(t, r.summary, "nothing is left after the end")
	assert.Equal(t, 3, strings.Count(log.String(), "\n"))
}
