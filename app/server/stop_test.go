package server

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIdleConnectionDoesNotDelayTheStop(t *testing.T) {
	t.Parallel()
	cfg := Config{Addr: "127.0.0.1:0", DataDir: t.TempDir(), Lanes: 4}
	parts, closeStores, err := Open(t.Context(), &cfg, slog.New(slog.DiscardHandler), nil)
	require.NoError(t, err)
	defer closeStores()
	s, err := New(cfg, parts)
	require.NoError(t, err)
	s.stopWithin = 300 * time.Millisecond // far less than the server waits for a first request
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()

	unused, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", ln.Addr().String())
	require.NoError(t, err)
	defer func() { _ = unused.Close() }()
	require.Eventually(t, func() bool {
		return s.App.Server().GetOpenConnectionsCount() > 0
	}, 10*time.Second, time.Millisecond)
	stop()
	require.NoError(t, <-served)
}
