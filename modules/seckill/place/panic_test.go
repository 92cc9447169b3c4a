package place

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/lua"
	"onrush/modules/gather"
	"onrush/modules/panics"
)

func TestAPanicWhilePlacingIsAnswered(t *testing.T) {
	t.Parallel()
	// Without scripts, placing panics.
	p := newPlacer(t, Config{}, nil, time.Now)
	for range 3 { // the loop of the activity is of use again
		_, err := p.inBatch(t.Context(), &Sale{Activity: "sale", Lane: 1}, lua.PlaceOrder{})
		require.ErrorIs(t, err, gather.ErrUnknown)
		var panicked *panics.Error
		require.ErrorAs(t, err, &panicked)
	}
	require.NoError(t, p.Stop(t.Context()))
}
