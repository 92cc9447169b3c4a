package pay

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// refusalsEvery is how often a refusal is logged.
	refusalsEvery = time.Minute
	// refusalReasons bounds the reasons per channel that are logged in that time: strangers may send anything to a
	// webhook.
	refusalReasons = 10
)

// refusals logs what gateways refuse and which notifications are refused: each channel and reason at most once a
// minute, with the number of refusals of the channel that were not logged since its last line.
type refusals struct {
	now func() time.Time
	log *slog.Logger

	mu       sync.Mutex
	channels map[string]*refusedChannel
}

type refusedChannel struct {
	began   time.Time // of the minute
	reasons map[string]bool
	omitted int
}

func newRefusals(now func() time.Time, log *slog.Logger) *refusals {
	return &refusals{now: now, log: log, channels: map[string]*refusedChannel{}}
}

// report logs that something was refused. The number of channels must be bounded. The text of cause must not hold a
// secret.
func (r *refusals) report(ctx context.Context, what, channel string, cause error) {
	if omitted, first := r.add(channel, what+": "+cause.Error()); first {
		r.log.WarnContext(ctx, "refused", "what", what, "channel", channel, "reason", shorten(cause.Error()),
			"omitted", omitted)
	}
}

func (r *refusals) add(channel, reason string) (omitted int, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.channels[channel]
	if c == nil {
		c = &refusedChannel{}
		r.channels[channel] = c
	}
	if now := r.now(); now.Sub(c.began) >= refusalsEvery {
		c.began, c.reasons = now, map[string]bool{}
	}
	if c.reasons[reason] || len(c.reasons) >= refusalReasons {
		c.omitted++
		return 0, false
	}
	c.reasons[reason] = true
	omitted, c.omitted = c.omitted, 0
	return omitted, true
}
