package onrush

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// BenchmarkWaysIn compares what the smallest request costs by each way into a platform: in the platform alone
// (handle), below a Fiber app of the host's (mount), and by net/http (serve-http).
func BenchmarkWaysIn(b *testing.B) {
	p, err := New(b.Context(), Config{Dir: b.TempDir()})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, p.Stop(context.Background())) })
	require.NoError(b, p.Start(b.Context()))
	app := fiber.New()
	p.Mount(app, "/sales")
	mounted := app.Handler()
	const path = "/livez"
	ask := func(b *testing.B, handle fasthttp.RequestHandler, path string) {
		b.Helper()
		var request fasthttp.RequestCtx
		for b.Loop() {
			request.Request.Reset()
			request.Response.Reset()
			request.Request.SetRequestURI(path)
			handle(&request)
		}
		require.Less(b, request.Response.StatusCode(), 500, string(request.Response.Body()))
	}
	b.Run("handle", func(b *testing.B) { ask(b, p.server.Handle, path) })
	b.Run("mount", func(b *testing.B) { ask(b, mounted, "/sales"+path) })
	b.Run("serve-http", func(b *testing.B) {
		for b.Loop() {
			answer := httptest.NewRecorder()
			p.ServeHTTP(answer, httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, http.NoBody))
			require.Less(b, answer.Code, 500)
		}
	})
}
