package gateway

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/modules/pay"
	"onrush/test/double"
)

func TestAgesAreCountedInBothDirections(t *testing.T) {
	t.Parallel()
	require.NoError(t, CheckAge(double.Now, double.Now.Add(notificationAge)))
	require.NoError(t, CheckAge(double.Now, double.Now.Add(-notificationAge)))
	require.ErrorIs(t, CheckAge(double.Now, double.Now.Add(notificationAge+time.Second)), pay.ErrSignature)
	require.ErrorIs(t, CheckAge(double.Now, double.Now.Add(-notificationAge-time.Second)), pay.ErrSignature)
	require.ErrorIs(t, CheckAge(double.Now, time.Unix(1<<62, 0)), pay.ErrSignature)
	require.ErrorIs(t, CheckAge(double.Now, time.Unix(-1<<62, 0)), pay.ErrSignature)
}
