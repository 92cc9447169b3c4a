package ordinary

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/catalogue"
	"onrush/modules/problem"
	"onrush/test/goods"
	"onrush/test/kit"
)

// shopping fills a catalogue with goods of two shops, in two currencies, and returns an address in a region that p1
// serves.
func shopping(t *testing.T, s *kit.Stores) (goods.Goods, *Placer, string) {
	t.Helper()
	sh := goods.New(s)
	goods.PutPoints(t, sh.Catalogue,
		catalogue.Point{ID: "p1", Regions: []string{"east"}, FreightExtra: 5, Pickup: true})
	dollars, voucher := goods.Code("dollars", "shop-a"), goods.Code("voucher", "shop-0")
	dollars.Currency = "USD"
	voucher.Kind, voucher.Stock = catalogue.Voucher, 1000
	heavy := goods.Lamp("heavy")
	heavy.Freight = catalogue.FreightRule{Fee: 80}
	goods.PutSKUs(t, sh.Catalogue, goods.Lamp("lamp"), heavy, goods.Code("code", "shop-0"), dollars, voucher)
	return sh, newPlacer(s, sh, counting()), sh.Address(t, "u", "east").AddressID
}

func TestAQuoteIsWhatTheOrdersCost(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		_, placer, address := shopping(t, s)
		for name, r := range map[string]Request{
			"two shops": {Items: items("lamp", 2, "code", 3, "heavy", 1, "voucher", 2), AddressID: address},
			"pickup":    {Items: items("lamp", 1), Delivery: catalogue.Pickup, PickupPoint: "p1"},
			"virtual":   {Items: items("code", 1)},
		} {
			quotes, err := placer.Confirm(t.Context(), "u", r)
			require.NoError(t, err, name)
			assert.Empty(t, quotes.Problems, name)
			assert.NotNil(t, quotes.Problems, name)
			orders, _, err := placer.Place(t.Context(), "u", name, "", r)
			require.NoError(t, err, name)
			require.Len(t, quotes.Quotes, len(orders), name)
			for i, q := range quotes.Quotes {
				o := orders[i]
				assert.Equal(t, []any{o.Shop, o.Kind, o.Delivery, o.PickupPoint, o.Currency},
					[]any{q.Shop, q.Kind, q.Delivery, q.PickupPoint, q.Currency}, name)
				assert.Equal(t, []int64{o.GoodsAmount, o.FreightAmount, o.TotalAmount},
					[]int64{q.GoodsAmount, q.FreightAmount, q.TotalAmount}, name)
				assert.Len(t, q.Items, len(o.Items), name)
				for _, it := range q.Items {
					assert.Equal(t, q.PointID, it.Point, name)
				}
				if q.Kind == catalogue.Physical {
					assert.Equal(t, "p1", q.PointID, name)
				}
			}
		}
	})
}

func TestAQuoteLeavesOutWhatCannotBeOrderedAndSaysWhy(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		_, placer, address := shopping(t, s)
		r := Request{
			Items:     items("nothing", 1, "lamp", 2, "dollars", 1, "heavy", 11, "voucher", 101, "code", 5),
			AddressID: address,
		}
		quotes, err := placer.Confirm(t.Context(), "u", r)
		require.NoError(t, err)
		codes := map[string]string{}
		named := make([]string, 0, len(quotes.Problems))
		for _, p := range quotes.Problems {
			codes[p.SKU] = p.Code
			named = append(named, p.SKU)
			assert.NotEmpty(t, p.Detail)
		}
		assert.Equal(t, map[string]string{
			"nothing": "not_found", "dollars": "invalid_request", "heavy": "sold_out", "voucher": "invalid_request",
		}, codes)
		assert.Equal(t, []string{"nothing", "dollars", "heavy", "voucher"}, named, "as in the request")
		require.Len(t, quotes.Quotes, 2)
		assert.EqualValues(t, 1500, quotes.Quotes[0].TotalAmount, "five codes")
		assert.Equal(t, catalogue.Virtual, quotes.Quotes[0].Kind, "the voucher is left out")
		assert.EqualValues(t, 2055, quotes.Quotes[1].TotalAmount, "two lamps, without the freight of the sold-out item")

		// What is quoted can be ordered, and nothing was held.
		r.Items = items("lamp", 2, "code", 5)
		_, _, err = placer.Place(t.Context(), "u", "key", "", r)
		require.NoError(t, err)

		quotes, err = placer.Confirm(t.Context(), "u", Request{Items: items("nothing", 1)})
		require.NoError(t, err)
		assert.Empty(t, quotes.Quotes)
		assert.NotNil(t, quotes.Quotes)
	})
}

func TestAQuoteNeedsTheDeliveryOfAnOrder(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t)
	sh, placer, _ := shopping(t, s)
	theirs := sh.Address(t, "bob", "east").AddressID
	for name, row := range map[string]struct {
		request Request
		code    problem.Code
	}{
		"no address":      {Request{Items: items("lamp", 1)}, catalogue.CodeAddressRequired},
		"another's":       {Request{Items: items("lamp", 1), AddressID: theirs}, problem.CodeNotFound},
		"no pickup point": {Request{Items: items("lamp", 1), Delivery: catalogue.Pickup}, problem.CodeInvalidRequest},
		"a sent code":     {Request{Items: items("code", 1), Delivery: catalogue.Express}, problem.CodeInvalidRequest},
	} {
		_, err := placer.Confirm(t.Context(), "u", row.request)
		assert.Equal(t, row.code, problem.CodeOf(err), name)
		_, _, err = placer.Place(t.Context(), "u", name, "", row.request)
		assert.Equal(t, row.code, problem.CodeOf(err), name)
	}
	assert.Zero(t, countOrders(t, s))
}
