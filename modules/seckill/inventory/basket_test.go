package inventory_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"onrush/lua"
	"onrush/modules/order"
	"onrush/modules/seckill"
	"onrush/test/kit"
	"onrush/test/stage"
)

// baskets are a sale whose orders may take two skus, and a model of its units and of what its buyers have.
type baskets struct {
	*stage.Stage
	t      *testing.T
	left   map[string]int64
	bought map[string]int64 // by field of Redis
	unpaid []*order.Order
	paid   []*order.Order
}

const (
	basketLimit    = 9
	basketSKULimit = 6
	bundleLimit    = 2
)

func openBaskets(t *testing.T, stores *kit.Stores, stock int64) *baskets {
	t.Helper()
	s := stage.Open(t, stores, stage.Sale{
		Stock: map[string]int64{"0": stock}, Others: []string{"tea"}, Limit: basketLimit, SKULimit: basketSKULimit,
		Parts: seckill.Parts{{SKU: stage.SKU, Quantity: 2}, {SKU: "tea", Quantity: 1}}, BundleLimit: bundleLimit,
	})
	return &baskets{
		Stage: s, t: t, left: map[string]int64{stage.SKU: stock, "tea": stock}, bought: map[string]int64{},
	}
}

// fits reports whether the units of an order are left, and its buyer may have them.
func (b *baskets) fits(o *order.Order) bool {
	_, all := o.Takes()
	fits := b.bought["a:"+o.User]+all <= basketLimit
	if o.Bundle != nil {
		fits = fits && b.bought["s:set~"+o.User]+o.Bundle.Quantity <= bundleLimit
	}
	for _, it := range o.Items {
		fits = fits && b.left[it.SKU] >= it.Quantity &&
			b.bought["s:"+it.SKU+"~"+o.User]+it.Quantity <= basketSKULimit
	}
	return fits
}

// move takes the units of an order, or gives them back with -1.
func (b *baskets) move(o *order.Order, times int64) {
	if o.Bundle != nil {
		b.bought["s:set~"+o.User] += times * o.Bundle.Quantity
	}
	for _, it := range o.Items {
		b.left[it.SKU] -= times * it.Quantity
		b.bought["a:"+o.User] += times * it.Quantity
		b.bought["s:"+it.SKU+"~"+o.User] += times * it.Quantity
	}
}

func (b *baskets) place(t *rapid.T) {
	user := fmt.Sprintf("u%d", rapid.IntRange(1, 4).Draw(t, "user"))
	var takes []lua.Take
	for _, sku := range rapid.SampledFrom([][]string{{stage.SKU}, {"tea"}, {stage.SKU, "tea"}}).Draw(t, "skus") {
		takes = append(takes, lua.Take{SKU: sku, Quantity: rapid.Int64Range(1, 4).Draw(t, "quantity")})
	}
	b.try(t, b.Basket(user, "0", takes...))
}

func (b *baskets) bundle(t *rapid.T) {
	user := fmt.Sprintf("u%d", rapid.IntRange(1, 4).Draw(t, "user"))
	b.try(t, b.Bundle(user, "0", rapid.Int64Range(1, 2).Draw(t, "bundles")))
}

// try places an order, as the model says.
func (b *baskets) try(t *rapid.T, o *order.Order) {
	results, err := b.TryPlace(b.t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, b.fits(o), results[0].Code == lua.Placed, "%+v", results[0])
	if results[0].Code == lua.Placed {
		b.move(o, 1)
		b.unpaid = append(b.unpaid, o)
	}
}

// taken removes one of some orders and returns it.
func taken(t *rapid.T, from *[]*order.Order) *order.Order {
	if len(*from) == 0 {
		t.Skip("there is none")
	}
	i := rapid.IntRange(0, len(*from)-1).Draw(t, "order")
	o := (*from)[i]
	*from = append((*from)[:i:i], (*from)[i+1:]...)
	return o
}

func (b *baskets) cancel(t *rapid.T) {
	o := taken(t, &b.unpaid)
	require.NoError(t, b.Canceller.Cancel(b.t.Context(), o.User, o.Number, ""))
	b.move(o, -1)
}

func (b *baskets) pay(t *rapid.T) {
	o := taken(t, &b.unpaid)
	b.Move(b.t)
	pay(b.t, b.Stage, o)
	b.paid = append(b.paid, o)
}

// restock refunds a paid order and restocks it.
func (b *baskets) restock(t *rapid.T) {
	o := taken(t, &b.paid)
	refund(b.t, b.Stage, o)
	won, err := restock(b.t.Context(), b.Stage, o.Number)
	require.NoError(t, err)
	require.True(t, won)
	if rapid.Bool().Draw(t, "lost before Redis knows") {
		b.Move(b.t)
		b.Flush(b.t)
		b.Load(b.t)
	}
	settle(b.t, b.Stage)
	b.move(o, -1)
}

// reload loads the sale again, after Redis has lost its keys or everything.
func (b *baskets) reload(t *rapid.T) {
	if rapid.Bool().Draw(t, "everything") {
		b.Move(b.t)
		b.Flush(b.t)
	} else {
		b.LoseActivity(b.t)
	}
	b.Load(b.t)
}

// repair lets Redis lose what a repair restores.
func (b *baskets) repair(t *rapid.T) {
	settle(b.t, b.Stage)
	ctx, keys := b.t.Context(), b.Stores.Keys
	switch rapid.SampledFrom([]string{"counts", "holds", "stock", "paid"}).Draw(t, "lost") {
	case "counts":
		require.NoError(t, b.Stores.Redis.Del(ctx, keys.Bought(b.Lane, b.Activity)).Err())
	case "holds":
		require.NoError(t, b.Stores.Redis.Del(ctx, keys.Held(b.Lane, b.Activity)).Err())
	case "stock":
		require.NoError(t, b.Stores.Redis.HIncrBy(ctx, keys.Stock(b.Lane, b.Activity), "tea~0", -1).Err())
		require.NoError(t, b.Stores.Redis.HIncrBy(ctx, keys.Stock(b.Lane, b.Activity), "tea", -1).Err())
	case "paid":
		require.NoError(t, b.Stores.Redis.Del(ctx, keys.Paid(b.Lane, b.Activity)).Err())
	}
	repaired, err := b.Auditor.Repair(ctx, b.Activity)
	require.NoError(t, err)
	require.True(t, repaired.OK, "%+v", repaired)
}

// agree compares both stores with the model.
func (b *baskets) agree(t *rapid.T) {
	want := map[string]string{}
	for field, units := range b.bought {
		if units > 0 {
			want[field] = strconv.FormatInt(units, 10)
		}
	}
	require.Equal(t, want, b.Hash(b.t, b.Stores.Keys.Bought))
	stock := b.Hash(b.t, b.Stores.Keys.Stock)
	for sku, left := range b.left {
		require.Equal(t, strconv.FormatInt(left, 10), stock[sku], sku)
		require.Equal(t, strconv.FormatInt(left, 10), stock[sku+"~0"], sku)
	}
	audit, err := b.Auditor.Audit(b.t.Context(), b.Activity)
	require.NoError(t, err)
	require.True(t, audit.OK, "%+v", audit)
}

func TestBasketsTakeAllOrNothingWhateverHappensToThem(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		rapid.Check(t, func(rt *rapid.T) {
			b := openBaskets(t, stores, 12)
			rt.Repeat(map[string]func(*rapid.T){
				"":        b.agree,
				"place":   b.place,
				"basket":  b.place,
				"bundle":  b.bundle,
				"cancel":  b.cancel,
				"pay":     b.pay,
				"restock": b.restock,
				"move":    func(*rapid.T) { b.Move(t) },
				"settle":  func(*rapid.T) { settle(t, b.Stage) },
				"reload":  b.reload,
				"repair":  b.repair,
			})
			b.Move(t)
			settle(t, b.Stage)
			b.Balanced(t)
		})
	})
}

// A crowd on two instances takes the same two skus, half of it in the other order, while the movers store and the
// orders are cancelled: nobody waits for a deadlock, and no unit is lost.
func TestACrowdOfBasketsOfTheSameSkusLosesNoUnit(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Stock: map[string]int64{"0": 100}, Others: []string{"tea"}, Batch: 4})
		other := s.Start(t, nil)
		ctx := context.WithoutCancel(t.Context())
		kit.AtOnce(48, func(i int) bool {
			takes := []lua.Take{{SKU: stage.SKU, Quantity: 1}, {SKU: "tea", Quantity: 2}}
			if i%2 == 0 {
				takes[0], takes[1] = takes[1], takes[0]
			}
			o := s.Basket(fmt.Sprintf("u%d", i), "0", takes...)
			results, err := s.TryPlace(ctx, o)
			if err != nil {
				t.Error(err)
				return false
			}
			if !assert.Equal(t, lua.Placed, results[0].Code) {
				return false
			}
			ensurer := []order.Ensurer{s.Ensurer, other.Ensurer}[i/2%2]
			_, err = ensurer.EnsureStored(ctx, o.User, o.Number)
			assert.NoError(t, err)
			if i%3 == 0 {
				assert.NoError(t, s.Canceller.Cancel(ctx, o.User, o.Number, ""))
			}
			return true
		})
		s.Move(t)
		settle(t, s)
		assert.EqualValues(t, 32*3, s.Sold(t))
		stock := s.Hash(t, stores.Keys.Stock)
		assert.Equal(t, []string{"68", "36"}, []string{stock[stage.SKU], stock["tea"]})
		s.Balanced(t)
	})
}

// SQL has fewer units of one of two skus than Redis: the order fails, and an audit gives the units of the other back.
func TestABasketThatSQLRefusesFailsWhole(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Others: []string{"tea"}, Limit: 20})
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE activity_stock SET total = 1
			WHERE activity_id = ? AND sku_id = 'tea'`, s.Activity)
		require.NoError(t, err)
		o := s.Basket("ann", "0", lua.Take{SKU: stage.SKU, Quantity: 2}, lua.Take{SKU: "tea", Quantity: 2})
		_, err = s.TryPlace(t.Context(), o)
		require.NoError(t, err)
		s.Move(t)
		assert.Equal(t, map[order.Number]order.Status{o.Number: order.Failed}, s.Stored(t))
		assert.Equal(t, "F:no_stock", s.Task(t, o))
		assert.Zero(t, s.Sold(t))
		assert.Empty(t, s.Hash(t, stores.Keys.Bought))
		repaired, err := s.Auditor.RunOnce(t.Context()) // the scheduled audit, without an operator
		require.NoError(t, err)
		assert.Equal(t, 1, repaired)
		assert.Equal(t, "10", s.Left(t, "0"))
		assert.Equal(t, "1", s.Hash(t, stores.Keys.Stock)["tea"])
		s.Balanced(t)
	})
}

// Redis has lost the counts: SQL refuses a basket over the limit of one of its skus, and all its units return.
func TestABasketOverALimitOfSQLReturnsAllItsUnits(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{Others: []string{"tea"}, Limit: 20, SKULimit: 3})
		kept := s.Basket("ann", "0", lua.Take{SKU: "tea", Quantity: 2})
		_, err := s.TryPlace(t.Context(), kept)
		require.NoError(t, err)
		s.Move(t)
		require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Bought(s.Lane, s.Activity)).Err())
		over := s.Basket("ann", "0", lua.Take{SKU: stage.SKU, Quantity: 1}, lua.Take{SKU: "tea", Quantity: 2})
		results, err := s.TryPlace(t.Context(), over)
		require.NoError(t, err)
		require.Equal(t, lua.Placed, results[0].Code)
		s.Move(t)
		assert.Equal(t, map[order.Number]order.Status{
			kept.Number: order.Unpaid, over.Number: order.Failed,
		}, s.Stored(t))
		assert.Equal(t, "10", s.Left(t, "0"))
		assert.Equal(t, "8", s.Hash(t, stores.Keys.Stock)["tea"])
		assert.Equal(t, map[string]string{"a:ann": "2", "s:tea~ann": "2"}, s.Hash(t, stores.Keys.Bought))
		s.Balanced(t)
	})
}

// Redis has lost the counts: SQL refuses a bundle over its own limit, and the counts are what SQL has.
func TestABundleOverItsLimitInSQLReturnsTheUnitsOfItsParts(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		s := stage.Open(t, stores, stage.Sale{
			Others: []string{"tea"}, Limit: 20, BundleLimit: 2,
			Parts: seckill.Parts{{SKU: "tea", Quantity: 2}, {SKU: stage.SKU, Quantity: 1}},
		})
		for _, n := range []int64{1, 2} {
			require.NoError(t, stores.Redis.Del(t.Context(), stores.Keys.Bought(s.Lane, s.Activity)).Err())
			results, err := s.TryPlace(t.Context(), s.Bundle("ann", "0", n))
			require.NoError(t, err)
			require.Equal(t, lua.Placed, results[0].Code)
			s.Move(t)
		}
		assert.EqualValues(t, 3, s.Sold(t), "of one bundle")
		assert.Equal(t, "9", s.Left(t, "0"))
		assert.Equal(t, "8", s.Hash(t, stores.Keys.Stock)["tea"])
		assert.Equal(t, map[string]string{"a:ann": "3", "s:set~ann": "1"}, s.Hash(t, stores.Keys.Bought))
		s.Balanced(t)
	})
}
