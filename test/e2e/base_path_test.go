package e2e

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/server"
	"onrush/test/kit"
	"onrush/test/site"
)

// below gives an instance a public address with a path.
func below(path string) site.Option {
	return site.Configured(func(cfg *server.Config) { cfg.PublicURL = "http://127.0.0.1:1" + path })
}

// A proxy may cut the path of the public address off, or leave it: each route is served at both.
func TestAProgramBelowAPathIsServedWithAndWithoutIt(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), below("/sales/flash/"))
	ask := func(method, path string) (status int, body string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL, http.NoBody)
		require.NoError(t, err)
		req.URL.Opaque = path // as it is, also with two slashes
		res, err := http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode, string(text)
	}
	for _, path := range []string{
		"/", "/admin", "/admin/", "/docs", "/docs/", "/assets/onrush.js", "/assets/human.js", "/openapi.json",
		"/api/v1/activities?state=running", "/readyz",
	} {
		status, _ := ask(http.MethodGet, path)
		assert.Equal(t, http.StatusOK, status, path)
		status, _ = ask(http.MethodGet, "/sales/flash"+path)
		assert.Equal(t, http.StatusOK, status, path)
	}
	for path, want := range map[string]int{
		"/sales/flash": http.StatusOK, "/sales/flash?a=b": http.StatusOK, "/sales/flashlivez": http.StatusNotFound,
		"/sales": http.StatusNotFound, "/sales/flash/sales/flash/": http.StatusNotFound,
		"/SALES/flash/":               http.StatusNotFound,
		"/sales/flash/../flash/admin": http.StatusBadRequest, "/sales/flash/api/v1/orders": http.StatusUnauthorized,
		"/sales/flash/admin/api/v1/queue": http.StatusUnauthorized,
	} {
		status, body := ask(http.MethodGet, path)
		assert.Equal(t, want, status, "%s: %s", path, body)
	}
	for _, target := range []string{
		s.URL + "/sales/flash/livez", s.URL + "/livez", "http://shop.example/sales/flash?a=b",
	} {
		status, body := askWhole(t, s, target)
		assert.Equal(t, http.StatusOK, status, "%s: %s", target, body)
	}
	status, _ := ask(http.MethodPost, "/sales/flash/webhooks/pay/sandbox")
	assert.Equal(t, http.StatusUnauthorized, status)

	reference := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	for _, path := range []string{"/", "/admin", "/docs"} {
		_, page := ask(http.MethodGet, path)
		for _, found := range reference.FindAllStringSubmatch(page, -1) {
			if strings.HasPrefix(found[1], "#") || strings.HasPrefix(found[1], "data:") {
				continue
			}
			require.True(t, strings.HasPrefix(found[1], "/sales/flash/"), "%s refers to %s", path, found[1])
			status, _ := ask(http.MethodGet, found[1])
			assert.Equal(t, http.StatusOK, status, found[1])
		}
	}
}

// askWhole sends a request whose target has a scheme and a host, as one to a proxy has.
func askWhole(t *testing.T, s *site.Site, target string) (status int, body string) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	_, err = io.WriteString(conn, "GET "+target+" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode, string(text)
}

// A path that begins as a route of the program does would hide the route.
func TestAPathThatBeginsAsARouteIsRefused(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/api", "/admin/x", "/assets", "/webhooks/pay", "/docs", "/readyz"} {
		s := site.Start(t, kit.OnEmbedded(t), below(path), site.Idle())
		ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		err = s.Server.Serve(context.WithoutCancel(t.Context()), ln)
		require.ErrorContains(t, err, "ONRUSH_PUBLIC_URL has a path that begins with /"+strings.Split(path, "/")[1])
		require.NoError(t, ln.Close())
	}
}

// An operator's large body is taken below the path as well.
func TestALargeBodyIsTakenBelowAPath(t *testing.T) {
	t.Parallel()
	s := site.Start(t, kit.OnEmbedded(t), below("/sales"))
	large := map[string]any{"title": strings.Repeat("x", 200<<10)}
	for _, prefix := range []string{"", "/sales"} {
		answer := s.Operator(t).Call(t, http.MethodPut, prefix+"/admin/api/v1/skus/lamp", "", large)
		assert.Equal(t, http.StatusUnprocessableEntity, answer.Status, "%q: %s", prefix, answer.Body)
	}
}
