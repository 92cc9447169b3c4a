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
	errDate = errors.New("is a date, which a spreadsheet has made of a code; " +
		"format the column as text before the codes are pasted")
)

// ReadCodes reads a file that has a code per line, or that a spreadsheet has written with one column. Empty lines,
// white space around a code, its quotes, and an apostrophe as AppendRow puts it are left out. It refuses files of more
// columns, of lines above 64 KiB, and of more codes than most. codes.js of the console reads the same.
func ReadCodes(r io.Reader, most int) ([]Code, error) {
	var codes []Code
	lines := bufio.NewScanner(r)
	n := 1
	for ; lines.Scan(); n++ {
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
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is longer than %d kB", n, bufio.MaxScanTokenSize>>10)
	}
	return codes, lines.Err()
}

var (
	// quoted is a quoted cell.
	quoted = regexp.MustCompile(`^"((?:[^"]|"")*)"$`)
	// formula is how some programs keep digits from spreadsheets: a formula that is a text.
	formula = regexp.MustCompile(`^="((?:[^"]|"")*)"$`)
)

// inside returns what a pattern of quotes encloses.
func inside(quotes *regexp.Regexp, text string) (string, bool) {
	found := quotes.FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	return strings.TrimSpace(strings.ReplaceAll(found[1], `""`, `"`)), true
}

// unquote returns the code of a line that has one cell.
func unquote(line string) (string, error) {
	cell, enclosed := inside(quoted, line)
	if !enclosed {
		cell = line
	}
	if text, ok := inside(formula, cell); ok {
		return text, nil
	}
	switch {
	case enclosed:
	case strings.ContainsAny(line, ",;\t"):
		return "", errColumns
	case strings.HasPrefix(strings.TrimPrefix(line, "="), `"`):
		return "", errQuotes
	}
	return strings.TrimSpace(strings.TrimPrefix(cell, "'")), nil
}

const (
	day   = `(0?[1-9]|[12][0-9]|3[01])`
	month = `(0?[1-9]|1[0-2])`
	year  = `([0-9]{2}|[12][0-9]{3})`
	// monthName is as spreadsheets write it: MAR-24 is a code.
	monthName = `([Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)`
)

var (
	// changed is a number that a spreadsheet has shortened, or one of its errors.
	changed = regexp.MustCompile(`(?i)^([+-]?[0-9]([.,][0-9]+)?E[+-][0-9]+|#(N/A|NV|NAME|\S*[!?]|#+))$`)
	// date is a date in the forms that spreadsheets write.
	date = regexp.MustCompile(`^(` + day + `\.` + month + `\.` + year + `|` + day + `/` + day + `/` + year +
		`|[12][0-9]{3}-` + month + `-` + day + `|[12][0-9]{3}/` + month + `/` + day +
		`|` + monthName + `-` + year + `|` + day + `-` + monthName + `(-` + year + `)?)$`)
	// column ends the name of a column of codes.
	column = regexp.MustCompile(`(?i)(code|voucher|coupon|key|pin|serial|number)s?$`)
)

// CheckCell returns an error that says what a spreadsheet has made of a number, if a text is that.
func CheckCell(text string) error {
	switch {
	case changed.MatchString(text):
		return errChanged
	case date.MatchString(text):
		return errDate
	}
	return nil
}

// CheckCodes returns an error with the line that is no code: the name of the column, or what a spreadsheet has made
// of a code.
func CheckCodes(codes []Code) error {
	numbered := 0 // codes with a digit
	for _, code := range codes {
		if err := CheckCell(code.Text); err != nil {
			return fmt.Errorf("line %d %w", code.Line, err)
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
