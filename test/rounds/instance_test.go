package rounds

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAClockIsWrongByWhatItsFileSays(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	file := filepath.Join(t.TempDir(), "clock")
	require.NoError(t, os.WriteFile(file, []byte("1h0m0s"), 0o600))
	now := wrongClock(ctx, file)
	before := now()
	assert.WithinDuration(t, time.Now().Round(0).Add(time.Hour), before.Round(0), time.Minute)
	require.NoError(t, os.WriteFile(file, []byte("0s"), 0o600))
	assert.Eventually(t, func() bool { return now().Round(0).Before(before.Round(0)) },
		patience, pollEvery, "it steps back")
	assert.Positive(t, now().Sub(before), "the monotonic clock goes on")
}
