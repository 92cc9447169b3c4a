package place_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/order/numbers"
	"onrush/modules/problem"
	"onrush/modules/seckill/place"
	"onrush/test/kit"
	"onrush/test/stage"
)

// shop is a sale and a placer of its orders.
type shop struct {
	*stage.Stage

	placer *place.Placer
}

func open(t *testing.T, stores *kit.Stores, sale stage.Sale) *shop {
	t.Helper()
	s := stage.Open(t, stores, sale)
	placer, err := place.NewPlacer(place.Config{Within: time.Minute}, place.Deps{
		DB: stores.DB, Lua: s.Scripts, Clock: clock.Fixed(time.Now), Numbers: s.Numbers,
		Placed: func(int, string, int) {}, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return &shop{Stage: s, placer: placer}
}

// order makes an order of units, with a task of its own.
func (s *shop) order(user string, units int64) *place.Order {
	o := s.Order(user, catalogue.DefaultPoint, units)
	o.Number = 0
	return &place.Order{
		Order: *o, Sale: place.Sale{Activity: s.Activity, Lane: s.Lane, PayWithinS: 900},
		TaskHash: order.TaskHash(o.Task), SealedTask: "sealed",
	}
}

// again is the same request once more, changed by with.
func again(o *place.Order, with func(o *place.Order)) *place.Order {
	repeated := &place.Order{Order: o.Order, Sale: o.Sale, TaskHash: o.TaskHash, SealedTask: o.SealedTask}
	repeated.Number = 0
	with(repeated)
	return repeated
}

var errRefused = errors.New("refused")

func TestAnOrderIsPlacedOncePerTask(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, ctx := open(t, stores, stage.Sale{}), t.Context()
		first := s.order("ada", 2)
		placed, err := s.placer.Place(ctx, first)
		require.NoError(t, err)
		assert.Equal(t, place.Outcome{Code: lua.Placed, Number: first.Number}, placed)
		assert.Equal(t, s.Lane, placed.Number.Lane())
		assert.EqualValues(t, 900_000, first.PayBefore-first.PlacedAt)
		replayed := place.Outcome{Code: lua.Replayed, Number: placed.Number}
		refused := func(o *place.Order) { o.Refusal = errRefused }
		overLimit := func(o *place.Order) { o.Refusal, o.RateLimited = errRefused, true }
		reused := func(o *place.Order) { o.Refusal, o.Digest = errRefused, "another" }
		for _, where := range []string{"in Redis", "in SQL"} {
			for _, with := range []func(o *place.Order){func(*place.Order) {}, refused} {
				got, err := s.placer.Place(ctx, again(first, with))
				require.NoError(t, err, where)
				assert.Equal(t, replayed, got, where)
			}
			_, err = s.placer.Place(ctx, again(first, reused))
			assert.Equal(t, problem.CodeIdempotencyKeyReused, problem.CodeOf(err), where)
			if got, err := s.placer.Place(ctx, again(first, overLimit)); where == "in Redis" {
				require.NoError(t, err)
				assert.Equal(t, replayed, got)
			} else {
				require.ErrorIs(t, err, errRefused, "SQL is not asked")
			}
			_, err = s.placer.Place(ctx, again(s.order("eve", 1), refused))
			require.ErrorIs(t, err, errRefused, where)
			s.Move(t)
			s.Flush(t) // the sale is gone, which the order is told that isn't refused
		}
		got, err := s.placer.Place(ctx, s.order("bob", 1))
		require.NoError(t, err)
		assert.Equal(t, place.Outcome{Code: lua.NotLoaded}, got)
		assert.Equal(t, map[order.Number]order.Status{placed.Number: order.Unpaid}, s.Stored(t))
	})
}

// A master of Redis that lacks a lease gives another instance the same numbers.
func TestAnOrderWhoseNumberIsTakenGetsAnother(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, ctx, now := open(t, stores, stage.Sale{}), t.Context(), time.Now()
		at := clock.Fixed(func() time.Time { return now })
		placed := map[order.Number]bool{}
		const orders = 5 // as often as Place tries
		for range 2 {    // instances
			placer, err := place.NewPlacer(place.Config{Within: time.Minute}, place.Deps{
				DB: stores.DB, Lua: s.Scripts, Clock: at, Placed: func(int, string, int) {},
				Numbers: numbers.New(numbers.Deps{
					Lua: s.Scripts, Clock: at, Random: func() uint64 { return 7 },
					Key: func(context.Context) (key [32]byte, err error) { return key, nil },
				}),
				Log: slog.New(slog.DiscardHandler),
			})
			require.NoError(t, err)
			require.NoError(t, stores.Redis.Del(ctx, stores.Keys.Leases(s.Lane)).Err())
			for range orders {
				got, err := placer.Place(ctx, s.order("ada", 1))
				require.NoError(t, err)
				assert.Equal(t, lua.Placed, got.Code)
				placed[got.Number] = true
			}
		}
		assert.Len(t, placed, 2*orders)
	})
}

func TestPlaceSaysWhyAnOrderIsNotPlaced(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s, ctx := open(t, stores, stage.Sale{Limit: 3}), t.Context()
		got, err := s.placer.Place(ctx, s.order("ada", 11))
		require.NoError(t, err)
		assert.Equal(t, place.Outcome{Code: lua.OverActivityLimit}, got)
		_, err = s.placer.Place(ctx, s.order("ada", 3))
		require.NoError(t, err)
		got, err = s.placer.Place(ctx, s.order("ada", 1))
		require.NoError(t, err)
		assert.Equal(t, place.Outcome{Code: lua.OverActivityLimit, Bought: 3}, got)

		meta := stores.Keys.Meta(s.Lane, s.Activity)
		behind := s.order("bob", 1)
		behind.Sale.Version = 5 // and nothing to write to Redis
		_, err = s.placer.Place(ctx, behind)
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
		require.ErrorContains(t, err, "was changed")
		require.NoError(t, stores.Redis.HSet(ctx, meta, "version", 7).Err())
		outdated := s.order("bob", 1)
		for range 5 {
			got, err = s.placer.Place(ctx, outdated)
			require.NoError(t, err)
			assert.Equal(t, place.Outcome{Code: lua.Outdated, Version: 7}, got)
		}
		_, err = s.placer.Place(ctx, outdated)
		var unknown *problem.Error
		require.ErrorAs(t, err, &unknown, "it is not sent for ever")
		assert.Equal(t, "sealed", unknown.TaskID)
		outdated = s.order("bob", 1)
		outdated.Sale.Version = 7
		got, err = s.placer.Place(ctx, outdated)
		require.NoError(t, err)
		assert.Equal(t, lua.Placed, got.Code)
	})
}
