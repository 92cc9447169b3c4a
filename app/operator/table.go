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

// WriteTable writes items as a table. Columns are headings, each with a field of the items, such as "TITLE=title,
// ENDED=last_run.ended_at". A field that an item doesn't have is "-". A field that ends with $ is an amount, in minor
// units, and shown in the major units of the item's currency. In "REASON=code+detail", the second field follows the
// first one after a colon, where an item has it.
func WriteTable(w io.Writer, columns string, items []json.RawMessage) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var headings, fields []string
	for column := range strings.SplitSeq(columns, ", ") {
		heading, field, _ := strings.Cut(column, "=")
		headings, fields = append(headings, heading), append(fields, field)
	}
	_, _ = fmt.Fprintln(table, strings.Join(headings, "\t"))
	for _, item := range items {
		var has map[string]json.RawMessage
		if err := json.Unmarshal(item, &has); err != nil {
			return fmt.Errorf("read an item: %w", err)
		}
		cells := make([]string, len(fields))
		for i, field := range fields {
			field, isAmount := strings.CutSuffix(field, "$")
			field, second, _ := strings.Cut(field, "+")
			cells[i] = cell(fieldAt(has, field))
			if isAmount {
				cells[i] = major(cells[i], cell(has["currency"]))
			}
			if more := fieldAt(has, second); len(more) > 0 {
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

// major returns an amount in major units. A text that is no amount in a currency stays as it is.
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
