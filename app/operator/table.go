package operator

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"onrush/modules/api"
	"onrush/modules/problem"
)

// Column is one column of a table: a field of each item, such as title or last_run.ended_at, under a heading. An
// amount, which is in minor units, is shown in the major units of the item's currency. More is a field whose value
// follows the first one after a colon, where an item has it.
type Column struct {
	Heading string
	Field   string
	More    string
	Amount  bool
}

// WriteTable writes items as a table. A field that an item doesn't have is "-".
func WriteTable(w io.Writer, columns []Column, items []json.RawMessage) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	headings := make([]string, len(columns))
	for i, column := range columns {
		headings[i] = column.Heading
	}
	_, _ = fmt.Fprintln(table, strings.Join(headings, "\t"))
	for _, item := range items {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(item, &fields); err != nil {
			return fmt.Errorf("read an item: %w", err)
		}
		cells := make([]string, len(columns))
		for i, column := range columns {
			cells[i] = cell(fieldAt(fields, column.Field))
			if column.Amount {
				cells[i] = major(cells[i], cell(fields["currency"]))
			}
			if more := fieldAt(fields, column.More); len(more) > 0 {
				cells[i] += ": " + cell(more)
			}
		}
		_, _ = fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}

// fieldAt returns the value at a path of fields, nil if there is none.
func fieldAt(fields map[string]json.RawMessage, path string) json.RawMessage {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return fields[name]
	}
	var inner map[string]json.RawMessage
	if json.Unmarshal(fields[name], &inner) != nil {
		return nil
	}
	return fieldAt(inner, rest)
}

// major returns an amount in major units. What is no amount in a currency stays as it is.
func major(amount, currency string) string {
	minor, err := strconv.ParseInt(amount, 10, 64)
	if err != nil || !problem.IsCurrency(currency) {
		return amount
	}
	return api.Major(minor, currency)
}

// cell returns a value on one line, without what would move the cursor of a terminal.
func cell(value json.RawMessage) string {
	if len(value) == 0 {
		return "-"
	}
	text := string(value)
	var s string
	if json.Unmarshal(value, &s) == nil {
		text = s
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || (r >= 0x7f && r < 0xa0) {
			return ' '
		}
		return r
	}, text)
}

// WriteJSON writes a value as JSON that people can read.
func WriteJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}
