package lua

import (
	"cmp"
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

// joined is a place, and join a call for one user.
type (
	joined = LinePlace
	join   struct {
		User           string
		Score          int64
		StartsMS       int64
		First, Expired int64
		Most           int64
	}
)

// joinOf lets a user join on every store and requires that all answer the same.
func joinOf(t tb, all stores, j join) joined {
	t.Helper()
	return joinAll(t, all, j, LineUser{j.User, j.Score})[0]
}

// joinAll is joinOf for several users, with the settings of j.
func joinAll(t tb, all stores, j join, users ...LineUser) []joined {
	t.Helper()
	c := LineCall{
		Lane: lane, Activity: activity, Users: users, StartsMS: j.StartsMS, First: j.First, Expired: j.Expired,
		Most: cmp.Or(j.Most, 1000), KeepMS: saleEnd,
	}
	got, err := same(t, all, func(s *Scripts) ([]joined, error) {
		places, nowMS, err := s.JoinLine(t.Context(), &c)
		assert.Positive(t, nowMS)
		return places, err
	})
	require.NoError(t, err)
	return got
}

func rankOf(t tb, all stores, user string) any {
	t.Helper()
	got, err := same(t, all, func(s *Scripts) (any, error) {
		places, err := s.LinePositions(t.Context(), lane, activity, []string{user}, begun)
		if err != nil || places[0].Code == LineNone {
			return "none", err
		}
		return places[0].Position, nil
	})
	require.NoError(t, err)
	return got
}

func TestThoseWhoComeBeforeTheStartAreOrderedByTheirScoresAndTheOthersStandBehindThem(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	for user, score := range map[string]int64{"ann": 1<<52 - 1, "bob": 1<<52 - 2, "cid": 7} {
		for range 2 {
			assert.Equal(t, joined{Code: LineEarly}, joinOf(t, all, join{
				User: user, Score: score, StartsMS: notBegun,
			}))
		}
	}
	for user, want := range map[string]int64{"cid": 0, "bob": 1, "ann": 2} {
		assert.Equal(t, joined{LinePosition, want}, joinOf(t, all, join{User: user, StartsMS: begun}))
		assert.Equal(t, want, rankOf(t, all, user))
	}
	assert.Equal(t, joined{LinePosition, 3}, joinOf(t, all, join{User: "dän x", StartsMS: begun}))
	assert.Equal(t, joined{LinePosition, 4}, joinOf(t, all, join{User: "eve:1", StartsMS: begun}))
	assert.Equal(t, joined{LinePosition, 3}, joinOf(t, all, join{User: "dän x", StartsMS: begun}), "the same again")
	assert.Equal(t, "none", rankOf(t, all, "eve:1"))
	assert.Equal(t, joined{LinePosition, 3_000_000_000}, joinOf(t, all,
		join{User: "fay", StartsMS: begun, First: 3_000_000_000}), "no line: admitted at once")
	assert.Equal(t, joined{LinePosition, 3_000_000_001}, joinOf(t, all, join{User: "gil", StartsMS: begun}))
}

func TestAnExpiredPlaceIsReplacedByOneAtTheEnd(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	joinOf(t, all, join{User: "ann", StartsMS: notBegun})
	for i, user := range []string{"bob", "cid", "dan"} {
		assert.Equal(t, joined{LinePosition, int64(1 + i)}, joinOf(t, all, join{User: user, StartsMS: begun}))
	}
	assert.Equal(t, joined{LinePosition, 4}, joinOf(t, all, join{User: "bob", StartsMS: begun, Expired: 2}), "late")
	assert.Equal(t, joined{LinePosition, 5}, joinOf(t, all, join{User: "ann", StartsMS: begun, Expired: 2}),
		"early")
	assert.Equal(t, joined{LinePosition, 2}, joinOf(t, all, join{User: "cid", StartsMS: begun, Expired: 2}))
	assert.Equal(t, joined{LinePosition, 9}, joinOf(t, all, join{
		User: "cid", StartsMS: begun, Expired: 9, First: 9,
	}))
	assert.EqualValues(t, 0, rankOf(t, all, "ann"), "the others keep their positions")
}

func TestALineIsBoundedAndExpiredPlacesMakeRoom(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	early, late := join{StartsMS: notBegun, Most: 2}, join{StartsMS: begun, Most: 2}
	by := func(c join, user string, expired int64) joined {
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

// Users who share a call get what they would get one after the other.
func TestAJoinOfManyIsAsManyJoins(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	users := []LineUser{{"ann", 5}, {"bob", 3}, {"ann", 1}, {"cid", 4}, {"dan", 2}}
	assert.Equal(t, []joined{{}, {}, {}, {}, {Code: LineFull}},
		joinAll(t, all, join{StartsMS: notBegun, Most: 3}, users...))
	for user, want := range map[string]any{"bob": int64(0), "cid": int64(1), "ann": int64(2), "dan": "none"} {
		assert.Equal(t, want, rankOf(t, all, user))
	}
	late := join{StartsMS: begun, Most: 2}
	at := func(position int64) joined { return joined{LinePosition, position} }
	assert.Equal(t, []joined{at(3), at(2), at(3), at(4), {Code: LineFull}, at(0)}, joinAll(t, all, late,
		LineUser{"dan", 0}, LineUser{"ann", 0}, LineUser{"dan", 0}, LineUser{"eve", 0}, LineUser{"fay", 0},
		LineUser{"bob", 0}))
	late.Expired = 4
	assert.Equal(t, []joined{at(5), at(4), {Code: LineFull}}, joinAll(t, all, late,
		LineUser{"dan", 0}, LineUser{"eve", 0}, LineUser{"ann", 0}), "one place has expired, and makes room for one")
}

// More places have expired than a call for a few users removes, and all of those users get in.
func TestExpiredPlacesMakeRoomForAsManyAsJoin(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	crowd := func(name string) (users []LineUser) {
		for i := range MaxLineUsers {
			users = append(users, LineUser{User: fmt.Sprint(name, i)})
		}
		return users
	}
	late := join{StartsMS: begun, Most: 2 * MaxLineUsers}
	joinAll(t, all, late, crowd("a")...)
	joinAll(t, all, late, crowd("b")...)
	late.Expired, late.First = late.Most, late.Most
	for i, place := range joinAll(t, all, late, crowd("c")...) {
		require.Equal(t, joined{LinePosition, late.Most + int64(i)}, place)
	}
}

func TestALineExpiresInRedis(t *testing.T) {
	t.Parallel()
	for _, s := range newStores(t) {
		joinOf(t, stores{s}, join{User: "ann", StartsMS: notBegun})
		joinOf(t, stores{s}, join{User: "bob", StartsMS: begun})
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
		for _, size := range []int{1, 16, MaxLineUsers} {
			b.Run(fmt.Sprintf("%s/users=%d", name, size), func(b *testing.B) { benchmarkJoinLine(b, starts, size) })
		}
	}
}

func benchmarkJoinLine(b *testing.B, startsMS int64, size int) {
	b.Helper()
	s := New(realRedis, Keys{Prefix: "line-bench"})
	before, cpu := usedMemory(b, s), serverSeconds(b, s)
	users := make([]LineUser, size)
	for n := range b.N {
		for i := range users {
			id := n*size + i
			users[i] = LineUser{User: fmt.Sprintf("user-%08d", id), Score: int64(id) * 7919 % (1 << 52)}
		}
		places, _, err := s.JoinLine(b.Context(), &LineCall{
			Lane: lane, Activity: activity, Users: users, StartsMS: startsMS, Most: 1e9, KeepMS: saleEnd,
		})
		require.NoError(b, err)
		require.NotEqual(b, LineFull, places[size-1].Code)
	}
	places := float64(b.N * size)
	b.ReportMetric((usedMemory(b, s)-before)/places, "redis-B/place")
	b.ReportMetric((serverSeconds(b, s)-cpu)*1e6/places, "redis-µs/place")
	require.NoError(b, s.Redis.Del(context.WithoutCancel(b.Context()), s.Keys.LineEarly(lane, activity),
		s.Keys.LineLate(lane, activity)).Err())
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
	assert.Equal(t, joined{Code: LineEarly}, joinOf(t, all, join{User: "ann", Score: 9, StartsMS: begun}),
		"an instance that knows a start of now before Redis has it")
	code, err := sameOutcome(t, all, func(s *Scripts) (LineCode, error) {
		places, err := s.LinePositions(t.Context(), lane, activity, []string{"ann"}, begun)
		if err != nil {
			return 0, err
		}
		return places[0].Code, nil
	})
	require.NoError(t, err)
	assert.Equal(t, LineEarly, code, "users with a lower score may still come")
	startsAt(begun)
	assert.Equal(t, joined{LinePosition, 1}, joinOf(t, all, join{User: "bob", Score: 1, StartsMS: notBegun}),
		"an instance that doesn't know yet that the start was moved to now")
	assert.EqualValues(t, 0, rankOf(t, all, "ann"))
	assert.Equal(t, joined{LinePosition, 0}, joinOf(t, all, join{User: "ann", StartsMS: notBegun}))
}

func TestALineIsKeptAsLongAsItsSaleThatWasMoved(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60 * 1000
	all := newStores(t)
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), "state", "open", "version", 1,
			"starts_ms", notBegun, "ends_ms", saleEnd).Err()
	})
	joinOf(t, all, join{User: "ann", StartsMS: notBegun})
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
	joinOf(t, all, join{User: "bob", StartsMS: notBegun}) // at an instance that knows only the end before
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
	early := func(user string, score int64) joined {
		return joinOf(t, all, join{User: user, Score: score, StartsMS: notBegun})
	}
	startsAt(begun)
	startsAt(notBegun)
	assert.Equal(t, joined{Code: LineEarly}, early("ann", 8), "nobody was in the line when it began")
	assert.Equal(t, joined{Code: LineEarly}, early("bob", 9))
	startsAt(begun)
	assert.Equal(t, joined{LinePosition, 2}, early("cid", 5))
	assert.EqualValues(t, 0, rankOf(t, all, "ann"))
	for range 2 {
		startsAt(notBegun)
		given := map[joined]string{}
		for score, user := range []string{"ann", "bob", "cid", "dee", "eve"} {
			at := early(user, int64(score))
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
