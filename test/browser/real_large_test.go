//go:build large

package browser_test

import (
	"testing"

	"onrush/test/kit"
)

// A page can't tell on which stores a server runs, so the stories of whole purchases and of what operators do run on
// real ones only here.
func TestStoriesOfPagesOnRealStores(t *testing.T) {
	t.Parallel()
	for name, story := range map[string]func(*testing.T, *kit.Stores){
		"a page of a shop buys":          buyThroughEveryGate,
		"the shop sells":                 buyGoodsAndAVoucher,
		"a sale that Redis lacks":        findSaleThatRedisLacks,
		"a sale and its crowd":           publishAndWatchACrowd,
		"what needs a person":            doWhatNeedsAPerson,
		"refunds of a part of a payment": refundInPart,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, kit.OnReal(t))
		})
	}
}
