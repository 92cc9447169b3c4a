package ordinary

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/catalogue"
	"onrush/modules/order"
	"onrush/modules/order/myorders"
	"onrush/modules/problem"
	sites "onrush/modules/site"
	"onrush/test/goods"
	"onrush/test/kit"
)

// now is the time of these tests.
var now = time.Date(2026, 5, 31, 12, 30, 45, 500_000_000, time.UTC)

// ordersOf returns my orders over SQL; none of these tests has a cached order.
func ordersOf(s *kit.Stores) *myorders.Service {
	log := slog.New(slog.DiscardHandler)
	cache := myorders.NewCache(s.Redis, s.Keys, sites.Fixed(0), log)
	return myorders.NewService(s.DB, cache, func() time.Time { return now }, log)
}

// newPlacer returns a placer whose order numbers end with what random returns.
func newPlacer(s *kit.Stores, sh goods.Goods, random func() uint32) *Placer {
	return NewPlacer(0, Deps{
		DB: s.DB, Catalogue: sh.Catalogue, Destinations: sh.Destinations, Now: kit.NewClock(now).Now, Random: random,
		Log: slog.New(slog.DiscardHandler),
	})
}

// counting returns a function that returns 1, 2, 3, …
func counting() func() uint32 {
	var mu sync.Mutex
	var n uint32
	return func() uint32 {
		mu.Lock()
		defer mu.Unlock()
		n++
		return n
	}
}

func countOrders(t *testing.T, s *kit.Stores) int {
	t.Helper()
	var n int
	require.NoError(t, s.DB.Write.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM orders`))
	return n
}

// items makes items of pairs: a sku and how many of it.
func items(pairs ...any) []Item {
	var list []Item
	for pair := range slices.Chunk(pairs, 2) {
		list = append(list, Item{SKU: pair[0].(string), Quantity: int64(pair[1].(int))})
	}
	return list
}

func TestOneOrderPerShopIsPlaced(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := goods.New(s)
		goods.PutPoints(t, sh.Catalogue, catalogue.Point{ID: "p1", Regions: []string{"east"}, FreightExtra: 5})
		heavy := goods.Lamp("sku-2")
		heavy.Freight = catalogue.FreightRule{Fee: 80}
		voucher := goods.Code("sku-4", "shop-0")
		voucher.Kind = catalogue.Voucher
		goods.PutSKUs(t, sh.Catalogue, goods.Lamp("sku-1"), heavy, goods.Code("sku-3", "shop-0"), voucher)
		address := sh.Address(t, "u", "east")
		request := Request{
			Items:     items("sku-2", 1, "sku-3", 2, "sku-1", 4, "sku-4", 1),
			AddressID: address.AddressID, Delivery: catalogue.Express,
			ClientTexts: order.ClientTexts{Remark: "two\nlines"},
		}
		views, _, err := newPlacer(s, sh, counting()).Place(ctx, "u", "key", "10.0.0.1", request)
		require.NoError(t, err)
		require.Len(t, views, 2)

		codes, lamps := views[0], views[1]
		assert.Equal(t, "shop-0", codes.Shop)
		assert.Equal(t, catalogue.Voucher, codes.Kind)
		assert.Equal(t, catalogue.None, codes.Delivery)
		assert.Nil(t, codes.Address)
		assert.EqualValues(t, 900, codes.TotalAmount)

		assert.Equal(t, "shop-a", lamps.Shop)
		assert.Equal(t, catalogue.Physical, lamps.Kind)
		assert.Equal(t, catalogue.Express, lamps.Delivery)
		assert.Equal(t, &address, lamps.Address)
		assert.EqualValues(t, 5000, lamps.GoodsAmount)
		assert.EqualValues(t, 85, lamps.FreightAmount, "the lamps go free, the heavy one doesn't")
		assert.EqualValues(t, 5085, lamps.TotalAmount)
		assert.Equal(t, "two\nlines", lamps.Remark)
		assert.Equal(t, order.Unpaid, lamps.Status)
		assert.Equal(t, order.Ordinary, lamps.Type)
		assert.Zero(t, lamps.Number.Lane())
		assert.Equal(t, lamps.PlacedAt.Time().Add(30*time.Minute), lamps.PayBefore.Time())

		for sku, left := range map[string]int64{"sku-1": 6, "sku-2": 9, "sku-3": 3, "sku-4": 4} {
			assert.Equal(t, left, goods.Stock(t, s, sku), sku)
		}
		list, err := ordersOf(s).List(ctx, "u", myorders.Filter{Name: "LAMP SKU-1"},
			api.Page{Page: 1, Size: api.MaxPageSize})
		require.NoError(t, err)
		require.Len(t, list.Items, 1)
		answered := lamps
		answered.Events = nil // lists omit them
		data, err := json.Marshal(list.Items[0])
		require.NoError(t, err)
		var listed order.View
		require.NoError(t, json.Unmarshal(data, &listed))
		want, err := json.Marshal(answered)
		require.NoError(t, err)
		got, err := json.Marshal(listed)
		require.NoError(t, err)
		assert.JSONEq(t, string(want), string(got), "the list shows what was answered")
		stored, err := order.Select(ctx, s.DB.Read, lamps.Number)
		require.NoError(t, err)
		assert.Equal(t, "p1", stored.Point)
		assert.Equal(t, "10.0.0.1", stored.PlacedFrom)
	})
}

func TestSoldOutShopKeepsTheWholeRequestFromBeingPlaced(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		goods.PutSKUs(t, sh.Catalogue, goods.Code("sku-1", "shop-a"), goods.Code("sku-2", "shop-b"))
		_, _, err := newPlacer(s, sh, counting()).Place(t.Context(), "u", "key", "",
			Request{Items: items("sku-1", 5, "sku-2", 6)})
		require.Equal(t, order.CodeSoldOut, problem.CodeOf(err))
		assert.Contains(t, err.Error(), "sku-2")
		assert.EqualValues(t, 5, goods.Stock(t, s, "sku-1"))
		assert.Zero(t, countOrders(t, s))
	})
}

func TestConcurrentRequestsWithOneKeyGetOneOrderAndEqualAnswers(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		goods.PutSKUs(t, sh.Catalogue, goods.Code("sku-1", "shop-a"), goods.Code("sku-2", "shop-b"))
		placer := newPlacer(s, sh, counting())
		request := Request{Items: items("sku-2", 5, "sku-1", 1)} // all there are of sku-2
		const calls = 20
		answers, errs := make([][]order.View, calls), make([]error, calls)
		kit.Crowd(calls, func(i int) { answers[i], _, errs[i] = placer.Place(t.Context(), "u", "key", "", request) })
		for i := range calls {
			require.NoError(t, errs[i])
			assert.Equal(t, answers[0], answers[i])
		}
		assert.Equal(t, 2, countOrders(t, s))
		assert.EqualValues(t, 0, goods.Stock(t, s, "sku-2"))
		assert.EqualValues(t, 4, goods.Stock(t, s, "sku-1"))
	})
}

func TestKeyWithAnotherRequestIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := goods.New(s)
		goods.PutSKUs(t, sh.Catalogue, goods.Code("sku-1", "shop-a"))
		placer := newPlacer(s, sh, counting())
		first, _, err := placer.Place(ctx, "u", "key", "", Request{Items: items("sku-1", 1)})
		require.NoError(t, err)
		_, _, err = placer.Place(ctx, "u", "key", "", Request{Items: items("sku-1", 2)})
		assert.Equal(t, problem.CodeIdempotencyKeyReused, problem.CodeOf(err))
		other, _, err := placer.Place(ctx, "v", "key", "", Request{Items: items("sku-1", 2)})
		require.NoError(t, err, "another user's key is another key")
		assert.NotEqual(t, first[0].Number, other[0].Number)
	})
}

func TestReplayAnswersAfterTheSKUIsSoldOut(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := goods.New(s)
		goods.PutSKUs(t, sh.Catalogue, goods.Code("sku-1", "shop-a"))
		placer := newPlacer(s, sh, counting())
		request := Request{Items: items("sku-1", 5)}
		first, _, err := placer.Place(ctx, "u", "key", "", request)
		require.NoError(t, err)
		again, _, err := placer.Place(ctx, "u", "key", "", request)
		require.NoError(t, err)
		assert.Equal(t, first, again)
		_, _, err = placer.Place(ctx, "u", "key-2", "", request)
		assert.Equal(t, order.CodeSoldOut, problem.CodeOf(err))
	})
}

func TestTakenNumberIsReplaced(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		ctx := t.Context()
		sh := goods.New(s)
		goods.PutSKUs(t, sh.Catalogue, goods.Code("sku-1", "shop-a"), goods.Code("sku-2", "shop-b"))
		random := []uint32{7, 7, 8, 9, 10}
		placer := newPlacer(s, sh, func() uint32 {
			next := random[0]
			random = random[1:]
			return next
		})
		first, _, err := placer.Place(ctx, "u", "key-1", "", Request{Items: items("sku-1", 1)})
		require.NoError(t, err)
		views, _, err := placer.Place(ctx, "u", "key-2", "", Request{Items: items("sku-1", 1, "sku-2", 1)})
		require.NoError(t, err)
		assert.Equal(t, order.NewNumber(now, 0, 7), first[0].Number)
		assert.Equal(t, order.NewNumber(now, 0, 9), views[0].Number)
		assert.EqualValues(t, 3, goods.Stock(t, s, "sku-1"))

		same := newPlacer(s, sh, func() uint32 { return 7 })
		_, _, err = same.Place(ctx, "u", "key-3", "", Request{Items: items("sku-1", 1)})
		require.Error(t, err, "the tries are bounded")
		assert.EqualValues(t, 3, goods.Stock(t, s, "sku-1"))
	})
}

func TestConcurrentBuyersGetNoMoreThanTheStock(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		first, second := goods.Code("sku-1", "shop-a"), goods.Code("sku-2", "shop-b")
		first.Stock, second.Stock = 7, 100
		goods.PutSKUs(t, sh.Catalogue, first, second)
		placer := newPlacer(s, sh, counting())
		errs := make([]error, 30)
		kit.Crowd(len(errs), func(i int) {
			request := Request{Items: items("sku-1", 1, "sku-2", 1)}
			if i%2 == 0 {
				request.Items = items("sku-2", 1, "sku-1", 1)
			}
			_, _, errs[i] = placer.Place(context.WithoutCancel(t.Context()), "u",
				strings.Repeat("k", i+1), "", request)
		})
		placed := 0
		for _, err := range errs {
			if err == nil {
				placed++
			} else {
				assert.Equal(t, order.CodeSoldOut, problem.CodeOf(err))
			}
		}
		assert.Equal(t, 7, placed)
		assert.Equal(t, 14, countOrders(t, s))
		assert.EqualValues(t, 0, goods.Stock(t, s, "sku-1"))
		assert.EqualValues(t, 93, goods.Stock(t, s, "sku-2"))
	})
}

// The tags of a body refuse the rest; test/contract tries them on every route.
func TestRequestThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		dollars := goods.Code("sku-2", "shop-a")
		dollars.Currency = "USD"
		goods.PutSKUs(t, sh.Catalogue, goods.Code("sku-1", "shop-a"), dollars, goods.Lamp("sku-3"))
		placer := newPlacer(s, sh, counting())
		for name, tc := range map[string]struct {
			request Request
			code    problem.Code
		}{
			"virtual by express": {
				Request{Items: items("sku-1", 1), Delivery: catalogue.Express}, problem.CodeInvalidRequest,
			},
			"mixed currencies":     {Request{Items: items("sku-1", 1, "sku-2", 1)}, problem.CodeInvalidRequest},
			"an unknown sku":       {Request{Items: items("sku-9", 1)}, problem.CodeNotFound},
			"goods but no address": {Request{Items: items("sku-3", 1)}, catalogue.CodeAddressRequired},
		} {
			_, _, err := placer.Place(t.Context(), "u", "key", "", tc.request)
			assert.Equal(t, tc.code, problem.CodeOf(err), name)
		}
		assert.Zero(t, countOrders(t, s))
	})
}

func TestOrdinaryOrdersAreUnavailableWithoutSQL(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		sh := goods.New(s)
		goods.PutSKUs(t, sh.Catalogue, goods.Code("sku-1", "shop-a"))
		s.SQLAway(t)
		_, _, err := newPlacer(s, sh, counting()).Place(t.Context(), "u", "key", "", Request{Items: items("sku-1", 1)})
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err))
	}, kit.Breakable())
}
