//go:build large

package faults

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
)

// A master that sentinels watch is killed, or frozen until it is replaced, while buyers order at two instances: with
// answers that wait for the replica, no order that was answered is lost.
func TestSentinelsReplaceAMasterAndNoOrderIsLost(t *testing.T) {
	t.Parallel()
	const rounds = 2 // one of each
	w := kit.OnSentinels(t)
	f := newFailoversOn(t, w.Stores, w.Settle, 5, 1, rounds)
	for round := range rounds {
		before := w.Master(t)
		stop, goOn := before.Kill, before.Restart
		if round%2 == 1 {
			stop, goOn = before.Freeze, before.Thaw
		}
		f.round(t, round, func(*failovers, *testing.T) { //nolint:thelper // the test of the fault
			stop(t)
			require.Eventually(t, func() bool { return w.Master(t) != before }, patience, pollEvery)
			goOn(t)
		})
		t.Logf("%d: %d unknown, %d missing, %d with another number", round, f.unknown.Load(), f.missing, f.renumbered)
	}
	assert.Zero(t, f.missing, "orders that were answered 202")
	assert.Zero(t, f.renumbered, "orders that were answered 202 with a number that they don't have")
}
