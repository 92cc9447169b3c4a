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
	assert.WithinDuration(t, time.Now().Add(time.Hour), now(), time.Minute)
	require.NoError(t, os.WriteFile(file, []byte("-1h0m0s"), 0o600))
	assert.Eventually(t, func() bool { return now().Before(time.Now().Add(-59 * time.Minute)) },
		patience, pollEvery, "it steps back")
}
