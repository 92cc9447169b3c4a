package tracing

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"

	"github.com/XSAM/otelsql"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// SQL returns how a pool of SQL connections is opened, so that each statement below a recorded span has a span of its
// own; nil without traces. The spans have the beginnings of the statements, without values.
func (t *Traces) SQL() func(driver.Connector) *sql.DB {
	if t == nil {
		return nil
	}
	return func(c driver.Connector) *sql.DB {
		return otelsql.OpenDB(c,
			otelsql.WithTracerProvider(t.provider), otelsql.WithSpanNameFormatter(sqlName),
			otelsql.WithAttributesGetter(sqlAttributes), otelsql.WithSpanOptions(otelsql.SpanOptions{
				DisableQuery: true, DisableErrSkip: true, OmitConnResetSession: true, OmitRows: true,
				OmitConnectorConnect: true, SpanFilter: isRecorded,
			}))
	}
}

func isRecorded(ctx context.Context, _ otelsql.Method, _ string, _ []driver.NamedValue) bool {
	return trace.SpanFromContext(ctx).IsRecording()
}

// sqlName returns the name of a span: the verb of its statement, or the operation on the connection, such as commit.
func sqlName(_ context.Context, method otelsql.Method, query string) string {
	if verb, _, _ := strings.Cut(strings.TrimSpace(query), " "); verb != "" {
		return "sql " + strings.ToLower(verb)
	}
	name := string(method)
	return "sql " + name[strings.LastIndexByte(name, '.')+1:]
}

// maxStatement is how many bytes of a statement a span has; one that inserts a batch may have many thousands.
const maxStatement = 300

func sqlAttributes(_ context.Context, _ otelsql.Method, query string, _ []driver.NamedValue) []attribute.KeyValue {
	if query == "" {
		return nil
	}
	text := strings.Join(strings.Fields(query[:min(len(query), maxStatement)]), " ")
	return []attribute.KeyValue{attribute.String("db.query.text", strings.ToValidUTF8(text, ""))}
}
