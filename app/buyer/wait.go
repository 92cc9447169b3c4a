package buyer

import (
	"context"
	"time"

	"onrush/modules/loop"
	"onrush/modules/problem"
	"onrush/web"
)

const (
	// maxTries bounds how often a buyer sends a request that failed.
	maxTries = 8
	// minWait and maxWait bound one wait.
	minWait, maxWait = 50 * time.Millisecond, 10 * time.Second
)

// Insist sends a request until the answer is not one that passes. The key, if any, is the same each time.
func (b *Buyer) Insist(ctx context.Context, name, method, url, key string, body any) (a Answer) {
	for range maxTries {
		a = b.Call(ctx, name, method, url, key, body)
		if !Passes(a.Code) || !b.Wait(ctx, a) {
			break
		}
	}
	return a
}

// Passes reports whether the same request may succeed later, whatever it asks for.
func Passes(code string) bool {
	switch code {
	case problem.CodeRateLimited.Name, problem.CodeOverloaded.Name, problem.CodeUnavailable.Name,
		problem.CodeInternal.Name, web.CodeRequestTimeout.Name, NoAnswer:
		return true
	}
	return false
}

// Wait waits as long as an answer says, and up to a quarter longer, so that a crowd does not come back at once. It
// reports whether the buyer still wants to buy.
func (b *Buyer) Wait(ctx context.Context, a Answer) bool {
	if a.Code == "" {
		return false
	}
	d := min(max(time.Duration(a.RefreshAfterMS)*time.Millisecond, minWait), maxWait)
	return loop.Wait(ctx, d+time.Duration(b.Random()%uint64(d/4))) == nil //nolint:gosec // within the bounds
}
