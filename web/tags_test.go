package web

import (
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
)

func TestAnAnswerThatTheClientHasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Get("/version", func(c *fiber.Ctx) error {
		SetVersion(c, 7)
		return SendJSON(c, []byte(`{"waiting":1}`))
	})
	app.Get("/digest", func(c *fiber.Ctx) error { return SendTagged(c, map[string]int{"a": 1}) })
	app.Get("/file", static([]byte("x"), "text/plain"))
	for _, path := range []string{"/digest", "/file"} {
		tag := askApp(t, app, "GET", path, "").Header.Get("ETag")
		for had, want := range map[string]int{
			tag:                        fiber.StatusNotModified,
			"W/" + tag:                 fiber.StatusNotModified,
			`"1", W/` + tag + ` , "x"`: fiber.StatusNotModified,
			"*":                        fiber.StatusNotModified,
			`"1"`:                      fiber.StatusOK,
			strings.Trim(tag, `"`):     fiber.StatusOK,
			"":                         fiber.StatusOK,
		} {
			a := askApp(t, app, "GET", path, "", "If-None-Match", had)
			assert.Equal(t, want, a.Status, "%s %s", path, had)
			assert.Equal(t, want == fiber.StatusNotModified, a.Body == "", "%s %s", path, had)
			assert.Equal(t, tag, a.Header.Get("ETag"))
		}
	}
	a := askApp(t, app, "GET", "/version", "", "If-None-Match", `"7"`)
	assert.Equal(t, fiber.StatusOK, a.Status, "it may show more than its version tells apart")
}
