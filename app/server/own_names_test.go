package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
