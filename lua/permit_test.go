package lua

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type permit struct {
	Code    PermitCode
	Expires int64
}

const saleEnd = 4_000_000_000_000 // of a permit test, in ms; nearer than ttl

// permitOf asks for a permit that lives until the sale ends, so that every store gives the same.
func permitOf(t tb, all stores, user string, ratio float64) permit {
	t.Helper()
	got, err := same(t, all, func(s *Scripts) (permit, error) {
		code, expires, nowMS, err := s.TakePermit(t.Context(), lane, activity, user, "sku1", ratio, 1<<62, saleEnd)
		assert.Positive(t, nowMS)
		return permit{code, expires}, err
	})
	require.NoError(t, err)
	return got
}

func TestOnlyAsManyPermitsAreOutAsTheRatioAllows(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	for _, user := range []string{"ann", "bob", "cid"} {
		assert.Equal(t, permit{PermitTaken, saleEnd}, permitOf(t, all, user, 0.3))
	}
	assert.Equal(t, permit{Code: PermitNone}, permitOf(t, all, "dan", 0.3))
	assert.Equal(t, permit{PermitTaken, saleEnd}, permitOf(t, all, "ann", 0.3), "the same again")
	assert.Equal(t, permit{PermitTaken, saleEnd}, permitOf(t, all, "dan", 0.31), "3.1 rounds up to 4")
	assert.Equal(t, permit{Code: PermitNone}, permitOf(t, all, "eve", 0))
}

func TestExpiredPermitsAreDropped(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	sale(t, all)
	all.each(t, func(s *Scripts) error {
		return s.Redis.ZAdd(t.Context(), s.Keys.Permits(lane, activity, "sku1"),
			redis.Z{Score: 1000, Member: "gone"}, redis.Z{Score: 3e12, Member: "bob"}).Err()
	})
	assert.Equal(t, permit{PermitTaken, 3e12}, permitOf(t, all, "bob", 0.1), "with its old expiry")
	assert.Equal(t, permit{Code: PermitNone}, permitOf(t, all, "gone", 0.1))
	assert.Equal(t, permit{PermitTaken, saleEnd}, permitOf(t, all, "gone", 0.2))
}

func TestAPermitLivesItsTimeButNotBeyondTheSale(t *testing.T) {
	t.Parallel()
	for _, s := range newStores(t) {
		sale(t, stores{s})
		code, expires, nowMS, err := s.TakePermit(t.Context(), lane, activity, "ann", "sku1", 1, time.Minute, saleEnd)
		require.NoError(t, err)
		assert.Equal(t, PermitTaken, code)
		assert.Equal(t, nowMS+time.Minute.Milliseconds(), expires)
		code, _, _, err = s.TakePermit(t.Context(), lane, activity, "bob", "sku1", 1, time.Minute, nowMS)
		require.NoError(t, err)
		assert.Equal(t, PermitNone, code, "the sale has ended")
	}
}

func TestNoPermitWithoutStock(t *testing.T) {
	t.Parallel()
	all := newStores(t)
	assert.Equal(t, permit{Code: PermitNotLoaded}, permitOf(t, all, "ann", 1))
	sale(t, all)
	all.each(t, func(s *Scripts) error {
		return s.Redis.HSet(t.Context(), s.Keys.Stock(lane, activity), "sku1", 0).Err()
	})
	assert.Equal(t, permit{Code: PermitSoldOut}, permitOf(t, all, "ann", 1))
	all.each(t, func(s *Scripts) error {
		return s.Redis.HDel(t.Context(), s.Keys.Stock(lane, activity), "sku1").Err()
	})
	assert.Equal(t, permit{Code: PermitSoldOut}, permitOf(t, all, "ann", 1))
}
