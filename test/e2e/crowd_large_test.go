//go:build large

package e2e

import "testing"

func TestFiveThousandBuyersGetExactlyTheStockOfEachRegion(t *testing.T) {
	t.Parallel()
	sellToRegions(t, crowdRegions(100))
}
