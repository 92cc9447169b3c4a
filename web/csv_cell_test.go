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

func TestNoCellIsAFormulaForASpreadsheet(t *testing.T) {
	t.Parallel()
	for _, cell := range []string{
		"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＋1", "－1", "＠SUM(A1)",
	} {
		assert.Equal(t, "'"+cell, plainCell(cell))
	}
	for _, cell := range []string{"", "1", "a=1", "ー", "灯=1", "\xff="} {
		assert.Equal(t, cell, plainCell(cell))
	}
}
