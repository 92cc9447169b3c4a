//go:build large

package onrush_test

import "testing"

func TestFiftyStopsLeaveNothingBehind(t *testing.T) { //nolint:paralleltest // it counts what the process has
	stopAgainAndAgain(t, 50)
}
