//go:build large

package inventory_test

import "testing"

func TestAuditJobRepairsManyFailovers(t *testing.T) {
	t.Parallel()
	repairFailovers(t, 60)
}
