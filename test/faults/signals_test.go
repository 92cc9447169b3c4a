package faults

import (
	"net/http"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

// TestSignalsEndTheProgramInOrder: SIGHUP doesn't end it, SIGTERM lets it serve on without being ready, and another
// signal ends it at once.
func TestSignalsEndTheProgramInOrder(t *testing.T) {
	t.Parallel()
	skipInShort(t)
	file, err := binary()
	require.NoError(t, err)
	for _, second := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		env := append(site.Env(), "ONRUSH_ADDR=127.0.0.1:0", "ONRUSH_DATA_DIR="+t.TempDir(), "ONRUSH_STOP_DELAY=10m")
		program := kit.Run(t, file, env...)
		stranger := site.Remote(t, program.URL).Stranger()
		status := func(path string) int { return stranger.Ask(http.MethodGet, path, "", nil).Status }
		until(t, func() bool { return status("/readyz") == http.StatusOK })
		program.Signal(t, syscall.SIGHUP)
		assert.Equal(t, http.StatusOK, status("/readyz"))
		program.Signal(t, syscall.SIGTERM)
		until(t, func() bool { return status("/readyz") == http.StatusServiceUnavailable })
		assert.Equal(t, http.StatusOK, status("/livez"), "it serves on")
		program.Signal(t, second)
		require.NoError(t, program.Ended(patience))
	}
}
