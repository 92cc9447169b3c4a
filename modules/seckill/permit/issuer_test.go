package permit

import (
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/clock"
	"onrush/test/kit"
)

const maxAge = 20 * time.Millisecond

// instance is an Issuer with a clock that the test moves, and the commands that it sends.
type instance struct {
	*Issuer

	now      atomic.Int64 // ms
	commands *kit.Commands
}

func newInstance(t *testing.T, s *kit.Stores) *instance {
	t.Helper()
	i := &instance{}
	rdb := s.ConnectRedis(t)
	i.commands = kit.CountCommands(rdb)
	i.now.Store(time.Now().UnixMilli())
	now := func() time.Time { return time.UnixMilli(i.now.Load()) }
	i.Issuer = NewIssuer(lua.New(rdb, s.Keys), clock.Fixed(now), now, maxAge, time.Minute)
	return i
}

// sent returns how many commands it has sent since the last call.
func (i *instance) sent() (n int) {
	for _, times := range i.commands.Take() {
		n += times
	}
	return n
}

func (i *instance) take(t *testing.T, user string) lua.PermitCode {
	t.Helper()
	defer i.scanned(t)
	if i.NoneLeft(t.Context(), request(user)) {
		return lua.PermitNone
	}
	got, err := i.Take(t.Context(), request(user))
	require.NoError(t, err)
	return got.Code
}

// scanned waits until no complete read runs.
func (i *instance) scanned(t *testing.T) {
	t.Helper()
	c := i.copy(request(""))
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.holders.added == nil
	}, 10*time.Second, time.Millisecond)
}

func request(user string) Request {
	return Request{
		Lane: 1, Activity: "7", SKU: "sku", User: user, Ratio: 1, For: time.Hour, EndsMS: math.MaxInt64 / 4,
	}
}

func (i *instance) wait() { i.now.Add(maxAge.Milliseconds()) }

// stock sets the units that are left of the sku.
func stock(t *testing.T, s *kit.Stores, units int) {
	t.Helper()
	require.NoError(t, s.Redis.HSet(t.Context(), s.Keys.Stock(1, "7"), "sku", units).Err())
}

func TestRefusalsCostOneReadPerMaxAge(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		stock(t, s, 5)
		i := newInstance(t, s)
		for n := range 5 {
			require.Equal(t, lua.PermitTaken, i.take(t, fmt.Sprint("holder", n)))
		}
		for n := range 3 { // the first learns that all are issued, the second reads who has them
			require.Equal(t, lua.PermitNone, i.take(t, fmt.Sprint("early", n)))
		}
		i.sent()
		for n := range 1000 {
			require.Equal(t, lua.PermitNone, i.take(t, fmt.Sprint("buyer", n)))
		}
		assert.Zero(t, i.sent(), "a warm copy costs nothing")
		for range 10 {
			i.wait()
			for n := range 100 {
				require.Equal(t, lua.PermitNone, i.take(t, fmt.Sprint("buyer", n)))
			}
		}
		assert.Equal(t, 10, i.sent(), "one read for all buyers of 20 ms")
	})
}

func TestHolderGetsTheSamePermitOnEveryInstanceWhileOthersAreRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		stock(t, s, 2)
		here, there := newInstance(t, s), newInstance(t, s)
		require.Equal(t, lua.PermitTaken, there.take(t, "alice"))
		require.Equal(t, lua.PermitTaken, here.take(t, "bob"))
		for _, i := range []*instance{here, there} {
			for range 3 {
				require.Equal(t, lua.PermitNone, i.take(t, "carol"))
			}
			assert.Equal(t, lua.PermitTaken, i.take(t, "alice"))
			assert.Equal(t, lua.PermitTaken, i.take(t, "bob"))
		}
		// Alice's permit is used up, and Carol gets one from the other instance.
		require.NoError(t, s.Redis.ZRem(t.Context(), s.Keys.Permits(1, "7", "sku"), "alice").Err())
		there.wait()
		require.Equal(t, lua.PermitTaken, there.take(t, "carol"))
		here.wait()
		assert.Equal(t, lua.PermitTaken, here.take(t, "carol"))
		assert.Equal(t, lua.PermitNone, here.take(t, "alice"))
		assert.Equal(t, lua.PermitTaken, there.take(t, "carol"), "the instance that issued it need not read it")
	})
}

func TestFreedPermitIsGivenWithinMaxAge(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		stock(t, s, 1)
		i := newInstance(t, s)
		require.Equal(t, lua.PermitTaken, i.take(t, "alice"))
		for range 3 {
			require.Equal(t, lua.PermitNone, i.take(t, "bob"))
		}
		stock(t, s, 2)
		i.wait()
		assert.Equal(t, lua.PermitTaken, i.take(t, "bob"))
		for range 3 {
			assert.Equal(t, lua.PermitNone, i.take(t, "carol"))
		}
		stock(t, s, 0)
		i.wait()
		assert.Equal(t, lua.PermitSoldOut, i.take(t, "carol"))
	})
}

// A permit that is in the set but not in the copy, because its expiry is not what this instance expects, is
// found by the next complete read.
func TestCopyIsReadCompletelyEverySecond(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		stock(t, s, 1)
		i := newInstance(t, s)
		require.Equal(t, lua.PermitTaken, i.take(t, "alice"))
		for range 3 {
			require.Equal(t, lua.PermitNone, i.take(t, "bob"))
		}
		soon := float64(time.Now().Add(time.Minute).UnixMilli())
		require.NoError(t, s.Redis.ZAdd(t.Context(), s.Keys.Permits(1, "7", "sku"),
			redis.Z{Score: soon, Member: "bob"}).Err())
		i.wait()
		require.Equal(t, lua.PermitNone, i.take(t, "bob"))
		i.now.Add(scanEvery.Milliseconds())
		i.take(t, "carol") // begins the read
		assert.Equal(t, lua.PermitTaken, i.take(t, "bob"))
	})
}

func TestScriptDecidesWhereThereAreTooManyPermitsForACopy(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		stock(t, s, maxHolders)
		i := newInstance(t, s)
		end := float64(time.Now().Add(time.Hour).UnixMilli())
		holders := make([]redis.Z, 0, maxHolders+1)
		for n := range maxHolders + 1 {
			holders = append(holders, redis.Z{Score: end, Member: fmt.Sprint("holder", n)})
		}
		require.NoError(t, s.Redis.ZAdd(t.Context(), s.Keys.Permits(1, "7", "sku"), holders...).Err())
		require.Equal(t, lua.PermitNone, i.take(t, "bob"))
		require.Equal(t, lua.PermitNone, i.take(t, "bob"))
		i.sent()
		for range 10 {
			require.Equal(t, lua.PermitNone, i.take(t, "bob"))
		}
		assert.Equal(t, 10, i.sent(), "one call each, and no attempt to read the permits again")
	})
}
