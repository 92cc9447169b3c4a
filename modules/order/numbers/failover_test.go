package numbers

import (
	"context"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/test/kit"
)

func TestMain(m *testing.M) { os.Exit(kit.Main(m)) }

// drawn has the numbers that a test drew, and fails it at the first that was drawn before.
type drawn map[order.Number]bool

func (d drawn) draw(t *testing.T, n *Numbers, times int) {
	t.Helper()
	for range times {
		number, err := n.Next(t.Context(), 1)
		require.NoError(t, err)
		require.False(t, d[number], "%s was drawn before", number)
		d[number] = true
	}
}

// still is a clock that stands: all numbers are of one second, as far apart as they may be drawn.
func still() func() time.Time {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time { return at }
}

// A replica that lacks the last leases is promoted. The instances that have them have not noticed, and the former
// master goes on.
func TestAFailoverBetweenTwoLeasesGivesNoNumberTwice(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly())
	server := kit.StartReplica(t, s.Stores, "")
	replica := redis.NewClient(&redis.Options{Addr: server.Addr, MaxRetries: -1})
	t.Cleanup(func() { _ = replica.Close() })
	now, all := still(), drawn{}
	master := lua.New(s.Redis, s.Keys)
	old := []*Numbers{over(master, now), over(master, now), over(master, now)}
	all.draw(t, old[0], 1)
	require.Eventually(t, func() bool {
		n, err := replica.Exists(t.Context(), s.Keys.Leases(1)).Result()
		return err == nil && n == 1
	}, 10*time.Second, 5*time.Millisecond)
	for failover := range 3 {
		require.NoError(t, replica.Do(t.Context(), "replicaof", "no", "one").Err())
		for _, n := range old { // leases that the replica lacks
			all.draw(t, n, segment)
		}
		promoted := over(lua.New(replica, s.Keys), now)
		all.draw(t, promoted, 5*segment)
		for _, n := range old { // what they have left, and more of the former master
			all.draw(t, n, segment)
		}
		if failover == 2 {
			return
		}
		host, port, err := net.SplitHostPort(s.RedisAddr)
		require.NoError(t, err)
		require.NoError(t, replica.Do(t.Context(), "replicaof", host, port).Err()) // it forgets what it leased
		require.Eventually(t, func() bool {
			mine, err := replica.HGet(t.Context(), s.Keys.Leases(1), "run").Result()
			theirs := s.Redis.HGet(t.Context(), s.Keys.Leases(1), "run").Val()
			return err == nil && mine == theirs
		}, 20*time.Second, 5*time.Millisecond)
	}
}

// Without INFO, nobody knows whether a master has given a lease before.
func TestALoginWithoutTheRightToRunINFOGetsNoLease(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly())
	n := over(lua.New(s.Redis, s.Keys), still())
	all := drawn{}
	all.draw(t, n, 1)
	next := s.Redis.HGet(t.Context(), s.Keys.Leases(1), "next").Val()
	require.NoError(t, s.Redis.Do(t.Context(), "acl", "setuser", "default", "-info").Err())
	all.draw(t, n, segment-1) // all leased numbers
	_, err := n.Next(t.Context(), 1)
	require.ErrorContains(t, err, "right to run INFO")
	assert.Equal(t, next, s.Redis.HGet(t.Context(), s.Keys.Leases(1), "next").Val())
	require.NoError(t, s.Redis.Do(t.Context(), "acl", "setuser", "default", "+info").Err())
	all.draw(t, n, segment)
}

func TestARedisThatForgotItsLeasesGivesNoneAgain(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		all, n := drawn{}, New(Deps{
			Lua: lua.New(s.Redis, s.Keys), Clock: clock.New(still()), Key: keyOf("site"),
			Random: func() uint64 { return 7 }, // a new sequence always starts here
		})
		for range 3 {
			all.draw(t, n, 2*segment+1)
			require.NoError(t, s.Redis.Del(t.Context(), s.Keys.Leases(1)).Err())
		}
	})
}

// A lease that was left over for long may be given again, once the sequence has come around.
func TestALeaseIsUsedForALimitedTime(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		now := kit.NewClock(time.Now())
		n := over(lua.New(s.Redis, s.Keys), now.Now)
		drawn{}.draw(t, n, 1)
		next := func() string { return s.Redis.HGet(t.Context(), s.Keys.Leases(1), "next").Val() }
		before := next()
		now.Advance(leaseFor)
		drawn{}.draw(t, n, 1)
		assert.Equal(t, before, next())
		now.Advance(time.Millisecond)
		drawn{}.draw(t, n, 1)
		assert.NotEqual(t, before, next())
	})
}

func TestALeaseWhoseNumberIsTakenIsDropped(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		n := over(lua.New(s.Redis, s.Keys), still())
		taken, err := n.Next(t.Context(), 1)
		require.NoError(t, err)
		n.Taken(taken)
		assert.Zero(t, n.of(1).left)
		drawn{}.draw(t, n, 1)
		n.Taken(taken)
		assert.EqualValues(t, segment-1, n.of(1).left, "it is of another lease")
	})
}

func TestALeaseThatTooFewReplicasHaveIsNotUsed(t *testing.T) {
	t.Parallel()
	s := kit.Own(t, kit.RedisOnly())
	n := New(Deps{
		Lua: lua.New(s.Redis, s.Keys), Clock: clock.New(time.Now), Key: keyOf("site"), Random: rand.Uint64,
		Confirm: lua.Confirm{Replicas: 1, Within: 10 * time.Millisecond},
	})
	_, err := n.Next(t.Context(), 1)
	require.ErrorContains(t, err, "too few replicas")
	kit.StartReplica(t, s.Stores, "")
	n.deps.Confirm.Within = 10 * time.Second
	drawn{}.draw(t, n, segment+1)
}

func TestNoNumberIsDrawnBeforeTheSiteIsKnown(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		n := over(lua.New(s.Redis, s.Keys), time.Now)
		n.deps.Key = func(context.Context) (key [32]byte, err error) { return key, context.DeadlineExceeded }
		_, err := n.Next(t.Context(), 1)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
