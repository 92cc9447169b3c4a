package server

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

func TestDevelopmentRoutesAnswerOnlyUnderTheNamesOfTheProgram(t *testing.T) {
	t.Parallel()
	app := fiber.New(fiber.Config{ErrorHandler: func(c *fiber.Ctx, _ error) error {
		return c.SendStatus(http.StatusForbidden)
	}})
	app.Use("/dev", onlyOwnNames("https://shop.example:8443"))
	app.Post("/dev/token", func(c *fiber.Ctx) error { return c.SendStatus(http.StatusOK) })
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:8080": 200, "127.0.0.1:8080": 200, "[::1]:8080": 200, "192.168.0.7": 200,
		"shop.example": 200, "Shop.Example:8443": 200,
		"evil.example": 403, "evil.example:8080": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403,
	} {
		request := httptest.NewRequest(http.MethodPost, "/dev/token", nil)
		request.Host = host
		answer, err := app.Test(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, want, answer.StatusCode, host)
	}
}

// A target that names a host of its own would hide the host of the header, from which a browser's page comes.
func TestAHostInTheTargetOfARequestHidesNoOtherHost(t *testing.T) {
	t.Parallel()
	app := fiber.New(fiber.Config{ErrorHandler: func(c *fiber.Ctx, _ error) error {
		return c.SendStatus(http.StatusForbidden)
	}})
	app.Use(onlyOwnNames(""))
	app.Use(func(c *fiber.Ctx) error { return c.SendStatus(http.StatusOK) })
	for _, row := range []struct {
		target, host string
		want         int
	}{
		{"//localhost/dev/token?x=://", "localhost", http.StatusOK},
		{"//localhost/dev/token?x=://", "evil.example", http.StatusForbidden},
		{"//evil.example/dev/token?x=://", "localhost", http.StatusForbidden},
	} {
		var ctx fasthttp.RequestCtx
		require.NoError(t, ctx.Request.Read(bufio.NewReader(strings.NewReader(
			"POST "+row.target+" HTTP/1.1\r\nHost: "+row.host+"\r\nContent-Length: 0\r\n\r\n"))))
		UseOriginForm(&ctx.Request.Header)
		app.Handler()(&ctx)
		assert.Equal(t, row.want, ctx.Response.StatusCode(), row)
	}
}
