// Package refusals logs what gateways refuse, and which of their notifications are refused, without flooding the log.
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
	// maxReasons bounds the reasons per channel that are logged in that time: strangers may send anything to a
	// webhook.
	maxReasons = 10
)

// maxReason bounds a reason in the log, in bytes.
const maxReason = 300

// Log logs each channel and reason at most once a minute, with the number of refusals of the channel that were not
// logged since its last line. It is safe for concurrent use.
type Log struct {
	now func() time.Time
	log *slog.Logger

	mu       sync.Mutex
	channels map[string]*channelLog
}

type channelLog struct {
	began   time.Time // of the minute
	reasons map[string]bool
	omitted int
}

// New returns a Log.
func New(now func() time.Time, log *slog.Logger) *Log {
	return &Log{now: now, log: log, channels: map[string]*channelLog{}}
}

// Report logs that something was refused. The number of channels must be bounded. The text of cause must not hold a
// secret.
func (r *Log) Report(ctx context.Context, what, channel string, cause error) {
	reason := cause.Error()
	if omitted, first := r.add(channel, what+": "+reason); first {
		reason = strings.ToValidUTF8(reason[:min(len(reason), maxReason)], "")
		r.log.WarnContext(ctx, "refused", "what", what, "channel", channel, "reason", reason,
			"omitted", omitted)
	}
}

func (r *Log) add(channel, reason string) (omitted int, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.channels[channel]
	if c == nil {
		c = &channelLog{}
		r.channels[channel] = c
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
