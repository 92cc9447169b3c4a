package grace

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/api"
	"onrush/modules/order"
)

// A payment that ends before the deadline of its order reads no grace: there is nothing to read from.
func TestAnEarlyEndReadsNoGrace(t *testing.T) {
	t.Parallel()
	end := time.UnixMilli(1_800_000_000_000)
	for _, after := range []time.Duration{0, time.Minute} {
		o := &order.Order{}
		o.Type, o.PayBefore = order.Seckill, api.Millis(end.Add(after).UnixMilli())
		got, err := Earlier(t.Context(), nil, end, o)
		require.NoError(t, err)
		assert.True(t, got.Equal(end))
	}
}
