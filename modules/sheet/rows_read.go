package sheet

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Row is a row of a file: its cells, without white space around them, by the names of the columns. Err says why it has
// none.
type Row struct {
	Line  int // the first of the row, from 1; the names of the columns are on the first line that isn't empty
	Cells map[string]string
	Err   error
}

// ReadRows reads a file of comma-separated values, as AppendRow writes and spreadsheets keep it: its first row has the
// names of the columns, among them key. Commas, semicolons or tabs separate the cells, and a quoted cell may have line
// breaks; an apostrophe at its beginning is left out. Rows without any text are ignored. The error is for a file that
// isn't UTF-8, lacks the column key, has no row or more than most, or has a quote out of place: where a row ends can't
// be told after that, and the text of a cell must never be read as rows.
func ReadRows(file, key string, most int) ([]Row, error) {
	if !utf8.ValidString(file) {
		return nil, errors.New("must be UTF-8")
	}
	file = strings.TrimPrefix(file, Mark)
	if !strings.Contains(file, "\n") {
		file = strings.ReplaceAll(file, "\r", "\n") // as some spreadsheets end lines
	}
	r := csv.NewReader(strings.NewReader(file))
	r.FieldsPerRecord = -1
	head, _, _ := strings.Cut(strings.TrimLeft(file, "\r\n"), "\n")
	if at := strings.IndexAny(head, ",;\t"); at >= 0 {
		r.Comma = rune(head[at])
	}
	var names []string
	var rows []Row
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, fmt.Errorf("has a quote out of place in the row that begins in line %d", wrong.StartLine)
		}
		line, _ := r.FieldPos(0)
		switch clean(cells); {
		case strings.Join(cells, "") == "":
		case names == nil:
			names = cells
		case len(rows) == most:
			return nil, fmt.Errorf("has more than %d rows", most)
		default:
			rows = append(rows, rowOf(line, names, cells))
		}
	}
	switch {
	case !slices.Contains(names, key):
		return nil, fmt.Errorf("must have a column %s", key)
	case len(rows) == 0:
		return nil, errors.New("has no rows")
	}
	return rows, nil
}

// clean takes from cells what keeps spreadsheets from changing them.
func clean(cells []string) {
	for i, cell := range cells {
		if text, ok := inside(formula, cell); ok {
			cell = text
		}
		cells[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(cell), "'"))
	}
}

// rowOf returns the row of a line. A row may have fewer cells than there are columns, but not more.
func rowOf(line int, names, cells []string) Row {
	if len(cells) > len(names) {
		return Row{Line: line, Err: fmt.Errorf("has %d cells, and the file %d columns", len(cells), len(names))}
	}
	row := Row{Line: line, Cells: make(map[string]string, len(cells))}
	for i, cell := range cells {
		row.Cells[names[i]] = cell
	}
	return row
}
