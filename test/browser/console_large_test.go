//go:build large

package browser_test

import (
	"testing"

	"onrush/test/kit"
)

// What needs a person is on the console's first page, with its action: a dead entry, and a payment with a flag.
func TestAnOperatorDoesWhatNeedsAPerson(t *testing.T) {
	t.Parallel()
	doWhatNeedsAPerson(t, kit.OnEmbedded(t))
}

// A refund in part, found by the one search box.
func TestAnOperatorRefundsInPart(t *testing.T) {
	t.Parallel()
	refundInPart(t, kit.OnEmbedded(t))
}
