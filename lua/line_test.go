package lua

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Starts of sales: one that has begun, one that has not.
const (
	begun    = 1_000_000_000_000
	notBegun = saleEnd - 1
)

type joined struct {
	Code     LineCode
	Position int64
}

// joinOf lets a user join on every store and requires that all answer the same.
func joinOf(t tb, all stores, c LineCall) joined {
	t.Helper()
	c.Lane, c.Activity, c.KeepMS = lane, activity, saleEnd
	if c.Most == 0 {
		c.Most = 1000
	}
	got, err := same(t, all, func(s *Scripts) (joined, error) {
		code, position, nowMS, err := s.JoinLine(t.Context(), c)
		assert.Positive(t, nowMS)
		return joined{code, position}, err
	})
	require.NoError(t, err)
	return got
}

func rankOf(t tb, all stores, user string) any {
	t.Helper()
	got, err := same(t, all, func(s *Scripts) (any, error) {
		code, position, err := s.PositionInLine(t.Context(), lane, activity, user, begun)
		if code == LineNone {
			return "none", err
		}
		return position, err
	})
	require.NoError(t, err)
	return got
}

func TestThoseWhoComeBeforeTheStartAreOrderedByTheirScoresAndTheOthersStandBehindThem(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	for user, score := range map[string]int64{"ann": 1<<52 - 1, "bob": 1<<52 - 2, "cid": 7} {
		for range 2 {
			assert.Equal(t, joined{Code: LineEarly}, joinOf(t, all, LineCall{
				User: user, Score: score, StartsMS: notBegun,
			}))
		}
	}
	for user, want := range map[string]int64{"cid": 0, "bob": 1, "ann": 2} {
		assert.Equal(t, joined{LinePosition, want}, joinOf(t, all, LineCall{User: user, StartsMS: begun}))
		assert.Equal(t, want, rankOf(t, all, user))
	}
	assert.Equal(t, joined{LinePosition, 3}, joinOf(t, all, LineCall{User: "dän x", StartsMS: begun}))
	assert.Equal(t, joined{LinePosition, 4}, joinOf(t, all, LineCall{User: "eve:1", StartsMS: begun}))
	assert.Equal(t, joined{LinePosition, 3}, joinOf(t, all, LineCall{User: "dän x", StartsMS: begun}), "the same again")
	assert.Equal(t, "none", rankOf(t, all, "eve:1"))
	assert.Equal(t, joined{LinePosition, 3_000_000_000}, joinOf(t, all,
		LineCall{User: "fay", StartsMS: begun, First: 3_000_000_000}), "no line: admitted at once")
	assert.Equal(t, joined{LinePosition, 3_000_000_001}, joinOf(t, all, LineCall{User: "gil", StartsMS: begun}))
}

func TestAnExpiredPlaceIsReplacedByOneAtTheEnd(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	joinOf(t, all, LineCall{User: "ann", StartsMS: notBegun})
	for i, user := range []string{"bob", "cid", "dan"} {
		assert.Equal(t, joined{LinePosition, int64(1 + i)}, joinOf(t, all, LineCall{User: user, StartsMS: begun}))
	}
	assert.Equal(t, joined{LinePosition, 4}, joinOf(t, all, LineCall{User: "bob", StartsMS: begun, Expired: 2}), "late")
	assert.Equal(t, joined{LinePosition, 5}, joinOf(t, all, LineCall{User: "ann", StartsMS: begun, Expired: 2}),
		"early")
	assert.Equal(t, joined{LinePosition, 2}, joinOf(t, all, LineCall{User: "cid", StartsMS: begun, Expired: 2}))
	assert.Equal(t, joined{LinePosition, 9}, joinOf(t, all, LineCall{
		User: "cid", StartsMS: begun, Expired: 9, First: 9,
	}))
	assert.EqualValues(t, 0, rankOf(t, all, "ann"), "the others keep their positions")
}

func TestALineIsBoundedAndExpiredPlacesMakeRoom(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	early, late := LineCall{StartsMS: notBegun, Most: 2}, LineCall{StartsMS: begun, Most: 2}
	by := func(c LineCall, user string, expired int64) joined {
		c.User, c.Expired = user, expired
		return joinOf(t, all, c)
	}
	by(early, "ann", 0)
	by(early, "bob", 0)
	assert.Equal(t, joined{Code: LineFull}, by(early, "cid", 0))
	assert.Equal(t, joined{Code: LineEarly}, by(early, "bob", 0), "who is in stays in")
	by(late, "dan", 0)
	by(late, "eve", 0)
	assert.Equal(t, joined{Code: LineFull}, by(late, "fay", 0))
	assert.Equal(t, joined{LinePosition, 3}, by(late, "eve", 0), "who is in stays in")
	assert.Equal(t, joined{LinePosition, 4}, by(late, "fay", 3), "dan's place has expired")
	count, err := sameOutcome(t, all, func(s *Scripts) (int64, error) {
		return s.Redis.ZCard(t.Context(), s.Keys.LineLate(lane, activity)).Result()
	})
	require.NoError(t, err)
	assert.EqualValues(t, 2, count)
}

func TestALineExpiresInRedis(t *testing.T) {
	t.Parallel()
	for _, s := range newStores(t) {
		joinOf(t, stores{s}, LineCall{User: "ann", StartsMS: notBegun})
		joinOf(t, stores{s}, LineCall{User: "bob", StartsMS: begun})
		for _, key := range []string{s.Keys.LineEarly(lane, activity), s.Keys.LineLate(lane, activity)} {
			ttl, err := s.Redis.PTTL(t.Context(), key).Result()
			require.NoError(t, err)
			assert.InDelta(t, time.Until(time.UnixMilli(saleEnd)).Seconds(), ttl.Seconds(), 60, key)
		}
	}
}

func BenchmarkJoinLine(b *testing.B) {
	if realRedis == nil {
		b.Skip("redis-server is not on the PATH")
	}
	for name, starts := range map[string]int64{"early": notBegun, "late": begun} {
		b.Run(name, func(b *testing.B) {
			s := New(realRedis, Keys{Prefix: "line-bench-" + name})
			before, cpu := usedMemory(b, s), serverSeconds(b, s)
			for i := range b.N {
				_, _, _, err := s.JoinLine(b.Context(), LineCall{
					Lane: lane, Activity: activity, User: fmt.Sprintf("user-%08d", i),
					Score: int64(i) * 7919 % (1 << 52), StartsMS: starts, Most: 1e6, KeepMS: saleEnd,
				})
				require.NoError(b, err)
			}
			b.ReportMetric((usedMemory(b, s)-before)/float64(b.N), "redis-B/place")
			b.ReportMetric((serverSeconds(b, s)-cpu)*1e6/float64(b.N), "redis-µs/place")
			require.NoError(b, s.Redis.Del(context.WithoutCancel(b.Context()), s.Keys.LineEarly(lane, activity),
				s.Keys.LineLate(lane, activity)).Err())
		})
	}
}

func usedMemory(b *testing.B, s *Scripts) (bytes float64) {
	b.Helper()
	info, err := s.Redis.(*redis.Client).InfoMap(b.Context(), "memory").Result()
	require.NoError(b, err)
	_, err = fmt.Sscan(info["Memory"]["used_memory"], &bytes)
	require.NoError(b, err)
	return bytes
}

// Instances know of a moved start at different times; Redis has one start, and decides by it.
func TestNoPlaceIsEarlyAfterTheStartThatRedisKnows(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	startsAt := func(startsMS int64) {
		all.each(t, func(s *Scripts) error {
			return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), "starts_ms", startsMS).Err()
		})
	}
	startsAt(notBegun)
	assert.Equal(t, joined{Code: LineEarly}, joinOf(t, all, LineCall{User: "ann", Score: 9, StartsMS: begun}),
		"an instance that knows a start of now before Redis has it")
	code, err := sameOutcome(t, all, func(s *Scripts) (LineCode, error) {
		code, _, err := s.PositionInLine(t.Context(), lane, activity, "ann", begun)
		return code, err
	})
	require.NoError(t, err)
	assert.Equal(t, LineEarly, code, "users with a lower score may still come")
	startsAt(begun)
	assert.Equal(t, joined{LinePosition, 1}, joinOf(t, all, LineCall{User: "bob", Score: 1, StartsMS: notBegun}),
		"an instance that doesn't know yet that the start was moved to now")
	assert.EqualValues(t, 0, rankOf(t, all, "ann"))
	assert.Equal(t, joined{LinePosition, 0}, joinOf(t, all, LineCall{User: "ann", StartsMS: notBegun}))
}

func TestALineIsKeptAsLongAsItsSaleThatWasMoved(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60 * 1000
	all := newStores(t)
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), "state", "open", "version", 1,
			"starts_ms", notBegun, "ends_ms", saleEnd).Err()
	})
	joinOf(t, all, LineCall{User: "ann", StartsMS: notBegun})
	all.each(t, func(s *Scripts) error { // a place of after the start, which expires as the early ones do
		line := s.Keys.LineLate(lane, activity)
		if err := s.Redis.ZAdd(t.Context(), line, redis.Z{Member: "cid", Score: 7}).Err(); err != nil {
			return err
		}
		early, err := s.Redis.PTTL(t.Context(), s.Keys.LineEarly(lane, activity)).Result()
		if err != nil {
			return err
		}
		return s.Redis.PExpire(t.Context(), line, early).Err()
	})
	kept := func() time.Duration {
		var shortest time.Duration
		all.each(t, func(s *Scripts) error {
			for _, line := range []string{s.Keys.LineEarly(lane, activity), s.Keys.LineLate(lane, activity)} {
				ttl, err := s.Redis.PTTL(t.Context(), line).Result()
				if err != nil {
					return err
				}
				if shortest == 0 || ttl < shortest {
					shortest = ttl
				}
			}
			return nil
		})
		return shortest
	}
	before := kept()
	moved, err := same(t, all, func(s *Scripts) (bool, error) {
		return s.ChangeActivity(t.Context(), lane, activity, 2, map[string]string{"ends_ms": fmt.Sprint(saleEnd + day)})
	})
	require.NoError(t, err)
	require.True(t, moved)
	assert.InDelta(t, (before + 24*time.Hour).Seconds(), kept().Seconds(), 60)
	joinOf(t, all, LineCall{User: "bob", StartsMS: notBegun}) // at an instance that knows only the end before
	assert.InDelta(t, (before + 24*time.Hour).Seconds(), kept().Seconds(), 60)
}

// The start is moved to later, but Redis has that only after the start before: positions have been given, and stay.
func TestAStartMovedToLaterAfterItPassedGivesNoPositionTwice(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), "state", "open", "version", 1,
			"starts_ms", notBegun, "ends_ms", saleEnd).Err()
	})
	version := int64(1)
	startsAt := func(startsMS int64) {
		version++
		moved, err := same(t, all, func(s *Scripts) (bool, error) {
			return s.ChangeActivity(t.Context(), lane, activity, version,
				map[string]string{"starts_ms": fmt.Sprint(startsMS)})
		})
		require.NoError(t, err)
		require.True(t, moved)
	}
	join := func(user string, score int64) joined {
		return joinOf(t, all, LineCall{User: user, Score: score, StartsMS: notBegun})
	}
	startsAt(begun)
	startsAt(notBegun)
	assert.Equal(t, joined{Code: LineEarly}, join("ann", 8), "nobody was in the line when it began")
	assert.Equal(t, joined{Code: LineEarly}, join("bob", 9))
	startsAt(begun)
	assert.Equal(t, joined{LinePosition, 2}, join("cid", 5))
	assert.EqualValues(t, 0, rankOf(t, all, "ann"))
	for range 2 {
		startsAt(notBegun)
		given := map[joined]string{}
		for score, user := range []string{"ann", "bob", "cid", "dee", "eve"} {
			at := join(user, int64(score))
			assert.Equal(t, LinePosition, at.Code, user)
			assert.Empty(t, given[at], "%v of %s", at, user)
			given[at] = user
		}
		assert.Equal(t, "ann", given[joined{LinePosition, 0}], "as ann knows it")
		assert.Equal(t, "cid", given[joined{LinePosition, 2}])
		assert.EqualValues(t, 1, rankOf(t, all, "bob"), "who asks later gets what others don't have")
		startsAt(begun)
		assert.EqualValues(t, 0, rankOf(t, all, "ann"))
	}
}
