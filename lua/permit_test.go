package lua

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const saleEnd = 4_000_000_000_000 // of a permit test, in ms; nearer than ttl

func permitCall(ratio float64, ttl time.Duration, endsMS int64, users ...string) *PermitCall {
	return &PermitCall{
		Lane: lane, Activity: activity, SKU: "sku1", Ratio: ratio, TTL: ttl, EndsMS: endsMS, Users: users,
	}
}

// permitOf asks for a permit that lives until the sale ends, so that every store gives the same.
func permitOf(t tb, all stores, user string, ratio float64) Permit {
	t.Helper()
	got, err := same(t, all, func(s *Scripts) (Permit, error) {
		permits, nowMS, err := s.TakePermits(t.Context(), permitCall(ratio, 1<<62, saleEnd, user))
		assert.Positive(t, nowMS)
		return permits[0], err
	})
	require.NoError(t, err)
	return got
}

func TestOutstandingPermitsAreLimitedByTheRatio(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	for _, user := range []string{"ann", "bob", "cid"} {
		assert.Equal(t, Permit{Code: PermitTaken, ExpiresMS: saleEnd}, permitOf(t, all, user, 0.3))
	}
	assert.Equal(t, Permit{Code: PermitNone}, permitOf(t, all, "dan", 0.3))
	assert.Equal(t, Permit{Code: PermitTaken, ExpiresMS: saleEnd}, permitOf(t, all, "ann", 0.3), "the same again")
	assert.Equal(t, Permit{Code: PermitTaken, ExpiresMS: saleEnd}, permitOf(t, all, "dan", 0.31), "3.1 rounds up to 4")
	assert.Equal(t, Permit{Code: PermitNone}, permitOf(t, all, "eve", 0))
}

func TestExpiredPermitsAreDropped(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	all.each(t, func(s *Scripts) error {
		return s.Redis.ZAdd(t.Context(), s.Keys.Permits(lane, activity, "sku1"),
			redis.Z{Score: 1000, Member: "gone"}, redis.Z{Score: 3e12, Member: "bob"}).Err()
	})
	assert.Equal(t, Permit{Code: PermitTaken, ExpiresMS: 3e12}, permitOf(t, all, "bob", 0.1), "with its old expiry")
	assert.Equal(t, Permit{Code: PermitNone}, permitOf(t, all, "gone", 0.1))
	assert.Equal(t, Permit{Code: PermitTaken, ExpiresMS: saleEnd}, permitOf(t, all, "gone", 0.2))
}

func TestPermitExpiresWithTheSaleAtTheLatest(t *testing.T) {
	t.Parallel()
	for _, s := range newStores(t) {
		sale(t, stores{s})
		got, nowMS, err := s.TakePermits(t.Context(), permitCall(1, time.Minute, saleEnd, "ann"))
		require.NoError(t, err)
		assert.Equal(t, []Permit{{Code: PermitTaken, ExpiresMS: nowMS + time.Minute.Milliseconds()}}, got)
		got, _, err = s.TakePermits(t.Context(), permitCall(1, time.Minute, nowMS, "bob"))
		require.NoError(t, err)
		assert.Equal(t, []Permit{{Code: PermitNone}}, got, "the sale has ended")
	}
}

// Buyers at their limit could only be refused at submit; with their permits nobody else could order.
func TestAUserAtThePurchaseLimitGetsNoPermitAndLosesTheOneOfBefore(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		limit, counted string
		code           PermitCode
	}{
		"of the activity": {"limit", CountedAll, PermitOverActivityLimit},
		"of the sku":      {"limit:sku1", CountedSKU("sku1"), PermitOverSKULimit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := newStores(t)
			sale(t, all)
			bought := func(units int) {
				all.each(t, func(s *Scripts) error {
					bought := s.Keys.Bought(lane, activity)
					return s.Redis.HSet(t.Context(), bought, BoughtField(row.counted, "ann"), units).Err()
				})
			}
			all.each(t, func(s *Scripts) error {
				return s.Redis.HSet(t.Context(), s.Keys.Meta(lane, activity), row.limit, 2).Err()
			})
			taken := Permit{Code: PermitTaken, ExpiresMS: saleEnd}
			bought(1)
			assert.Equal(t, taken, permitOf(t, all, "ann", 0.1), "may buy another")
			assert.Equal(t, Permit{Code: PermitNone}, permitOf(t, all, "bob", 0.1))
			bought(2)
			assert.Equal(t, Permit{Code: row.code, Bought: 2}, permitOf(t, all, "ann", 0.1))
			assert.Equal(t, taken, permitOf(t, all, "bob", 0.1), "hers is free")
			bought(1)
			assert.Equal(t, taken, permitOf(t, all, "ann", 0.2), "an order was cancelled")
		})
	}
}

// Who got a permit since the last read is found by its score. Permits that end with the sale would all have the same,
// and each read would return all of them.
func TestAReadReturnsOnlyThePermitsIssuedSinceTheLastOneUntilTheSaleEnds(t *testing.T) {
	t.Parallel()
	for _, s := range newStores(t) {
		sale(t, stores{s})
		const ttl = 2 * time.Minute
		ends := time.Now().Add(ttl / 2).UnixMilli()
		take := func(users ...string) (nowMS int64) {
			permits, nowMS, err := s.TakePermits(t.Context(), permitCall(0.6, ttl, ends, users...))
			require.NoError(t, err)
			for _, p := range permits {
				assert.Equal(t, Permit{Code: PermitTaken, ExpiresMS: ends}, p)
			}
			return nowMS
		}
		first := take("ann", "bob", "cid", "dan", "eve")
		require.Eventually(t, func() bool {
			nowMS, err := s.NowMS(t.Context())
			return err == nil && nowMS > first
		}, 10*time.Second, time.Millisecond)
		nowMS := take("fay")
		read, err := s.ReadPermits(t.Context(), lane, activity, "sku1", 0.6, nowMS+ttl.Milliseconds(), 100)
		require.NoError(t, err)
		assert.Equal(t, PermitsRead{AllIssued: true, NowMS: read.NowMS, Users: []string{"fay"}}, read)
	}
}

func TestUsersOfOneCallGetPermitsInTheirOrder(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	ask := func(ratio float64, users ...string) []Permit {
		got, err := same(t, all, func(s *Scripts) ([]Permit, error) {
			permits, _, err := s.TakePermits(t.Context(), permitCall(ratio, 1<<62, saleEnd, users...))
			return permits, err
		})
		require.NoError(t, err)
		return got
	}
	none, notLoaded := Permit{Code: PermitNone}, Permit{Code: PermitNotLoaded}
	taken := Permit{Code: PermitTaken, ExpiresMS: saleEnd}
	assert.Equal(t, []Permit{notLoaded, notLoaded}, ask(1, "ann", "bob"))
	sale(t, all)
	assert.Equal(t, []Permit{taken}, ask(0.3, "ann"))
	assert.Equal(t, []Permit{taken, taken, taken, taken, none, taken},
		ask(0.3, "bob", "ann", "bob", "cid", "dan", "cid"),
		"a user who asks twice has one permit")
	assert.Equal(t, []Permit{none, taken}, ask(0.3, "dan", "ann"))
	assert.Equal(t, []Permit{}, ask(0.3))
}

func TestNoPermitWithoutStock(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	assert.Equal(t, Permit{Code: PermitNotLoaded}, permitOf(t, all, "ann", 1))
	sale(t, all)
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Stock(lane, activity), "sku1", 0).Err()
	})
	assert.Equal(t, Permit{Code: PermitSoldOut}, permitOf(t, all, "ann", 1))
	all.each(t, func(s *Scripts) error {
		return s.Redis.HDel(t.Context(), s.Keys.Stock(lane, activity), "sku1").Err()
	})
	assert.Equal(t, Permit{Code: PermitSoldOut}, permitOf(t, all, "ann", 1))
}

// crowd is a sale with permits and its visitors, on one store.
type crowd struct {
	s     *Scripts
	rand  *rand.Rand
	ratio float64
	idle  []string // holders of permits who do nothing
	sold  int
	next  int
}

// visit lets one visitor take a permit and, unless idle, order a unit at the point. It reports
// whether there was a permit for the visitor.
func (c *crowd) visit(t *testing.T, point string, idle bool) (permitted bool) {
	t.Helper()
	ctx := t.Context()
	c.next++
	user := "u" + strconv.Itoa(c.next)
	got, _, err := c.s.TakePermits(ctx, permitCall(c.ratio, time.Hour, saleEnd, user))
	require.NoError(t, err)
	if got[0].Code != PermitTaken {
		return false
	}
	left, err := c.s.Redis.HGet(ctx, c.s.Keys.Stock(lane, activity), "sku1").Float64()
	require.NoError(t, err)
	out, err := c.s.Redis.ZCard(ctx, c.s.Keys.Permits(lane, activity, "sku1")).Result()
	require.NoError(t, err)
	require.LessOrEqual(t, float64(out), math.Ceil(left*c.ratio), "permits out, with %g units left", left)
	if idle {
		c.idle = append(c.idle, user)
		return true
	}
	o := buy(strconv.Itoa(1_000_000+c.next), user, 1)
	o.Point = point
	_, results, err := c.s.Place(ctx,
		&PlaceCall{Lane: lane, Activity: activity, Permits: true, Orders: []PlaceOrder{o}})
	require.NoError(t, err)
	switch results[0].Code {
	case Placed:
		c.sold++
	case SoldOut:
	default:
		require.Failf(t, "unexpected", "%s: code %d", user, results[0].Code)
	}
	return true
}

// expire lets the permits of those who do nothing run out.
func (c *crowd) expire(t *testing.T) {
	t.Helper()
	for _, user := range c.idle {
		require.NoError(t, c.s.Redis.ZAdd(t.Context(), c.s.Keys.Permits(lane, activity, "sku1"),
			redis.Z{Score: 1, Member: user}).Err())
	}
	c.idle = nil
}

// newCrowds opens a sale of units at each of the points 0, 1 and 2 on every store.
func newCrowds(t *testing.T, units int, ratio float64) []*crowd {
	t.Helper()
	all := newStores(t)
	sale(t, all)
	var crowds []*crowd
	for _, s := range all {
		require.NoError(t, s.Redis.HSet(t.Context(), s.Keys.Stock(lane, activity),
			"sku1", 3*units, "sku1~0", units, "sku1~1", units, "sku1~2", units).Err())
		crowds = append(crowds, &crowd{s: s, rand: rand.New(rand.NewPCG(1, 2)), ratio: ratio})
	}
	return crowds
}

func TestBuyersOfASoldOutRegionDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	const units = 200
	for _, c := range newCrowds(t, units, 3) {
		points := []string{"0", "0", "0", "0", "0", "0", "0", "1", "1", "2"} // most are of one region
		for range 50 * units {
			if c.sold == 3*units {
				break
			}
			require.True(t, c.visit(t, points[c.rand.IntN(len(points))], false), "no permit, with %d units sold",
				c.sold)
		}
		assert.Equal(t, 3*units, c.sold, "no permit had to expire")
	}
}

func TestAllUnitsAreSoldWhenManyPermitsAreUnused(t *testing.T) {
	t.Parallel()
	const units = 40
	for _, ratio := range []float64{1, 1.5, 3} {
		for _, c := range newCrowds(t, units, ratio) {
			for range 200 * units {
				if c.sold == 3*units {
					break
				}
				if !c.visit(t, strconv.Itoa(c.rand.IntN(3)), c.rand.IntN(10) < 4) {
					c.expire(t)
				}
			}
			assert.Equal(t, 3*units, c.sold, "ratio %g", ratio)
		}
	}
}
