package web

import (
	"net"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// TestARequestWithoutTracesIsFiveAllocations holds what every route costs beside its handler: the contexts that have
// the request id and the deadline.
func TestARequestWithoutTracesIsFiveAllocations(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts all
	app, err := NewApp(t.Context(), Config{}, quiet(), func() string { return "abcdefghijklmnopqrstuvwxyz" })
	require.NoError(t, err)
	app.Post("/path", func(*fiber.Ctx) error { return nil })
	serve := app.Handler()
	var c fasthttp.RequestCtx
	c.Init(&fasthttp.Request{}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, nil)
	c.Request.Header.SetMethod(fiber.MethodPost)
	c.Request.SetRequestURI("/path")
	call := func() {
		c.ResetUserValues()
		c.Response.Reset()
		serve(&c)
	}
	call()
	require.Equal(t, fiber.StatusOK, c.Response.StatusCode())
	assert.InDelta(t, 5, testing.AllocsPerRun(1000, call), 0)
}
