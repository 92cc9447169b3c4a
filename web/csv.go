package web

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
)

// Rows returns the next rows of a CSV file, none at its end. It runs after the handler has returned, so it must not
// use its fiber.Ctx.
type Rows func(ctx context.Context) ([][]string, error)

// CSV answers with a file of comma-separated values (RFC 4180, UTF-8) as File does: a header row, and the rows of next.
// After an error of a later page, the last row is "error" with a sentence.
//
// A spreadsheet takes a cell that begins with = + - @, also full-width, or a tab for a formula; such a cell gets an
// apostrophe before it.
func CSV(c *fiber.Ctx, name string, header []string, next Rows) error {
	failed, err := encodeRows([][]string{{"error", "The file is not complete: the store is unavailable."}})
	if err != nil {
		return err
	}
	begun := false
	pages := func(ctx context.Context) ([]byte, error) {
		rows, err := next(ctx)
		if err != nil || begun && len(rows) == 0 {
			return nil, err
		}
		if !begun {
			begun, rows = true, append([][]string{header}, rows...)
		}
		return encodeRows(rows)
	}
	return File(c, name, "text/csv; charset=utf-8; header=present", pages, failed)
}

// encodeRows returns rows as lines of a CSV file.
func encodeRows(rows [][]string) ([]byte, error) {
	var text bytes.Buffer
	out := csv.NewWriter(&text)
	out.UseCRLF = true
	var cells []string
	for _, row := range rows {
		cells = cells[:0] // rows stay as they are: all files of a kind have the same header
		for _, cell := range row {
			cells = append(cells, plainCell(cell))
		}
		if err := out.Write(cells); err != nil {
			return nil, fmt.Errorf("write a row of a CSV file: %w", err)
		}
	}
	out.Flush()
	return text.Bytes(), out.Error()
}

// plainCell returns a cell that no spreadsheet takes for a formula.
func plainCell(cell string) string {
	first, _ := utf8.DecodeRuneInString(cell)
	switch first {
	case '=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠': // some read the full-width ones as the others
		return "'" + cell
	}
	return cell
}
