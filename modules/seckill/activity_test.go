package seckill_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/lua"
	"onrush/modules/needs"
	"onrush/modules/seckill"
	"onrush/modules/seckill/gates/eligible"
	"onrush/modules/seckill/waves"
)

// An instance of an older build ignores these fields, so a sale must say that it has them.
func TestASaleNeedsTheAbilitiesOfItsFields(t *testing.T) {
	t.Parallel()
	plan := waves.Of([]lua.Wave{{Point: "0", AtMS: 1, Quantity: 1}})
	used := map[string]seckill.Activity{
		needs.Eligibility: {Eligible: eligible.Settings{Code: true}},
		needs.LimitKey:    {LimitKey: "household"},
		needs.Baskets:     {BasketMax: 2},
		needs.Bundles:     {SKUs: []seckill.ActivitySKU{{Parts: seckill.Parts{{SKU: "a", Quantity: 1}}}}},
		needs.Draw:        {Mode: seckill.Draw},
		needs.Reserved:    {Reserved: eligible.ReservedFor{List: true}},
		needs.Waitlist:    {OfferWithinS: 60},
		needs.Waves:       {SKUs: []seckill.ActivitySKU{{Waves: plan}}},
	}
	for name, a := range used {
		assert.Equal(t, []string{name}, a.Using())
	}
	assert.Len(t, used, len(slices.Compact(needs.Abilities()))-1, "holds are no field of a sale")
	assert.Empty(t, new(seckill.Activity).Using())
}
