//go:build large

package onrush_test

import "testing"

func TestTheLedgerOfAProgramKilledFiftyTimesAgreesWithItsOrders(t *testing.T) {
	t.Parallel()
	killTheLedger(t, 50)
}
