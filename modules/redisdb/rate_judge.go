package redisdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"

	"onrush/modules/panics"
)

// RateJudge counts the requests of clients for all instances in Redis.
type RateJudge struct {
	limiter *redis_rate.Limiter
	key     func(client string) string
	// instances counts the running instances; 0 if that is not known.
	instances func() int
}

// NewRateJudge returns a RateJudge that counts the requests of a client under a key. instances counts the running
// instances, and is 0 if that is not known.
func NewRateJudge(rdb redis.UniversalClient, key func(client string) string, instances func() int) *RateJudge {
	return &RateJudge{limiter: redis_rate.NewLimiter(ownKeys{rdb}), key: key, instances: instances}
}

// ownKeys runs the scripts of redis_rate on the keys that are asked for: the library puts "rate:" before each, and a
// login that may use only the site's keys would be refused.
type ownKeys struct{ redis.UniversalClient }

const libraryPrefix = "rate:"

func (c ownKeys) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	return c.UniversalClient.EvalSha(ctx, sha, asAsked(keys), args...)
}

func (c ownKeys) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	return c.UniversalClient.Eval(ctx, script, asAsked(keys), args...)
}

func asAsked(keys []string) []string {
	own := make([]string, len(keys))
	for i, key := range keys {
		own[i] = strings.TrimPrefix(key, libraryPrefix)
	}
	return own
}

// Instances returns how many instances there are, or 0 if that is not known.
func (j *RateJudge) Instances() int { return j.instances() }

// Take counts up to n requests of a client that may send requests in each period, and returns how many of them
// are allowed now. If these are fewer than n, retry is the time until the next one is. An answer of another shape,
// which the library would panic at, is an error as if Redis were unavailable: Dragonfly answers numbers as doubles.
func (j *RateJudge) Take(
	ctx context.Context, client string, requests int, period time.Duration, n int,
) (allowed int, retry time.Duration, err error) {
	policy := redis_rate.Limit{Rate: requests, Burst: requests, Period: period}
	r, err := panics.RecoveredValue(func() (*redis_rate.Result, error) {
		return j.limiter.AllowAtMost(ctx, j.key(client), policy, n)
	})
	if panicked, ok := errors.AsType[*panics.Error](err); ok {
		return 0, 0, fmt.Errorf("count requests: redis answered otherwise than its script says: %v", panicked.Value)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("count requests: %w", err)
	}
	return r.Allowed, max(r.RetryAfter, 0), nil
}
