package seckill

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/test/kit"
)

func putCounts(t *testing.T, stores *kit.Stores, a *Activity, left, paid int) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, stores.Redis.HSet(ctx, stores.Keys.Meta(a.Lane, a.ID), "state", "open").Err())
	require.NoError(t, stores.Redis.HSet(ctx, stores.Keys.Stock(a.Lane, a.ID), "lamp", left, "lamp~0", left).Err())
	require.NoError(t, stores.Redis.HSet(ctx, stores.Keys.Paid(a.Lane, a.ID), "lamp~0", paid).Err())
}

// countingReads gives counts and notes how often Redis was asked.
func countingReads(t *testing.T, stores *kit.Stores, now func() time.Time) (*StockCache, *atomic.Int64) {
	t.Helper()
	var reads atomic.Int64
	rdb := stores.ConnectRedis(t)
	rdb.AddHook(pipelines{&reads})
	return NewStockCache(lua.New(rdb, stores.Keys), now), &reads
}

type pipelines struct{ n *atomic.Int64 }

func (p pipelines) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (p pipelines) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (p pipelines) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if cmds[0].Name() == "hmget" { // not the greeting of a new connection
			p.n.Add(1)
		}
		return next(ctx, cmds)
	}
}

func TestUnitsForWhichBuyersWaitAreNotLeft(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		ctx := t.Context()
		lamp := ActivitySKU{SKU: "lamp", Stock: []PointStock{{Point: "0", Total: 9}, {Point: "1", Total: 9}}}
		a := &Activity{ID: "a1", Lane: 1, OfferWithinS: 60, SKUs: []ActivitySKU{lamp}}
		putCounts(t, stores, a, 7, 2)
		require.NoError(t, stores.Redis.HSet(ctx, stores.Keys.Stock(1, "a1"), "lamp", 10, "lamp~1", 3).Err())
		for _, row := range []struct {
			list []any
			left int64
		}{
			{[]any{"epoch", a.Epoch()}, 10},
			{[]any{lua.WaitField("lamp", "0"), "e1"}, 3},
			{[]any{"epoch", a.Epoch() + 1}, 10}, // it is of another load
		} {
			require.NoError(t, stores.Redis.HSet(ctx, stores.Keys.Waitlist(1, "a1"), row.list...).Err())
			left, known := NewStockCache(lua.New(stores.Redis, stores.Keys), time.Now).Open(ctx, a, &lamp, 0, 1)
			assert.True(t, known)
			assert.Equal(t, row.left, left)
		}
	})
}

func TestCountsAreNoOlderThanTheCallerAllows(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
		counts, reads := countingReads(t, stores, clock.Now)
		lamp := ActivitySKU{SKU: "lamp", Stock: []PointStock{{Point: "0", Total: 9}}}
		a := &Activity{ID: "a1", Lane: 1, SKUs: []ActivitySKU{lamp}}
		left, err := counts.Totals(t.Context(), a, time.Second)
		require.NoError(t, err)
		assert.False(t, left.Loaded)

		clock.Advance(time.Second)
		putCounts(t, stores, a, 7, 2)
		kit.Crowd(20, func(int) {
			left, err := counts.Totals(t.Context(), a, time.Second)
			if assert.NoError(t, err) {
				assert.True(t, left.Loaded)
				assert.EqualValues(t, 7, left.SKU("lamp"))
			}
		})
		assert.EqualValues(t, 2, reads.Load(), "those who ask at once share a read")

		putCounts(t, stores, a, 6, 3)
		clock.Advance(20 * time.Millisecond)
		left, err = counts.Totals(t.Context(), a, time.Second)
		require.NoError(t, err)
		assert.EqualValues(t, 7, left.SKU("lamp"))
		left, err = counts.Totals(t.Context(), a, 20*time.Millisecond)
		require.NoError(t, err)
		assert.EqualValues(t, 6, left.SKU("lamp"))
	})
}

func TestUnavailableRedisIsNotReadByEveryCaller(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		clock := kit.NewClock(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
		counts, reads := countingReads(t, stores, clock.Now)
		lamp := ActivitySKU{SKU: "lamp", Stock: []PointStock{{Point: "0", Total: 9}}}
		a := &Activity{ID: "a1", Lane: 1, SKUs: []ActivitySKU{lamp}}
		putCounts(t, stores, a, 7, 2)
		stores.RedisAway(t)
		for range 5 {
			_, err := counts.Totals(t.Context(), a, 0)
			require.Error(t, err)
		}
		assert.EqualValues(t, 1, reads.Load())
		stores.RedisBack(t)
		require.Eventually(t, func() bool {
			clock.Advance(countWithin)
			left, err := counts.Totals(t.Context(), a, 0)
			return err == nil && left.SKU("lamp") == 7
		}, 10*time.Second, time.Millisecond)
	}, kit.Breakable())
}

func TestUnitsMayBeReturnedWhileSomeAreUnpaid(t *testing.T) {
	t.Parallel()
	const total, refused = 4, 3
	g := &ActivitySKU{SKU: "lamp", Stock: []PointStock{{Point: "0", Total: total}, {Point: "1", Total: total}}}
	for left := range int64(total + 1) {
		for paid := range total + 1 - left {
			l := &Remaining{
				stock: map[string]int64{"lamp": left, "lamp~0": left, "lamp~1": 0},
				paid:  map[string]int64{"lamp~0": paid, "lamp~1": total, "desk~0": 9},
			}
			name := strconv.FormatInt(left, 10) + " left, " + strconv.FormatInt(paid, 10) + " paid"
			want := left >= refused || left+paid < total
			assert.Equal(t, want, l.MayComeBack(g, "0", refused, 0), name)
			assert.Equal(t, want, l.MayComeBack(g, "", refused, 0), name)
			assert.False(t, l.MayComeBack(g, "1", refused, 0), "all are paid there")
		}
	}
}

// A large sale has tens of thousands of counts. If each path read all of them, the reads would take longer than their
// copies may be old.
func TestAPathOfALargeSaleReadsOnlyTheTotalsOfItsSKUs(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		rdb := stores.ConnectRedis(t)
		var fields fieldsRead
		rdb.AddHook(&fields)
		counts := NewStockCache(lua.New(rdb, stores.Keys), time.Now)
		const skus, points = 3, 100
		a := &Activity{ID: "a1", Lane: 1}
		var stock []any
		for i := range skus {
			g := ActivitySKU{SKU: "sku" + strconv.Itoa(i)}
			stock = append(stock, g.SKU, points)
			for p := range points {
				g.Stock = append(g.Stock, PointStock{Point: strconv.Itoa(p), Total: 1})
				stock = append(stock, lua.StockField(g.SKU, strconv.Itoa(p)), 1)
			}
			a.SKUs = append(a.SKUs, g)
		}
		require.NoError(t, stores.Redis.HSet(t.Context(), stores.Keys.Stock(a.Lane, a.ID), stock...).Err())
		left, err := counts.Totals(t.Context(), a, time.Second)
		require.NoError(t, err)
		assert.EqualValues(t, points, left.SKU("sku2"))
		assert.EqualValues(t, 1+2*skus, fields.n.Swap(0), "with the state, and when each was sold out")

		left, err = counts.At(t.Context(), a, &a.SKUs[1], time.Second)
		require.NoError(t, err)
		assert.EqualValues(t, 1, left.At("sku1", "99"))
		assert.True(t, left.MayComeBack(&a.SKUs[1], "", 1, 0))
		assert.EqualValues(t, 1+skus+2*points, fields.n.Swap(0), "of one sku: left, and paid")
	})
}

// fieldsRead counts the fields of hashes that pipelines read; HGETALL reads any number.
type fieldsRead struct{ n atomic.Int64 }

func (f *fieldsRead) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (f *fieldsRead) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (f *fieldsRead) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		for _, cmd := range cmds {
			switch cmd.Name() {
			case "hget", "hmget":
				f.n.Add(int64(len(cmd.Args()) - 2))
			case "hgetall":
				f.n.Add(1 << 20)
			}
		}
		return next(ctx, cmds)
	}
}
