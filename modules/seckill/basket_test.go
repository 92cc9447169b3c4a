package seckill

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/catalogue"
	"onrush/modules/ids"
	"onrush/modules/problem"
)

func units(n int64) *int64 { return &n }

func TestALongestPathOfSeveralSkusIsOpened(t *testing.T) {
	t.Parallel()
	skus := make([]string, lua.MaxTakes)
	for i := range skus {
		skus[i] = strings.Repeat(string(rune('a'+i)), ids.Max)
	}
	p := path{
		activity: strings.Repeat("x", ids.Max), sku: strings.Join(skus, skuSeparator), early: true,
		limitKey: strings.Repeat("k", 22), expiresMS: 1_767_323_045_678,
	}
	sealed := testSigner.sealPath("ada", p)
	opened, err := testSigner.openPath("ada", sealed)
	require.NoError(t, err)
	assert.Equal(t, p, opened)
	assert.LessOrEqual(t, len(sealed), 1200, "what the API says")
	_, err = testSigner.openPath("eve", sealed)
	require.Error(t, err)
}

// The lines of a submit must be the skus of its path, whatever their order, and each once.
func TestLinesMustBeTheSkusOfThePath(t *testing.T) {
	t.Parallel()
	lamp, desk := &ActivitySKU{SKU: "lamp", FlashPrice: 5}, &ActivitySKU{SKU: "desk", FlashPrice: 7}
	both := []*ActivitySKU{desk, lamp}
	for name, row := range map[string]struct {
		goods []*ActivitySKU
		lines []Line
		one   int64 // the quantity beside lines
		want  []int64
	}{
		"in order":     {both, []Line{{"desk", units(1)}, {"lamp", units(2)}}, 1, []int64{1, 2}},
		"out of order": {both, []Line{{"lamp", units(2)}, {"desk", nil}}, 1, []int64{1, 2}},
		"none":         {both, nil, 1, nil},
		"one":          {both, []Line{{"lamp", units(2)}}, 1, nil},
		"twice":        {both, []Line{{"lamp", units(2)}, {"lamp", units(1)}}, 1, nil},
		"another":      {both, []Line{{"lamp", units(2)}, {"chair", units(1)}}, 1, nil},
		"too many":     {both, []Line{{"lamp", nil}, {"desk", nil}, {"chair", nil}}, 1, nil},
		"a quantity":   {both, []Line{{"lamp", nil}, {"desk", nil}}, 2, nil},
		"of one sku":   {both[:1], nil, 3, []int64{3}},
		"a line":       {both[:1], []Line{{"desk", units(4)}}, 1, []int64{4}},
		"another line": {both[:1], []Line{{"lamp", units(4)}}, 1, nil},
	} {
		tidy(row.lines)
		lines, err := linesOf(row.goods, Choice{Quantity: row.one, Lines: row.lines})
		var got []int64
		for _, l := range lines {
			got = append(got, l.quantity)
		}
		assert.Equal(t, row.want, got, name)
		if row.want == nil {
			assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), name)
		}
	}
}

// A quote of several skus holds for these skus, units and prices alone; one of one sku is as it was in older versions.
func TestAQuoteIsOfItsLines(t *testing.T) {
	t.Parallel()
	lamp, desk := &ActivitySKU{SKU: "lamp", FlashPrice: 5}, &ActivitySKU{SKU: "desk", FlashPrice: 7}
	var both, alone quote
	both.put([]orderLine{{desk, 1, nil}, {lamp, 2, nil}}, 3)
	assert.Equal(t, "desk,lamp", both.SKU)
	assert.EqualValues(t, 3, both.Quantity)
	assert.True(t, both.isOf([]orderLine{{desk, 1, nil}, {lamp, 2, nil}}))
	assert.False(t, both.isOf([]orderLine{{desk, 2, nil}, {lamp, 1, nil}}))
	assert.False(t, both.isOf([]orderLine{{desk, 3, nil}}))
	assert.True(t, both.isPriced([]orderLine{{desk, 1, nil}, {lamp, 2, nil}}))
	assert.False(t, both.isPriced([]orderLine{{desk, 1, nil}, {&ActivitySKU{SKU: "lamp", FlashPrice: 6}, 2, nil}}))
	alone.put([]orderLine{{lamp, 2, nil}}, 2)
	assert.Equal(t, quote{SKU: "lamp", Price: 5, Quantity: 2}, alone)
	assert.False(t, alone.isOf([]orderLine{{lamp, 1, nil}}))
	assert.False(t, alone.isPriced([]orderLine{{desk, 2, nil}}))
}

func TestTheGoodsOfAnOrderAreOfOneKindAndAmount(t *testing.T) {
	t.Parallel()
	lamp := &ActivitySKU{SKU: "lamp", FlashPrice: 1e12, Kind: catalogue.Physical}
	card := &ActivitySKU{SKU: "card", FlashPrice: 7, Kind: catalogue.Voucher}
	for name, lines := range map[string][]orderLine{
		"two kinds": {{card, 1, nil}, {lamp, 1, nil}}, "too much": {{lamp, 5000, nil}, {lamp, 5000, nil}},
		"too many vouchers": {{card, 60, nil}, {card, 60, nil}},
	} {
		_, _, err := amountsOf(lines)
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(err), name)
	}
	goods, n, err := amountsOf([]orderLine{{card, 2, nil}, {card, 3, nil}})
	require.NoError(t, err)
	assert.Equal(t, []int64{35, 5}, []int64{goods, n})
}

func TestASaleOfSeveralSkusInAnOrderHasNoWaitingList(t *testing.T) {
	t.Parallel()
	require.NoError(t, (&Activity{}).CheckBasket())
	require.NoError(t, (&Activity{BasketMax: 2}).CheckBasket())
	for _, a := range []Activity{{BasketMax: 1}, {BasketMax: 11}, {BasketMax: -1}, {BasketMax: 2, OfferWithinS: 60}} {
		assert.Equal(t, problem.CodeInvalidRequest, problem.CodeOf(a.CheckBasket()))
	}
}
