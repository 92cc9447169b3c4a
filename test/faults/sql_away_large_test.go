//go:build large

package faults

import "testing"

func TestOrdersArePlacedInSeveralWavesWhileTheSQLServerIsFrozenOrKilled(t *testing.T) {
	t.Parallel()
	runOnOwnSQL(t, 3)
}
