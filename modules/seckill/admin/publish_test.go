package admin

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/modules/catalogue"
	"onrush/modules/seckill"
)

func TestASaleNamesTheSKUsThatNoLongerFitIt(t *testing.T) {
	t.Parallel()
	of := func(change func(*seckill.ActivitySKU)) []misfit {
		a := &seckill.Activity{Shop: "a"}
		for _, id := range []string{"lamp", "desk"} {
			a.SKUs = append(a.SKUs, seckill.ActivitySKU{
				SKU: id, Shop: "a", Kind: catalogue.Physical, DraftedKind: catalogue.Physical, Currency: "CNY",
				SKUCurrency: "CNY",
				Stock:       []seckill.PointStock{{Point: catalogue.DefaultPoint}, {Point: "east"}},
			})
		}
		change(&a.SKUs[1])
		return misfits(a)
	}
	assert.Empty(t, of(func(*seckill.ActivitySKU) {}))
	for why, change := range map[string]func(*seckill.ActivitySKU){
		"no longer exists":            func(g *seckill.ActivitySKU) { g.Kind = "" },
		"now belongs to another shop": func(g *seckill.ActivitySKU) { g.Shop = "b" },
		"now has another currency than the first sku": func(g *seckill.ActivitySKU) {
			g.Currency, g.SKUCurrency = "EUR", "EUR"
		},
		"now has the currency KRW, but its price in the draft is in CNY: " +
			"write the draft again": func(g *seckill.ActivitySKU) { g.SKUCurrency = "KRW" },
		"is now of the kind virtual, but was physical when the draft was written: write the draft again": func(
			g *seckill.ActivitySKU,
		) {
			g.Kind = catalogue.Virtual
		},
		`is no longer delivered, but has stock at points other than "0"`: func(g *seckill.ActivitySKU) {
			g.Kind, g.DraftedKind = catalogue.Virtual, catalogue.Virtual
		},
	} {
		assert.Equal(t, []misfit{{"desk", why}}, of(change))
	}
}
