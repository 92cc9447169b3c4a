package rounds

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"onrush/web/client"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func TestAnOrderThatWasPlacedWhileAllSalesWereStoppedIsSeen(t *testing.T) {
	t.Parallel()
	stops := []stop{{from: noon, until: noon.Add(3 * time.Second)}}
	placed := func(after time.Duration) []client.AdminOrder {
		return []client.AdminOrder{{OrderNumber: "1", PlacedAt: noon.Add(after)}}
	}
	for _, after := range []time.Duration{-time.Second, time.Second, stopWithin, 3 * time.Second, time.Minute} {
		assert.Empty(t, brokenStops(stops, placed(after)), after)
	}
	for _, after := range []time.Duration{stopWithin + time.Millisecond, 2 * time.Second, 2999 * time.Millisecond} {
		assert.Len(t, brokenStops(stops, placed(after)), 1, after)
	}
}
