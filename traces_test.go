package onrush_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"onrush"
	"onrush/onrushtest"
)

// A request is part of the trace of the host's handler, also where the client has sent another one, and a host without
// a trace continues the client's.
func TestRequestsArePartOfTheHostsTraces(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
	p := onrushtest.New(t, onrush.Config{Traces: provider})
	tracer := provider.Tracer("host")
	app := fiber.New()
	app.Use("/traced", func(c *fiber.Ctx) error {
		ctx, span := tracer.Start(c.UserContext(), "host")
		defer span.End()
		c.SetUserContext(ctx)
		return c.Next()
	})
	p.Mount(app, "/traced")
	p.Mount(app, "/plain")
	const theirs = "0af7651916cd43dd8448eb211c80319c"
	request := func(path string) *http.Request {
		req := httptest.NewRequest(http.MethodGet, path, nil)
		req.Header.Set("Traceparent", "00-"+theirs+"-b7ad6b7169203331-01")
		return req
	}
	for _, path := range []string{"/traced", "/plain"} {
		res, err := app.Test(request(path + "/api/v1/activities"))
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusOK, res.StatusCode)
	}
	req := request("/api/v1/activities")
	ctx, span := tracer.Start(req.Context(), "host")
	p.ServeHTTP(httptest.NewRecorder(), req.WithContext(ctx))
	span.End()
	p.ServeHTTP(httptest.NewRecorder(), request("/api/v1/activities"))

	hosts := map[string]bool{} // the traces of the host's spans
	var ours []string
	for _, s := range spans.Ended() {
		switch id := s.SpanContext().TraceID().String(); s.Name() {
		case "host":
			hosts[id] = true
		case "GET /api/v1/activities":
			ours = append(ours, id)
		}
	}
	require.Len(t, ours, 4)
	assert.True(t, hosts[ours[0]], "mounted, in a trace of the host")
	assert.Equal(t, theirs, ours[1])
	assert.True(t, hosts[ours[2]], "net/http, in a trace of the host")
	assert.Equal(t, theirs, ours[3])
	assert.Len(t, hosts, 2)
}

// An order is one trace from its submit to SQL, and the provider is the host's to end.
func TestTheSpansOfAnOrderAreTheHosts(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
	p := onrushtest.New(t, onrush.Config{Traces: provider})
	p.Buyer("ada").Buy(p.Sale(onrushtest.Sale{}), 1)
	p.Drain()
	names := map[string]bool{}
	for _, s := range spans.Ended() {
		names[s.Name()] = true
	}
	assert.True(t, names["POST /api/v1/seckill/:path/submit"], names)
	require.NoError(t, p.Stop(t.Context()))
	_, span := provider.Tracer("host").Start(t.Context(), "after")
	assert.True(t, span.IsRecording(), "the provider goes on")
}
