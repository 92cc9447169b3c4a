package sqldb

import (
	"slices"
	"strings"
)

// Where collects the conditions of a WHERE clause, joined by AND, and their arguments. Its zero value
// selects all rows.
type Where struct {
	conditions []string
	args       []any
}

// And adds a condition with one argument for each ? in it.
func (w *Where) And(condition string, args ...any) {
	w.conditions = append(w.conditions, condition)
	w.args = append(w.args, args...)
}

// AndIf adds a condition if set is true.
func (w *Where) AndIf(set bool, condition string, args ...any) {
	if set {
		w.And(condition, args...)
	}
}

// AndAll adds the conditions of another clause.
func (w *Where) AndAll(other Where) {
	w.conditions = append(w.conditions, other.conditions...)
	w.args = append(w.args, other.args...)
}

// String returns the clause with a space before it, or "" without conditions.
func (w *Where) String() string {
	if len(w.conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.conditions, " AND ")
}

// Args returns the arguments of the conditions, followed by rest, the arguments of the rest of the statement.
func (w *Where) Args(rest ...any) []any { return slices.Concat(w.args, rest) }

// Exactly returns the condition that the text in a column is an argument, which it takes twice. MySQL compares texts
// as if the shorter one were padded with spaces: for it "zoe " is zoe, unless their bytes are compared. The first
// comparison reads from an index.
func Exactly(column string) string { return column + ` = ? AND HEX(` + column + `) = HEX(?)` }

// Args returns values as the arguments of a statement, for the placeholders of In.
func Args[T any](values []T) []any {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	return args
}
