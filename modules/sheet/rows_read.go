package sheet

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Row is a row of a file: its cells, without white space around them, by the names of the columns. Err says why it has
// none.
type Row struct {
	Line  int // from 1; the names of the columns are on the first line that isn't empty
	Cells map[string]string
	Err   error
}

// ReadRows reads a file of comma-separated values, as AppendRow writes and spreadsheets keep it: its first row has the
// names of the columns, among them key. Commas, semicolons or tabs separate the cells. A cell is on one line, so that a
// row which can't be read doesn't spoil the next; an apostrophe at its beginning is left out. Rows without any text are
// ignored. The error is for a file that isn't UTF-8, lacks the column key or has more rows than most.
func ReadRows(file, key string, most int) ([]Row, error) {
	if !utf8.ValidString(file) {
		return nil, errors.New("must be UTF-8")
	}
	var names []string
	var rows []Row
	separator := ','
	for i, line := range strings.Split(strings.TrimPrefix(file, Mark), "\n") {
		if strings.Trim(line, ",;\t\" \r") == "" {
			continue
		}
		if names == nil {
			if at := strings.IndexAny(line, ",;\t"); at >= 0 {
				separator = rune(line[at])
			}
		}
		cells, err := cellsOf(line, separator)
		switch {
		case names != nil && len(rows) == most:
			return nil, fmt.Errorf("has more than %d rows", most)
		case names != nil:
			rows = append(rows, rowOf(i+1, names, cells, err))
		case err != nil:
			return nil, fmt.Errorf("has a quote in line %d that encloses no cell", i+1)
		default:
			names = cells
		}
	}
	for _, name := range names {
		if name == key {
			return rows, nil
		}
	}
	return nil, fmt.Errorf("must have a column %s", key)
}

// cellsOf returns the cells of a line.
func cellsOf(line string, separator rune) ([]string, error) {
	r := csv.NewReader(strings.NewReader(strings.TrimSuffix(line, "\r")))
	r.Comma = separator
	cells, err := r.Read()
	if err != nil {
		return nil, errQuotes
	}
	for i, cell := range cells {
		if text, ok := inside(formula, cell); ok {
			cell = text
		}
		cells[i] = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(cell), "'"))
	}
	return cells, nil
}

// rowOf returns the row of a line. A row may have fewer cells than there are columns, but not more.
func rowOf(line int, names, cells []string, err error) Row {
	if err == nil && len(cells) > len(names) {
		err = fmt.Errorf("has %d cells, and the file %d columns", len(cells), len(names))
	}
	if err != nil {
		return Row{Line: line, Err: err}
	}
	row := Row{Line: line, Cells: make(map[string]string, len(cells))}
	for i, cell := range cells {
		row.Cells[names[i]] = cell
	}
	return row
}
