package web

import (
	"context"
	"errors"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
)

// A file whose first page fails, in whatever way, is not counted as one that is being written.
func TestFilesThatFailAtOnceLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Get("/panics.csv", func(c *fiber.Ctx) error {
		return CSV(c, "a.csv", []string{"a"}, func(context.Context) ([][]string, error) { panic("a bug") })
	})
	app.Get("/fails.csv", func(c *fiber.Ctx) error {
		return CSV(c, "a.csv", []string{"a"},
			func(context.Context) ([][]string, error) { return nil, errors.New("no") })
	})
	app.Get("/good.csv", func(c *fiber.Ctx) error {
		return CSV(c, "a.csv", []string{"a"}, func(context.Context) ([][]string, error) { return nil, nil })
	})
	for range maxExports + 1 {
		assert.Equal(t, 500, askApp(t, app, "GET", "/panics.csv", "").Status)
		assert.Equal(t, 500, askApp(t, app, "GET", "/fails.csv", "").Status)
		assert.Equal(t, 200, askApp(t, app, "HEAD", "/good.csv", "").Status)
		assert.Equal(t, "a\r\n", askApp(t, app, "GET", "/good.csv", "").Body)
	}
}
