package faults

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
	"onrush/test/site"
)

// logBook is a log that a test reads.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// with returns the lines that have all of the words.
func (l *logBook) with(words ...string) (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		has := true
		for _, w := range words {
			has = has && strings.Contains(line, w)
		}
		if has {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestAnOutageOfAStoreIsOneLineWhenItBeginsAndOneWhenItEnds(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t, kit.Breakable())
	book := &logBook{}
	site.Start(t, stores, site.Log(slog.New(slog.NewTextHandler(book, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	for _, store := range []struct {
		name       string
		away, back func(testing.TB)
	}{{"redis", stores.RedisAway, stores.RedisBack}, {"sql", stores.SQLAway, stores.SQLBack}} {
		store.away(t)
		before := len(book.with("level=DEBUG", "failed"))
		waitFor(t, store.name+" is unavailable, and much fails for it", func() bool {
			return len(book.with(`msg="a store is unavailable" store=`+store.name)) > 0 &&
				len(book.with("level=DEBUG", "failed")) > before+5
		})
		store.back(t)
		waitFor(t, store.name+" is back", func() bool {
			return len(book.with(`msg="a store is available again" store=`+store.name)) > 0
		})
	}
	for _, store := range []string{"redis", "sql"} {
		assert.Len(t, book.with("level=WARN", `msg="a store is unavailable" store=`+store), 1)
		assert.Len(t, book.with("level=INFO", `msg="a store is available again" store=`+store), 1)
	}
	assert.Len(t, append(book.with("level=WARN"), book.with("level=ERROR")...), 2, "other warnings")
}
