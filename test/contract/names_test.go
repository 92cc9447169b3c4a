package contract

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A name is snake_case. In a path, the last dot separates the form of a file, as in orders.csv.
var (
	snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	segment   = regexp.MustCompile(`^(\{[a-z_]+\}|[a-z][a-z0-9_]*(\.[a-z]+|\.d\.ts)?|[a-z][a-z_]*:[a-z][a-z_]*)$`)
)

func TestNamesAreSnakeCase(t *testing.T) {
	t.Parallel()
	f := read(t)
	for path, item := range f.doc.Paths.Map() {
		for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
			assert.True(t, part == "" || segment.MatchString(part), "%s: %s", path, part)
		}
		for method, op := range item.Operations() {
			for _, p := range op.Parameters {
				if p.Value.In != "header" {
					assert.Regexp(t, snakeCase, p.Value.Name, "%s %s", method, path)
				}
			}
		}
	}
	for name, schema := range f.doc.Components.Schemas {
		for property := range schema.Value.Properties {
			assert.Regexp(t, snakeCase, property, name)
		}
	}
}

// An act on one thing is /{id}/verb, an act on several is collection:verb. A bare verb behind a collection looks like
// an id: /refunds/retry is a /refunds/{refund_number}.
func TestVerbsStandBehindOneThingOrAColon(t *testing.T) {
	t.Parallel()
	f, verbs := read(t), 0
	const named = "/api/v1/orders/confirm" // a buyer's, like the confirm of a sale
	for _, op := range f.operations {
		i := strings.LastIndex(op.path, "/")
		parent, last := op.path[:i], op.path[i+1:]
		collection, _, colon := strings.Cut(last, ":")
		switch {
		case op.method == http.MethodGet || strings.HasPrefix(last, "{"):
			assert.False(t, colon, op.path)
		case colon:
			verbs++
			assert.NotContains(t, collection, "{", op.path)
		case op.path != named:
			assert.False(t, f.isCollection(parent), "%s is %s:%s", op.path, parent, last)
		}
	}
	assert.Greater(t, verbs, 5)
}

// isCollection reports whether a path is a route, and things have paths of their own below it.
func (f *file) isCollection(path string) bool {
	return f.doc.Paths.Value(path) != nil && slices.ContainsFunc(f.operations, func(op *operation) bool {
		return strings.HasPrefix(op.path, path+"/{")
	})
}
