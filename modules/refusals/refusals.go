// Package refusals logs refusals with their reasons, for example of tokens and of payments that a gateway refused,
// without flooding the log.
package refusals

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// every is how often a refusal is logged.
	every = time.Minute
	// maxReasons bounds the reasons of each kind that are logged in that time: strangers may send anything.
	maxReasons = 10
)

// maxReason bounds a reason in the log, in bytes.
const maxReason = 300

// Log logs each kind and reason at most once a minute, with the number of refusals of the kind that were not logged
// since its last line. It is safe for concurrent use.
type Log struct {
	now   func() time.Time
	log   *slog.Logger
	level slog.Level

	mu    sync.Mutex
	kinds map[string]*kindLog
}

type kindLog struct {
	began   time.Time // of the minute
	reasons map[string]bool
	omitted int
}

// New returns a Log of warnings.
func New(now func() time.Time, log *slog.Logger) *Log { return NewAt(slog.LevelWarn, now, log) }

// NewAt returns a Log of lines of a level.
func NewAt(level slog.Level, now func() time.Time, log *slog.Logger) *Log {
	return &Log{now: now, log: log, level: level, kinds: map[string]*kindLog{}}
}

// Report logs that something was refused, with the name and value of its kind. The number of kinds must be bounded.
// Neither the text of cause nor the details, which only the line that is logged has, may hold a secret.
func (r *Log) Report(ctx context.Context, what, name, kind string, cause error, details ...slog.Attr) {
	reason := cause.Error()
	if omitted, first := r.add(kind, what+": "+reason); first {
		reason = strings.ToValidUTF8(reason[:min(len(reason), maxReason)], "")
		r.log.LogAttrs(ctx, r.level, "refused", append([]slog.Attr{
			slog.String("what", what), slog.String(name, kind), slog.String("reason", reason),
			slog.Int("omitted", omitted),
		}, details...)...)
	}
}

func (r *Log) add(kind, reason string) (omitted int, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.kinds[kind]
	if c == nil {
		c = &kindLog{}
		r.kinds[kind] = c
	}
	if now := r.now(); now.Sub(c.began) >= every {
		c.began, c.reasons = now, map[string]bool{}
	}
	if c.reasons[reason] || len(c.reasons) >= maxReasons {
		c.omitted++
		return 0, false
	}
	c.reasons[reason] = true
	omitted, c.omitted = c.omitted, 0
	return omitted, true
}
