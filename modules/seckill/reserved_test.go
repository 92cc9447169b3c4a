package seckill

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/aged"
	"onrush/modules/api"
	"onrush/modules/clock"
	"onrush/modules/needs"
	"onrush/modules/problem"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/waves"
	"onrush/test/kit"
)

// A sale goes on for everybody while the list of those for whom units are reserved can't be read, or too many ask it.
func TestWhoABuyerIsCanNotBeToldWhileTheListDoesNotAnswer(t *testing.T) {
	t.Parallel()
	assert.True(t, unknown(problem.Unavailable(errors.New("no connection"), "The list can't be read.")))
	assert.True(t, unknown(problem.Errorf(problem.CodeOverloaded, "Too many lookups are waiting.")))
	assert.False(t, unknown(problem.Errorf(eligible.CodeNotEligible, "You are not one of them.")))
	assert.False(t, unknown(problem.Errorf(eligible.CodeCodeInvalid, "There is no such code.")))
}

// The waiting room must not let in buyers who find nothing but units that are reserved for others.
func TestTheWaitingRoomCountsNoReservedUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		noon := kit.NewClock(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
		now := noon.Now().UnixMilli()
		until := now + time.Minute.Milliseconds()
		a := &Activity{
			ID: "a1", Lane: 1, State: Published, StartsMS: now, EndsMS: until + 1000,
			Needs: needs.Reserved, Reserved: eligible.ReservedFor{Until: api.Millis(until), List: true},
			SKUs: []ActivitySKU{{
				SKU: "lamp", Stock: []PointStock{{Point: "0", Total: 9}},
				Reserved: waves.Of([]lua.Wave{{Point: "0", AtMS: until, Quantity: 5}}),
			}},
		}
		putCounts(t, stores, a, 7, 0)
		member := lua.BoughtField(lua.CountedReserved("lamp"), "0")
		cache := &ActivityCache{activities: aged.NewKeyed("activity", noon.Now,
			func(context.Context, []string) (map[string]*Activity, error) {
				return map[string]*Activity{a.ID: a}, nil
			})}
		chances := func() int64 {
			counts := NewStockCache(lua.New(stores.Redis, stores.Keys), noon.Now)
			n, err := NewLineSales(cache, counts, clock.Fixed(noon.Now)).Chances(t.Context(), a.ID)
			require.NoError(t, err)
			return n
		}
		assert.EqualValues(t, 2, chances(), "7 are left, and 5 of them reserved")
		require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Bought(1, "a1"), member, 2).Err())
		assert.EqualValues(t, 4, chances(), "3 of them reserved: 2 are in orders")
		noon.Advance(time.Minute)
		assert.EqualValues(t, 7, chances(), "everybody may buy them")
	})
}
