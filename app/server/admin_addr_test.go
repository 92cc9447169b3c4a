package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
)

func TestOperatorsRoutesAreOnTheirOwnAddressAlone(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), site.Idle(), site.Configured(func(cfg *server.Config) {
		cfg.AdminAddr = "127.0.0.1:0"
	}))
	operators, err := s.Server.ListenAdmin(t.Context())
	require.NoError(t, err)
	go func() { _ = s.Server.App.Listener(operators) }()
	status := func(addr, path string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, addr+path, http.NoBody)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	own := "http://" + operators.Addr().String()
	for path, want := range map[string]int{
		"/admin": http.StatusOK, "/admin/api/v1/queue": http.StatusUnauthorized, "/livez": http.StatusOK,
		"/api/v1/orders": http.StatusUnauthorized,
	} {
		assert.Equal(t, want, status(own, path), path)
		if path[:3] == "/ad" {
			want = http.StatusNotFound
		}
		assert.Equal(t, want, status(s.URL, path), path)
	}
}
