package sheet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Code is a code in a file, with the number of its line.
type Code struct {
	Line int
	Text string
}

var (
	errColumns = errors.New("has more than one column; keep the codes only, or put a code that has , or ; in quotes")
	errQuotes  = errors.New("has quotes that don't enclose it")
	errHeader  = errors.New("looks like the name of a column; remove it, or put it below another code if it is one")
	errChanged = errors.New("is what a spreadsheet makes of a code that it takes for a number or a formula; " +
		"format the column as text before the codes are pasted")
)

// ReadCodes reads a file that has a code per line, or that a spreadsheet has written with one column. Empty lines,
// white space around a code, and its quotes are left out. It refuses files of more columns, and of more codes than
// most.
func ReadCodes(r io.Reader, most int) ([]Code, error) {
	var codes []Code
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(strings.TrimPrefix(lines.Text(), Mark))
		if text == "" {
			continue
		}
		text, err := unquote(text)
		if err != nil {
			return nil, fmt.Errorf("line %d %w", n, err)
		}
		if codes = append(codes, Code{n, text}); len(codes) > most {
			return nil, fmt.Errorf("the file has more than %d codes", most)
		}
	}
	return codes, lines.Err()
}

// quoted is a quoted cell; ="…" is how some programs keep digits from spreadsheets.
var quoted = regexp.MustCompile(`^=?"((?:[^"]|"")*)"$`)

// unquote returns the cell of a line that has one cell.
func unquote(line string) (string, error) {
	cell := quoted.FindStringSubmatch(line)
	switch {
	case cell != nil:
		return strings.TrimSpace(strings.ReplaceAll(cell[1], `""`, `"`)), nil
	case strings.ContainsAny(line, ",;\t"):
		return "", errColumns
	case strings.HasPrefix(strings.TrimPrefix(line, "="), `"`):
		return "", errQuotes
	}
	return line, nil
}

var (
	// changed is a number that a spreadsheet has shortened, or the name of its error.
	changed = regexp.MustCompile(
		`(?i)^(-?[0-9]([.,][0-9]+)?E[+-][0-9]+|#(N/A|REF!|NAME\?|VALUE!|DIV/0!|NUM!|NULL!|#+))$`)
	// column ends the name of a column of codes.
	column = regexp.MustCompile(`(?i)(code|voucher|coupon|key|pin|serial|number)s?$`)
)

// CheckCodes returns an error with the line that is no code: the name of the column, or what a spreadsheet has made
// of a code.
func CheckCodes(codes []Code) error {
	numbered := 0 // codes with a digit
	for _, code := range codes {
		if changed.MatchString(code.Text) {
			return fmt.Errorf("line %d %w", code.Line, errChanged)
		}
		if strings.ContainsAny(code.Text, "0123456789") {
			numbered++
		}
	}
	if len(codes) == 0 || strings.ContainsAny(codes[0].Text, "0123456789") {
		return nil
	}
	if column.MatchString(codes[0].Text) || len(codes) > 1 && numbered == len(codes)-1 {
		return fmt.Errorf("line %d %w", codes[0].Line, errHeader)
	}
	return nil
}
