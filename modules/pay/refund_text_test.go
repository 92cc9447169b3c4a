package pay

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/test/kit"
)

// What a person reads has major units; JSON fields have minor ones.
func TestARefundThatIsTooLargeIsRefusedInMajorUnits(t *testing.T) {
	t.Parallel()
	w := newMoneyWorld(t, kit.OnEmbedded(t))
	o := w.paidOrder(t)
	_, err := w.ops.Refund(context.WithoutCancel(t.Context()), byGrace, "k", o.Number,
		RefundRequest{Amount: new(int64(3078))})
	assert.ErrorContains(t, err, "Of the order, 30.77 CNY is left to refund, not 30.78 CNY.")
}
