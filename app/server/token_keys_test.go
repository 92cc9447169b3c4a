package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
	"onrush/web"
)

func TestInstanceWithoutAnyKeyOfTokensIsNotReady(t *testing.T) {
	t.Parallel()
	keys := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(keys.Close)
	s := site.Start(t, kit.OnEmbedded(t), site.Idle(), site.Configured(func(cfg *server.Config) {
		cfg.JWTSecret, cfg.Dev, cfg.JWKS, cfg.JWTAudience = "", false, keys.URL, "shop"
	}))
	a := s.Stranger().Call(t, http.MethodGet, "/readyz", "", nil)
	assert.Equal(t, http.StatusServiceUnavailable, a.Status)
	var ready web.Ready
	a.Into(t, &ready)
	assert.Equal(t, web.Ready{Status: "down", Unavailable: []string{"token_keys"}}, ready)
}
