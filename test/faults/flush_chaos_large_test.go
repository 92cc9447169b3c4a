//go:build large

package faults

import "testing"

func TestNothingIsOversoldInManyRoundsWhileRedisIsEmptied(t *testing.T) {
	t.Parallel()
	emptyRepeatedly(t, 2, 12)
}
