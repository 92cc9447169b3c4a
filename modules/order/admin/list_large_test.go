//go:build large

package admin

import "testing"

func TestAFileOfVeryManyOrdersNeedsTheMemoryOfAPage(t *testing.T) { //nolint:paralleltest // it measures the heap
	fileNeedsAPage(t, 100_000)
}
