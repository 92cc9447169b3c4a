package web

import (
	"context"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
)

// The header is shared by all files that are written at the same time.
func TestAFileLeavesItsHeaderAndRowsAsTheyAre(t *testing.T) {
	t.Parallel()
	header, row := []string{"=a"}, []string{"=1"}
	pages := [][][]string{{row}}
	app := newTestApp(t, Config{}, quiet())
	app.Get("/a.csv", func(c *fiber.Ctx) error {
		left := pages
		return CSV(c, "a.csv", header, func(context.Context) (page [][]string, err error) {
			if len(left) > 0 {
				page, left = left[0], left[1:]
			}
			return page, nil
		})
	})
	for range 2 {
		assert.Equal(t, "'=a\r\n'=1\r\n", askApp(t, app, "GET", "/a.csv", "").Body)
		assert.Equal(t, []string{"=a"}, header)
		assert.Equal(t, []string{"=1"}, row)
	}
}

func TestAFileBeginsWithAByteOrderMarkIfOneIsAskedFor(t *testing.T) {
	t.Parallel()
	app := newTestApp(t, Config{}, quiet())
	app.Get("/a.csv", func(c *fiber.Ctx) error {
		return CSV(c, "a.csv", []string{"a"}, func(context.Context) ([][]string, error) { return nil, nil })
	})
	assert.Equal(t, "\ufeffa\r\n", askApp(t, app, "GET", "/a.csv?bom=1", "").Body)
	assert.Equal(t, "a\r\n", askApp(t, app, "GET", "/a.csv", "").Body)
	assert.Equal(t, 422, askApp(t, app, "GET", "/a.csv?bom=2", "").Status)
}
