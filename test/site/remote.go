package site

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/web"
)

// Remote returns an instance that runs in its own process, at a URL such as http://127.0.0.1:8080, with
// the environment from Env. Persons can call it, but its internals are not accessible.
func Remote(t testing.TB, url string) *Site {
	t.Helper()
	auth, err := web.NewAuth(t.Context(), web.AuthConfig{Secret: JWTSecret}, slog.New(slog.DiscardHandler), time.Now)
	require.NoError(t, err)
	s := &Site{
		Server: &server.Server{Auth: auth}, URL: url,
		client: &http.Client{
			Transport: &http.Transport{MaxConnsPerHost: 256, MaxIdleConnsPerHost: 256},
			Timeout:   30 * time.Second,
		},
	}
	t.Cleanup(s.client.CloseIdleConnections)
	return s
}

// Env is the environment of a process that has the secrets and lanes of the instances that Start
// runs; its stores are the caller's to add.
func Env() []string {
	return []string{
		"ONRUSH_JWT_SECRET=" + JWTSecret, "ONRUSH_PATH_SECRET=" + pathSecret, "ONRUSH_LANES=4",
		"ONRUSH_SANDBOX_SECRET=" + SandboxSecret, "ONRUSH_PUBLIC_URL=http://127.0.0.1:1",
	}
}

// HangUp closes idle connections. A stopping server waits for connections that were opened and not used
// until they time out.
func (s *Site) HangUp() { s.client.CloseIdleConnections() }
