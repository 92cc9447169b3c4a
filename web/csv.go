package web

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"onrush/modules/sheet"
)

// Rows returns the next rows of a CSV file, and none at the end of the file. It runs after the handler has returned, so
// it must not use the fiber.Ctx of the handler.
type Rows func(ctx context.Context) ([][]string, error)

// CSV answers with a file of comma-separated values in UTF-8 as File does: a header row, and the rows of next, as
// sheet.AppendRow writes them. After an error of a later page, the last row is "error" with a sentence. With the query
// parameter bom=1, the file begins with a byte order mark.
func CSV(c *fiber.Ctx, name string, header []string, next Rows) error {
	bom, err := Query(c, "bom", "", "1")
	if err != nil {
		return err
	}
	failed := sheet.AppendRow(nil, header, []string{"error", "The file is not complete: the store is unavailable."})
	begun := false
	pages := func(ctx context.Context) ([]byte, error) {
		rows, err := next(ctx)
		if err != nil || begun && len(rows) == 0 {
			return nil, err
		}
		var page []byte
		if !begun {
			if begun = true; bom != "" {
				page = append(page, sheet.Mark...)
			}
			page = sheet.AppendRow(page, header, header)
		}
		for _, row := range rows {
			page = sheet.AppendRow(page, header, row)
		}
		return page, nil
	}
	return File(c, name, "text/csv; charset=utf-8; header=present", pages, failed)
}
