package limit

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

// Judge counts requests for all instances, by GCRA.
type Judge interface {
	// Take takes up to n requests of a client under a policy and returns how many are allowed. If these
	// are fewer than n, retry is when the next one is.
	Take(
		ctx context.Context, client string, requests int, period time.Duration, n int,
	) (allowed int, retry time.Duration, err error)
}

// Limiter applies one policy to many clients. It is safe for concurrent use.
type Limiter struct {
	name    string
	policy  Policy
	detail  string
	judge   Judge // nil: the buckets decide alone
	now     func() time.Time
	log     *slog.Logger
	buckets *otter.Cache[string, *bucket]

	judgeFrom atomic.Int64 // the Judge failed: not asked before this time, in ms
	refused   atomic.Int64
}

const (
	// maxClients bounds the clients that are known at once, about 200 bytes each. The least used are
	// forgotten, that is, start with a full bucket.
	maxClients = 100_000
	// judgeWithin bounds a call of the Judge, which a request waits for.
	judgeWithin = 300 * time.Millisecond
	// judgePause is how long the Judge isn't asked after it failed.
	judgePause = time.Second
)

// NewLimiter returns a limiter; name is that of the policy, for the Judge's keys and the log. A judge of
// nil leaves the decision to this instance.
func NewLimiter(name string, p Policy, judge Judge, now func() time.Time, log *slog.Logger) *Limiter {
	return &Limiter{
		name: name, policy: p, detail: detailOf(p), judge: judge, now: now, log: log,
		buckets: otter.Must(&otter.Options[string, *bucket]{MaximumSize: maxClients}),
	}
}

// Name returns the name of the limiter.
func (l *Limiter) Name() string { return l.name }

// Policy returns the limiter's policy.
func (l *Limiter) Policy() Policy { return l.policy }

// Detail returns the policy as a sentence for clients.
func (l *Limiter) Detail() string { return l.detail }

// Refused returns how many requests were over the limit.
func (l *Limiter) Refused() int64 { return l.refused.Load() }

// Take takes one request of a client. It doesn't keep client.
func (l *Limiter) Take(ctx context.Context, client string) Result {
	b, ok := l.buckets.GetIfPresent(client)
	if !ok {
		b, _ = l.buckets.SetIfAbsent(string([]byte(client)), &bucket{})
	}
	now := l.now()
	r, report := b.take(l.policy, now)
	if r.Allowed && report > 0 && l.judge != nil && now.UnixMilli() >= l.judgeFrom.Load() {
		if wait := l.ask(ctx, client, report, now); wait > 0 {
			r = b.refuse(now, wait)
		}
	}
	if !r.Allowed {
		l.refused.Add(1)
	}
	return r
}

// ask reports n requests to the Judge and returns how long the client must wait; 0 if all are allowed, or
// if the Judge is unavailable.
func (l *Limiter) ask(ctx context.Context, client string, n int, now time.Time) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, judgeWithin)
	defer cancel()
	allowed, retry, err := l.judge.Take(ctx, l.name+":"+client, l.policy.Requests, l.policy.Period, n)
	if err != nil {
		if l.judgeFrom.Swap(now.Add(judgePause).UnixMilli()) == 0 {
			l.log.WarnContext(ctx, "rate limits are counted by each instance alone while Redis is unavailable",
				"limit", l.name, "err", err)
		}
		return 0
	}
	l.judgeFrom.Store(0)
	if allowed >= n {
		return 0
	}
	return min(max(retry, l.policy.interval()), l.policy.Period)
}
