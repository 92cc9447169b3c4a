package limit

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"onrush/modules/bounded"
)

// Judge counts requests for all instances, by GCRA.
type Judge interface {
	// Take takes up to n requests of a client under a policy and returns how many are allowed. If these
	// are fewer than n, retry is when the next one is.
	Take(
		ctx context.Context, client string, requests int, period time.Duration, n int,
	) (allowed int, retry time.Duration, err error)
	// Instances is how many instances there are, or 0 if that is not known.
	Instances() int
}

// Limiter applies one policy to many clients. It is safe for concurrent use.
type Limiter struct {
	name    string
	policy  Policy
	detail  string
	judge   Judge // nil: the buckets decide alone
	now     func() time.Time
	log     *slog.Logger
	buckets *bounded.Map[string, *bucket]

	judgeFrom atomic.Int64 // the Judge failed: not asked before this time, in ms
	refused   atomic.Int64
}

const (
	// maxClients bounds the clients that are known at once, about 200 bytes each. At least half as many, about, are
	// always known: the clients whose requests came last. Other clients are forgotten and start with a full bucket
	// again.
	maxClients = 200_000
	// judgeWithin bounds a call of the Judge, which a request waits for.
	judgeWithin = 300 * time.Millisecond
	// judgePause is how long the Judge isn't asked after it failed.
	judgePause = time.Second
)

// NewLimiter returns a limiter. name is the name of the policy, for the Judge's keys and the log. If judge is
// nil, this instance decides.
func NewLimiter(name string, p Policy, judge Judge, now func() time.Time, log *slog.Logger) *Limiter {
	return &Limiter{
		name: name, policy: p, detail: detailOf(p), judge: judge, now: now, log: log,
		buckets: bounded.New[string, *bucket](maxClients),
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
	return l.TakeUnder(ctx, l.policy, client)
}

// TakeUnder is Take with another policy than the limiter's, which must not be none. A client should always
// have the same policy: its requests so far count under every policy.
func (l *Limiter) TakeUnder(ctx context.Context, p Policy, client string) Result {
	b := l.bucket(client)
	r, report, now := l.take(ctx, b, p)
	if report > 0 {
		defer b.answered()
		if allowed, wait := l.ask(ctx, p, client, report, now); allowed < report {
			r = b.refuse(p, now, wait, report-1-allowed)
		}
	}
	if !r.Allowed {
		l.refused.Add(1)
	}
	return r
}

// take takes one request from a bucket, and returns how many the Judge must be told of. While the Judge is asked about
// the client it may wait, at most judgeWithin; after that the bucket decides alone.
func (l *Limiter) take(ctx context.Context, b *bucket, p Policy) (r Result, report int, now time.Time) {
	now = l.now()
	r, report, wait := b.take(p, l.instances(now), now)
	if wait == nil {
		return r, report, now
	}
	ctx, cancel := context.WithTimeout(ctx, judgeWithin)
	defer cancel()
	for wait != nil {
		late := false
		select {
		case <-wait:
		case <-ctx.Done():
			late = true
		}
		now = l.now()
		instances := l.instances(now)
		if late {
			instances = notAsked
		}
		r, report, wait = b.take(p, instances, now)
	}
	return r, report, now
}

func (l *Limiter) bucket(client string) *bucket {
	if b, found := l.buckets.Get(client); found {
		return b
	}
	return l.buckets.GetOrMake(strings.Clone(client), func() *bucket { return &bucket{} })
}

// instances returns how many instances there are, 0 if that is not known, or notAsked if there is no Judge, or it
// failed a moment ago.
func (l *Limiter) instances(now time.Time) int {
	if l.judge == nil || now.UnixMilli() < l.judgeFrom.Load() {
		return notAsked
	}
	return l.judge.Instances()
}

// ask reports n requests to the Judge and returns how many are allowed: all, if the Judge is unavailable. If
// they are fewer than n, the client must wait.
func (l *Limiter) ask(
	ctx context.Context, p Policy, client string, n int, now time.Time,
) (allowed int, wait time.Duration) {
	asking, cancel := context.WithTimeout(ctx, judgeWithin)
	defer cancel()
	// With another period the Judge would count what it knows of in other intervals.
	allowed, wait, err := l.judge.Take(asking, l.name+":"+p.Period.String()+":"+client, p.Requests, p.Period, n)
	if err != nil {
		if ctx.Err() != nil {
			return n, 0 // the request ended, which says nothing of the Judge
		}
		if l.judgeFrom.Swap(now.Add(judgePause).UnixMilli()) == 0 {
			l.log.WarnContext(ctx, "rate limits are counted by each instance alone while Redis is unavailable",
				"limit", l.name, "error", err)
		}
		return n, 0
	}
	l.judgeFrom.Store(0)
	return allowed, min(max(wait, p.interval()), p.Period)
}
