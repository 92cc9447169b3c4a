// Package sheet writes files of comma-separated values that spreadsheets open without changing a cell, and reads the
// files of codes that spreadsheets write.
package sheet

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Mark is the byte order mark, without which some spreadsheets take UTF-8 for another encoding.
const Mark = "\ufeff"

// AppendRow appends a row of a file (RFC 4180, lines end with CRLF). header has the names of the columns.
//
// A cell with a comma, a semicolon, a tab, a quote or a line break is quoted, so that it is one cell for readers with
// any of these separators. A cell that a spreadsheet would change, such as a formula, a date, or a number of more
// digits than it keeps or shows, begins with an apostrophe; so does a cell that has an apostrophe there itself. To
// read a cell, take one apostrophe from its beginning. Amounts are numbers, so that they can be added up.
func AppendRow(row []byte, header, cells []string) []byte {
	for i, cell := range cells {
		if i > 0 {
			row = append(row, ',')
		}
		if changes(cell) && !isAmount(header, i) {
			cell = "'" + cell
		}
		if strings.ContainsAny(cell, ",;\t\"\r\n") || strings.TrimSpace(cell) != cell {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		row = append(row, cell...)
	}
	return append(row, "\r\n"...)
}

func isAmount(header []string, column int) bool {
	return column < len(header) && strings.HasSuffix(header[column], "amount")
}

var (
	// shown is a whole number that spreadsheets show with all digits.
	shown = regexp.MustCompile(`^(0|[1-9][0-9]{0,10})$`)
	// numeric begins a number, an amount of money, a date or a time.
	numeric = regexp.MustCompile(`^[\s.,(\p{Sc}]*\p{N}`)
	// dated begins a date with the name of its day or month.
	dated = regexp.MustCompile(`(?i)^(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)?(day)?[\s.,]*` +
		`(jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*[\s.,/-]*[0-9]`)
)

// changes reports whether a spreadsheet may show something else than the cell, or take it for a formula. The times of
// the API are text for it.
func changes(cell string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(cell, unicode.IsSpace))
	switch {
	case strings.ContainsRune("=+-@＝＋－＠'", first): // some read the full-width ones as the others
		return true
	case strings.HasPrefix(cell, "\t"), strings.HasPrefix(cell, "\r"), strings.HasPrefix(cell, "\n"):
		return true
	case shown.MatchString(cell):
		return false
	case numeric.MatchString(cell):
		_, err := time.Parse("2006-01-02T15:04:05.000Z", cell)
		return err != nil
	}
	return dated.MatchString(cell) || slices.Contains([]string{"true", "false"}, strings.ToLower(cell))
}
