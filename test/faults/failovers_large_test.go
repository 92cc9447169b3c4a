//go:build large

package faults

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failoverRounds is how many rounds a large test of failovers has: ONRUSH_TEST_FAILOVER_ROUNDS, or few.
func failoverRounds(t *testing.T, few int) int {
	t.Helper()
	text := os.Getenv("ONRUSH_TEST_FAILOVER_ROUNDS")
	if text == "" {
		return few
	}
	rounds, err := strconv.Atoi(text)
	require.NoError(t, err, "ONRUSH_TEST_FAILOVER_ROUNDS")
	return rounds
}

func TestManyFailoversLoseNoOrderThatAReplicaHadToConfirm(t *testing.T) {
	t.Parallel()
	rounds := failoverRounds(t, len(faults))
	f := newFailovers(t, 2, 1, rounds)
	f.run(t, rounds)
	assert.Zero(t, f.missing, "orders that were answered 202")
	assert.Zero(t, f.renumbered, "orders that were answered 202 with a number that they don't have")
}

// TestFailoversWithoutReplicasToConfirm logs how many orders the same rounds lose with ONRUSH_REDIS_REPLICAS=0, so what
// the other tests here would see without a WAIT.
func TestFailoversWithoutReplicasToConfirm(t *testing.T) {
	t.Parallel()
	rounds := failoverRounds(t, len(faults))
	newFailovers(t, 2, 0, rounds).run(t, rounds)
}
