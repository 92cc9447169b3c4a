//go:build large

package faults

import (
	"testing"
	"time"
)

func TestTenThousandWalksOfMyOrdersOnAReplicaFiveSecondsBehind(t *testing.T) {
	t.Parallel()
	walkMyOrdersOnAReplica(t, 5*time.Second, 10_000)
}
