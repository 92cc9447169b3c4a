package admin_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/needs"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/seckill"
	"onrush/modules/seckill/admin"
	"onrush/modules/seckill/inventory"
	"onrush/test/kit"
	"onrush/test/stage"
)

// in is a time of the test's sale, which runs an hour from now.
func in(minutes int) int64 { return time.Now().Add(time.Duration(minutes) * time.Minute).UnixMilli() }

// wavesOf is a change of the waves of the sku.
func wavesOf(waves ...lua.Wave) *admin.Change {
	return &admin.Change{SKUs: []admin.SKUChange{{SKU: stage.SKU, Waves: &waves}}}
}

func plan(t testing.TB, s *stage.Stage, waves ...lua.Wave) error {
	t.Helper()
	_, err := s.Activities.Change(context.WithoutCancel(t.Context()), s.Activity, wavesOf(waves...))
	s.Know(t)
	return err
}

// try places an order of units at point "0" and returns its code.
func try(t testing.TB, s *stage.Stage, quantity int64) lua.PlaceCode {
	t.Helper()
	results, err := s.TryPlace(context.WithoutCancel(t.Context()), s.Order("ann", "0", quantity))
	require.NoError(t, err)
	return results[0].Code
}

func TestWavesAreChangedWhileASaleRuns(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		s := stage.Open(t, stores, stage.Sale{Waves: []lua.Wave{{Point: "0", AtMS: in(10), Quantity: 8}}})
		assert.Equal(t, lua.NextWave, try(t, s, 3))
		assert.Equal(t, lua.Placed, try(t, s, 1))

		require.Error(t, plan(t, s, lua.Wave{Point: "0", AtMS: in(20), Quantity: 10}), "9 are left")
		require.Error(t, plan(t, s, lua.Wave{Point: "0", AtMS: in(70), Quantity: 1}), "after the end")
		require.NoError(t, plan(t, s, lua.Wave{Point: "0", AtMS: in(20), Quantity: 5}))
		assert.Equal(t, lua.Placed, try(t, s, 4))
		assert.Equal(t, lua.NextWave, try(t, s, 1))

		// The next wave is opened now.
		require.NoError(t, plan(t, s, lua.Wave{Point: "0", AtMS: in(0), Quantity: 2},
			lua.Wave{Point: "0", AtMS: in(20), Quantity: 3}))
		assert.Equal(t, lua.Placed, try(t, s, 2))
		assert.Equal(t, lua.NextWave, try(t, s, 1))
		a, err := s.Activities.Change(ctx, s.Activity, &admin.Change{EndsMS: new(in(5))})
		require.NoError(t, err, "a sale may end before its last wave")
		assert.Len(t, a.SKUs[0].Waves, 2)
		s.Know(t)
		require.NoError(t, plan(t, s), "no more waves")
		assert.Equal(t, lua.Placed, try(t, s, 3))
		assert.Equal(t, lua.SoldOut, try(t, s, 1))
		s.Move(t)
		s.Balanced(t)
		assert.Equal(t, needs.Set("waves"), s.Know(t).Needs, "a sale keeps what it needed")
	})
}

func TestALoadKeepsTheWaves(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Waves: []lua.Wave{{Point: "0", AtMS: in(10), Quantity: 8}}})
		s.Place(t, "ann", 2)
		s.Flush(t)
		s.Load(t)
		assert.Equal(t, lua.Placed, try(t, s, 2), "Redis had lost the order")
		assert.Equal(t, lua.NextWave, try(t, s, 1))
		s.Move(t)
		s.Balanced(t)
	})
}

// The keys of a sale without waves are as they were before there were any.
func TestASaleWithoutWavesHasNoneInRedis(t *testing.T) {
	t.Parallel()
	s := stage.Open(t, kit.OnEmbedded(t), stage.Sale{})
	_, err := s.Activities.Change(t.Context(), s.Activity, &admin.Change{Title: new("New")})
	require.NoError(t, err)
	meta := s.Hash(t, s.Stores.Keys.Meta)
	assert.NotContains(t, meta, lua.WavesField(stage.SKU))
	assert.Equal(t, "1", meta["version"])
}

// An instance of a build from before waves knows the version that SQL has, and sells nothing of such a sale.
func TestAnOlderBuildPlacesNoOrderOfASaleWithWaves(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{})
		assert.Equal(t, lua.Placed, try(t, s, 1))
		require.NoError(t, plan(t, s, lua.Wave{Point: "0", AtMS: in(10), Quantity: 8}))
		a := s.Know(t)
		s.Version = a.Version
		assert.Equal(t, lua.Outdated, try(t, s, 1))
		// Nor does its change of the sale reach Redis, which a newer instance then writes.
		loaded, err := s.Scripts.ChangeActivity(t.Context(), s.Lane, s.Activity, a.Version+1,
			map[string]string{"ends_ms": "1"})
		require.NoError(t, err)
		assert.True(t, loaded)
		s.Know(t)
		assert.Equal(t, lua.Placed, try(t, s, 1))
		assert.Equal(t, lua.NextWave, try(t, s, 1))
		// Nor can its jobs read the version, to which they would raise that of SQL.
		_, err = stores.Redis.HGet(t.Context(), stores.Keys.Meta(s.Lane, s.Activity), "version").Int64()
		require.Error(t, err)
		require.NoError(t, plan(t, s), "also without waves it stays so")
		s.Version = s.Know(t).Version
		assert.Equal(t, lua.Outdated, try(t, s, 1))
	})
}

func TestWavesNeedInstancesThatKnowThem(t *testing.T) {
	t.Parallel()
	s := stage.Open(t, kit.OnEmbedded(t), stage.Sale{})
	ctx := t.Context()
	able := needs.Build{Instance: "web-1", Version: "1.1", Abilities: needs.Abilities()}
	old := needs.Build{Instance: "web-2", Version: "1.0"}
	*s.Fleet = stage.Builds{able, old}
	wave := lua.Wave{Point: "0", AtMS: in(10), Quantity: 8}
	err := plan(t, s, wave)
	assert.Equal(t, problem.CodeConflict, problem.CodeOf(err))
	require.ErrorContains(t, err, "web-2")
	assert.Empty(t, s.Know(t).SKUs[0].Waves)
	_, err = s.Activities.Change(ctx, s.Activity, &admin.Change{Title: new("New")})
	require.NoError(t, err, "other changes need nothing")

	draft, err := s.Activities.Clone(ctx, s.Activity, in(1), in(60))
	require.NoError(t, err)
	draft.SKUs[0].Waves = []lua.Wave{wave}
	draft, err = s.Activities.Put(ctx, draft, 0)
	require.NoError(t, err)
	_, err = s.Activities.Publish(ctx, draft.ID, 0)
	require.ErrorContains(t, err, "web-2")
	a, err := s.Activities.Get(ctx, draft.ID)
	require.NoError(t, err)
	assert.Equal(t, seckill.Draft, a.State)

	*s.Fleet = stage.Builds{able}
	_, err = s.Activities.Publish(ctx, draft.ID, 0)
	require.NoError(t, err)
	require.NoError(t, plan(t, s, wave))
	*s.Fleet = stage.Builds{able, old}
	require.NoError(t, plan(t, s, lua.Wave{Point: "0", AtMS: in(11), Quantity: 8}), "it sells already")
}

// Units that weren't sold are often taken back at the end of a sale.
func TestASaleWhoseStockWasLoweredIsCloned(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		at := time.Now().Add(30 * time.Minute).Truncate(time.Second).UnixMilli()
		for name, sale := range map[string]stage.Sale{
			"waves": {Waves: []lua.Wave{
				{Point: "0", AtMS: at, Quantity: 3},
				{Point: "0", AtMS: at + 1000, Quantity: 4},
				{Point: "0", AtMS: at + 2000, Quantity: 1},
			}},
			"reserved": {Reserved: []lua.Wave{{Point: "0", AtMS: at, Quantity: 6}}},
		} {
			t.Run(name, func(t *testing.T) {
				s := stage.Open(t, stores, sale)
				for total, want := range map[int][]int64{5: {3, 2}, 0: nil} {
					_, err := stores.DB.Write.ExecContext(t.Context(),
						`UPDATE activity_stock SET total = ? WHERE activity_id = ?`, total, s.Activity)
					require.NoError(t, err)
					clone, err := s.Activities.Clone(t.Context(), s.Activity, 0, 0)
					require.NoError(t, err)
					var units []int64
					for _, w := range clone.SKUs[0].Waves {
						units = append(units, w.Quantity)
					}
					if name == "waves" {
						assert.Equal(t, want, units)
					}
					assert.Equal(t, name == "reserved" && total > 0, clone.Reserved.On())
				}
			})
		}
	})
}

func TestWavesOfACloneMoveWithTheStart(t *testing.T) {
	t.Parallel()
	at := in(10)
	s := stage.Open(t, kit.OnEmbedded(t), stage.Sale{Waves: []lua.Wave{{Point: "0", AtMS: at, Quantity: 8}}})
	a := s.Know(t)
	clone, err := s.Activities.Clone(t.Context(), s.Activity, a.StartsMS+1000, a.EndsMS+1000)
	require.NoError(t, err)
	assert.Equal(t, at+1000, clone.SKUs[0].Waves[0].AtMS)
	assert.Empty(t, clone.Needs)
	_, err = s.Activities.Clone(t.Context(), s.Activity, a.StartsMS, at-1)
	assert.Equal(t, problem.CodeConflict, problem.CodeOf(err), "the wave would be after the end")
}

func TestASaleIsSoldOutWhenItsOpenUnitsAre(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Waves: []lua.Wave{{Point: "0", AtMS: in(10), Quantity: 6}}})
		announced := func() (sum int) {
			for _, n := range kit.AtOnce(4, func(int) int {
				n, err := s.Activities.Announce(context.WithoutCancel(t.Context()))
				assert.NoError(t, err)
				return n
			}) {
				sum += n
			}
			return sum
		}
		assert.Equal(t, 1, announced(), "it has started")
		s.Place(t, "ann", 4)
		s.Move(t)
		assert.Equal(t, 1, announced(), "it has sold out for now")
		assert.Zero(t, announced())
		later := lua.Wave{Point: "0", AtMS: in(20), Quantity: 4}
		require.NoError(t, plan(t, s, lua.Wave{Point: "0", AtMS: in(0), Quantity: 2}, later))
		assert.Zero(t, announced(), "the next wave has opened")
		s.Place(t, "bob", 2)
		s.Move(t)
		assert.Equal(t, 1, announced(), "it has sold out again")
		later.AtMS = in(0)
		require.NoError(t, plan(t, s, later))
		assert.Zero(t, announced(), "the last wave has opened")
		s.Place(t, "cid", 4)
		s.Move(t)
		assert.Equal(t, 1, announced())
	})
}

// waveWorld is a sale whose waves, orders and stock change at random, beside a model of what is open.
type waveWorld struct {
	*stage.Stage

	random *rand.Rand
	left   map[string]int64 // units, by point
	closed map[string]int64
	later  []lua.Wave
	orders []*order.Order
	next   int
}

func (w *waveWorld) point() string { return strconv.Itoa(w.random.IntN(2)) }

func (w *waveWorld) place(t *testing.T) {
	point, quantity := w.point(), 1+w.random.Int64N(3)
	w.next++
	o := w.Order("u"+strconv.Itoa(w.next), point, quantity)
	results, err := w.TryPlace(t.Context(), o)
	require.NoError(t, err)
	fits := w.left[point]-w.closed[point] >= quantity
	require.Equal(t, fits, results[0].Code == lua.Placed, "%d of %d open, %d asked: %d", w.left[point]-w.closed[point],
		w.left[point], quantity, results[0].Code)
	if fits {
		w.left[point] -= quantity
		w.orders = append(w.orders, o)
	}
}

func (w *waveWorld) cancel(t *testing.T) {
	if len(w.orders) == 0 {
		return
	}
	i := w.random.IntN(len(w.orders))
	o := w.orders[i]
	require.NoError(t, w.Canceller.Cancel(t.Context(), o.User, o.Number, ""))
	_, err := w.Outbox.RunOnce(t.Context())
	require.NoError(t, err)
	w.left[o.Point] += o.Items[0].Quantity
	w.orders = slices.Delete(w.orders, i, i+1)
}

// plan replaces the waves that open later.
func (w *waveWorld) plan(t *testing.T) {
	w.later, w.closed = nil, map[string]int64{}
	for i := range w.random.IntN(4) {
		wave := lua.Wave{Point: w.point(), AtMS: in(10 + i), Quantity: 1 + w.random.Int64N(4)}
		if w.closed[wave.Point]+wave.Quantity <= w.left[wave.Point] {
			w.later = append(w.later, wave)
			w.closed[wave.Point] += wave.Quantity
		}
	}
	require.NoError(t, plan(t, w.Stage, w.later...))
}

func (w *waveWorld) openNext(t *testing.T) {
	if len(w.later) == 0 {
		return
	}
	wave := w.later[0]
	w.later = w.later[1:]
	w.closed[wave.Point] -= wave.Quantity
	wave.AtMS = in(0)
	require.NoError(t, plan(t, w.Stage, append([]lua.Wave{wave}, w.later...)...))
}

func (w *waveWorld) stock(t *testing.T) {
	point, delta := w.point(), w.random.Int64N(7)-3
	if delta == 0 {
		return
	}
	w.next++
	change, err := w.Changer.ChangeKeyed(t.Context(), "op", strconv.Itoa(w.next), inventory.StockChange{
		Activity: w.Activity, SKU: stage.SKU, Point: point, Delta: delta,
	})
	if w.left[point]-w.closed[point] < -delta {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	require.Equal(t, inventory.ChangeDone, change.State)
	w.left[point] += delta
}

func TestNoMoreIsPlacedThanIsOpenWhileEverythingChanges(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		seed := rand.Uint64()
		t.Log("seed", seed)
		w := &waveWorld{
			Stage:  stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 8, "1": 5}}),
			random: rand.New(rand.NewPCG(seed, 0)), left: map[string]int64{"0": 8, "1": 5}, closed: map[string]int64{},
		}
		steps := []func(*testing.T){
			w.place, w.place, w.place, w.cancel, w.cancel, w.plan, w.openNext, w.stock, w.stock,
			func(t *testing.T) { w.Move(t) },
			func(t *testing.T) { w.LoseActivity(t); w.Load(t) },
		}
		for range 100 {
			steps[w.random.IntN(len(steps))](t)
		}
		require.NoError(t, plan(t, w.Stage)) // no wave is left
		for point, units := range w.left {
			for range units {
				w.PlaceAt(t, "last", point, 1)
			}
		}
		w.Move(t)
		w.Balanced(t)
		assert.Equal(t, "0", w.Hash(t, stores.Keys.Stock)[stage.SKU])
	})
}
