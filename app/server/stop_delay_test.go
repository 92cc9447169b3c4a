package server

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startForStop runs a server on embedded stores until the context that stop ends.
func startForStop(t *testing.T, delay time.Duration) (s *Server, url string, stop func(), served <-chan error) {
	t.Helper()
	cfg := Config{Addr: "127.0.0.1:0", DataDir: t.TempDir(), Lanes: 4, StopDelay: delay}
	parts, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler), nil)
	require.NoError(t, err)
	t.Cleanup(closeStores)
	s, err = New(cfg, parts)
	require.NoError(t, err)
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	return s, "http://" + ln.Addr().String(), cancel, ended
}

// get returns the answer to a request on a connection of its own; status 0 if there is none.
func get(ctx context.Context, t *testing.T, url string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	req.Close = true
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(raw)
}

func TestAServerThatIsToldToStopServesOnWithoutBeingReady(t *testing.T) {
	t.Parallel()
	s, url, stop, served := startForStop(t, maxStopDelay)
	require.Eventually(t, func() bool {
		status, _ := get(t.Context(), t, url+"/readyz")
		return status == http.StatusOK
	}, 10*time.Second, 10*time.Millisecond)
	stop()
	require.Eventually(t, func() bool {
		status, body := get(t.Context(), t, url+"/readyz")
		return status == http.StatusServiceUnavailable && assert.Contains(t, body, `"stopping"`)
	}, 10*time.Second, 10*time.Millisecond)
	status, _ := get(t.Context(), t, url+"/api/v1/activities")
	assert.Equal(t, http.StatusUnauthorized, status, "other requests are answered as before")
	assert.Empty(t, served)

	s.Hurry() // ten minutes have not passed
	require.NoError(t, <-served)
	status, _ = get(t.Context(), t, url+"/livez")
	assert.Zero(t, status)
}
