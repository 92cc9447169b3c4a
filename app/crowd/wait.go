package crowd

import (
	"context"
	"time"

	"onrush/modules/problem"
	"onrush/web"
)

// insist sends a request until the answer is not one that passes. The key, if any, is the same each time.
func (b *buyer) insist(ctx context.Context, name, method, url, key string, body any) (a answer) {
	for range maxTries {
		a = b.call(ctx, name, method, url, key, body)
		if !passes(a.Code) || !b.wait(ctx, a) {
			break
		}
	}
	return a
}

// passes reports whether the same request may succeed later, whatever it asks for.
func passes(code string) bool {
	switch code {
	case problem.CodeRateLimited.Name, problem.CodeOverloaded.Name, problem.CodeUnavailable.Name,
		problem.CodeInternal.Name, web.CodeRequestTimeout.Name:
		return true
	}
	return false
}

// wait waits as long as an answer says, and up to a quarter longer, so that a crowd does not come back at once. It
// reports whether the buyer still wants to buy.
func (b *buyer) wait(ctx context.Context, a answer) bool {
	if a.Code == "" {
		return false
	}
	d := min(max(time.Duration(a.RefreshAfterMS)*time.Millisecond, minWait), maxWait)
	return pause(ctx, d+time.Duration(b.d.Random()%uint64(d/4))) //nolint:gosec // within the bounds
}
