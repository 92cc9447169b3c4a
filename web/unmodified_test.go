package web

import (
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
)

func TestAnAnswerThatTheClientHasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	tagged := func(c *fiber.Ctx) error {
		SetVersion(c, 7)
		return SendJSON(c, []byte(`{"a":1}`))
	}
	app.Get("/version", tagged)
	app.Put("/version", tagged)
	app.Get("/none", func(c *fiber.Ctx) error { return SendJSON(c, []byte(`{"a":1}`)) })
	app.Get("/digest", func(c *fiber.Ctx) error { return SendTagged(c, map[string]int{"a": 1}) })
	digest := askApp(t, app, "GET", "/digest", "").Header.Get("ETag")
	for _, row := range []struct {
		method, path, had string
		want              int
	}{
		{"GET", "/version", `"7"`, fiber.StatusNotModified},
		{"GET", "/version", `W/"7"`, fiber.StatusNotModified},
		{"GET", "/version", `"1", W/"7" , "x"`, fiber.StatusNotModified},
		{"GET", "/version", `*`, fiber.StatusNotModified},
		{"GET", "/version", `"8"`, fiber.StatusOK},
		{"GET", "/version", `7`, fiber.StatusOK},
		{"GET", "/version", ``, fiber.StatusOK},
		{"PUT", "/version", `"7"`, fiber.StatusOK},
		{"GET", "/none", `*`, fiber.StatusOK},
		{"GET", "/digest", digest, fiber.StatusNotModified},
		{"GET", "/digest", "W/" + digest, fiber.StatusNotModified},
	} {
		a := askApp(t, app, row.method, row.path, "", "If-None-Match", row.had)
		assert.Equal(t, row.want, a.Status, row)
		if row.want == fiber.StatusNotModified {
			assert.Empty(t, a.Body, row)
			assert.NotEmpty(t, a.Header.Get("ETag"), row)
		} else {
			assert.NotEmpty(t, a.Body, row)
		}
	}
}
