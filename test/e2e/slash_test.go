package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/test/kit"
	"onrush/test/site"
)

func TestPagesAndWebhooksAreAtTheirAddressesWithASlashToo(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t))
	ask := func(method, path string) (status int, body string) {
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(""))
		require.NoError(t, err)
		res, err := http.DefaultTransport.RoundTrip(req) // follows no redirect, as gateways don't
		require.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode, string(text)
	}
	for _, path := range []string{"/admin", "/docs"} {
		status, page := ask(http.MethodGet, path)
		require.Equal(t, http.StatusOK, status, path)
		status, same := ask(http.MethodGet, path+"/")
		assert.Equal(t, http.StatusOK, status, path)
		assert.Equal(t, page, same, path)
	}
	for path, want := range map[string]int{
		"/webhooks/pay/sandbox": http.StatusUnauthorized, "/webhooks/pay/sandbox/": http.StatusUnauthorized,
		"/webhooks/pay/none/": http.StatusNotFound, "/webhooks/pay/sandbox//": http.StatusNotFound,
	} {
		status, body := ask(http.MethodPost, path)
		assert.Equal(t, want, status, "%s: %s", path, body)
	}
	for _, path := range []string{"/api/v1/activities/", "/docs/assets/", "/livez/"} {
		status, _ := ask(http.MethodGet, path)
		assert.Equal(t, http.StatusNotFound, status, path)
	}
}
