package seckill

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/modules/seckill/waves"
)

func at(points ...string) (stock []PointStock) {
	for i, p := range points {
		stock = append(stock, PointStock{Point: p, Total: int64(4 + i)})
	}
	return stock
}

// bundleSale is a sale of a bundle of one desk and three lamps.
func bundleSale() *Activity {
	return &Activity{PurchaseLimit: 4, SKUs: []ActivitySKU{
		{SKU: "set", FlashPrice: 1000, Currency: "CNY", Parts: Parts{{"desk", 1}, {"lamp", 3}}, Fee: 9},
		{
			SKU: "desk", FlashPrice: 900, Currency: "CNY", PurchaseLimit: 1, Stock: at("0", "n"), Fee: 5,
			RequiredFields: []string{"wood"},
		},
		{SKU: "lamp", FlashPrice: 300, Currency: "CNY", Stock: at("n", "s"), PurchaseLimit: Unlimited},
		{SKU: "card", FlashPrice: 300, Currency: "CNY", Stock: at("0"), DraftedKind: catalogue.Voucher},
		{SKU: "far", FlashPrice: 300, Currency: "CNY", Stock: at("x")},
	}}
}

func TestABundleIsThePartsThatOneStockPointHas(t *testing.T) {
	t.Parallel()
	a := bundleSale()
	set := &a.SKUs[0]
	assert.Equal(t, []string{"n"}, a.points(set))
	assert.EqualValues(t, 1, a.Total(set), "4 lamps at n")
	assert.EqualValues(t, 9, a.Total(&a.SKUs[1]))
	assert.Equal(t, catalogue.FieldNames{"wood"}, a.required(set))
	lines, err := a.unbundle([]orderLine{{set, 2, nil}})
	require.NoError(t, err)
	var q quote
	q.put(lines, 8)
	assert.Equal(t, quote{SKU: "set", Quantity: 8, Currency: "CNY", Lines: []quotedLine{
		{"desk", 2, 502}, {"lamp", 6, 166},
	}}, q)
	goods, _, err := amountsOf(lines)
	require.NoError(t, err)
	assert.EqualValues(t, 2000, goods, "two bundles")
	assert.True(t, q.isOf(lines))
	assert.Equal(t, "set", lineOf(lines, "set").SKU)
	assert.Equal(t, "lamp", lineOf(lines, "lamp").SKU)
	assert.EqualValues(t, 900, a.SKUs[1].FlashPrice, "the desk alone")
	same, err := a.unbundle([]orderLine{{&a.SKUs[1], 2, nil}})
	require.NoError(t, err)
	assert.Equal(t, []orderLine{{&a.SKUs[1], 2, nil}}, same)
	a.SKUs = a.SKUs[:2]
	_, err = a.unbundle([]orderLine{{set, 2, nil}})
	require.Error(t, err, "a copy that lacks a part")
	assert.Empty(t, a.points(set))
}

func TestABundleIsOrderedAlone(t *testing.T) {
	t.Parallel()
	a := bundleSale()
	a.BasketMax = 3
	_, err := a.goods("desk,set")
	assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err))
	_, err = a.goods("set")
	require.NoError(t, err)
}

func TestPartsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for text, parts := range map[string]Parts{"": nil, "a*1,b*30": {{"a", 1}, {"b", 30}}} {
		column, err := parts.Value()
		require.NoError(t, err)
		assert.Equal(t, text, column)
		read := Parts{{"old", 1}}
		require.NoError(t, read.Scan([]byte(text)))
		assert.Equal(t, parts, read)
	}
	require.Error(t, new(Parts).Scan(1))
	assert.Equal(t, Parts{{"a", 2}, {"b", 1}}, Parts{{"b", 1}, {"a", 2}}.Sorted())
}

// sellVouchers makes all goods of a sale vouchers, and n of its lamps a part.
func sellVouchers(a *Activity, n int64) {
	a.PurchaseLimit = Unlimited
	a.SKUs[0].Parts[1].Quantity = n
	for i := range a.SKUs {
		a.SKUs[i].DraftedKind = catalogue.Voucher
	}
}

func TestABundleThatCanNotBeSoldIsRefused(t *testing.T) {
	t.Parallel()
	require.NoError(t, bundleSale().CheckBundles())
	vouchers := bundleSale()
	sellVouchers(vouchers, 99)
	require.NoError(t, vouchers.CheckBundles())
	for name, change := range map[string]func(a *Activity, set *ActivitySKU){
		"one part":      func(_ *Activity, set *ActivitySKU) { set.Parts = set.Parts[:1] },
		"too many":      func(_ *Activity, set *ActivitySKU) { set.Parts = make(Parts, 10) },
		"twice":         func(_ *Activity, set *ActivitySKU) { set.Parts[1].SKU = "desk" },
		"itself":        func(_ *Activity, set *ActivitySKU) { set.Parts[1].SKU = "set" },
		"another's sku": func(_ *Activity, set *ActivitySKU) { set.Parts[1].SKU = "chair" },
		"another kind":  func(_ *Activity, set *ActivitySKU) { set.Parts[1].SKU = "card" },
		"apart":         func(_ *Activity, set *ActivitySKU) { set.Parts[1].SKU = "far" },
		"a stock":       func(_ *Activity, set *ActivitySKU) { set.Stock = at("n") },
		"waves":         func(_ *Activity, set *ActivitySKU) { set.Waves = make(waves.Plan, 1) },
		"no share": func(a *Activity, set *ActivitySKU) {
			a.PurchaseLimit, a.SKUs[1].PurchaseLimit, set.Parts[0].Quantity = 6, 3, 3
		},
		"a part's limit":  func(a *Activity, _ *ActivitySKU) { a.SKUs[2].PurchaseLimit = 2 },
		"the sale's":      func(a *Activity, _ *ActivitySKU) { a.PurchaseLimit = 3 },
		"vouchers":        func(a *Activity, _ *ActivitySKU) { sellVouchers(a, 100) },
		"a waiting list":  func(a *Activity, _ *ActivitySKU) { a.OfferWithinS = 60 },
		"a draw":          func(a *Activity, _ *ActivitySKU) { a.Mode = Draw },
		"no units":        func(a *Activity, _ *ActivitySKU) { a.SKUs[3].Stock = nil },
		"a bundle inside": func(a *Activity, _ *ActivitySKU) { a.SKUs[2].Parts = Parts{{"card", 1}, {"far", 1}} },
	} {
		a := bundleSale()
		change(a, &a.SKUs[0])
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(a.CheckBundles()), name)
	}
}

func TestTheRefusalOfABundleNamesThePartThatIsTheReason(t *testing.T) {
	t.Parallel()
	a := bundleSale()
	set, desk, lamp := &a.SKUs[0], &a.SKUs[1], &a.SKUs[2]
	reason := func(goods []*ActivitySKU, sku string) []problem.Field {
		var e *problem.Error
		require.ErrorAs(t, named(overLimit(1, 1), goods, sku), &e)
		return e.Fields
	}
	assert.Equal(t, []problem.Field{{Name: "sku_id", Detail: "its part lamp is the reason"}},
		reason([]*ActivitySKU{set}, "lamp"))
	assert.Equal(t, []problem.Field{{Name: "lines[1].sku_id", Detail: "sku lamp is the reason"}},
		reason([]*ActivitySKU{desk, lamp}, "lamp"))
	for _, sku := range []string{"", "set", "card"} {
		assert.Empty(t, reason([]*ActivitySKU{set}, sku), sku)
	}
	assert.Empty(t, reason([]*ActivitySKU{lamp}, "lamp"))
	assert.Empty(t, reason([]*ActivitySKU{desk, lamp}, "card"))
}

// left is what a loaded sale has left, of which nothing is paid.
func left(stock map[string]int64) *Remaining { return &Remaining{Loaded: true, stock: stock} }

func TestABundleThatIsSoldOutSaysWhenMoreCanBeHad(t *testing.T) {
	t.Parallel()
	a := bundleSale()
	set, desk, lamp := &a.SKUs[0], &a.SKUs[1], &a.SKUs[2]
	lamp.Stock = at("0", "n")
	comes := func(r *Remaining) []any {
		atMS, units, planned := r.nextWaveOf(a, set, 50)
		return []any{planned, atMS, units}
	}
	desksApart := left(map[string]int64{"desk~0": 9, "lamp~n": 9})
	assert.True(t, desksApart.bundleMayComeBack(a, set, 50), "lamps of 0 are in orders")
	desksApart.paid = map[string]int64{"lamp~0": 2, "desk~n": 5}
	assert.False(t, desksApart.bundleMayComeBack(a, set, 50), "of the lamps at 0 and the desks at n too many are paid")
	assert.Equal(t, []any{false, int64(0), int64(0)}, comes(desksApart))

	lamp.Waves = waves.Plan{{Point: "n", AtMS: 60, Quantity: 2}, {Point: "0", AtMS: 90, Quantity: 3}}
	desk.Waves = waves.Plan{{Point: "n", AtMS: 70, Quantity: 4}}
	assert.Equal(t, []any{true, int64(70), int64(1)}, comes(left(map[string]int64{"lamp~n": 3, "desk~n": 4})))
	assert.Equal(t, []any{true, int64(60), int64(1)},
		comes(left(map[string]int64{"lamp~n": 4, "desk~n": 5})), "a desk at n is open")
	assert.Equal(t, []any{false, int64(0), int64(0)}, comes(left(map[string]int64{"lamp~n": 6, "desk~n": 5})))
}
