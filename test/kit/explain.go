package kit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
)

// Explain returns the plan of a query as the store describes it, one row a line.
func Explain(t testing.TB, db *sqldb.DB, query string, args ...any) string {
	t.Helper()
	explain := "EXPLAIN FORMAT=TRADITIONAL " // MySQL has another default
	if db.Dialect == sqldb.SQLite {
		explain = "EXPLAIN QUERY PLAN "
	}
	rows, err := db.Read.QueryxContext(t.Context(), explain+query, args...)
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	var plan strings.Builder
	for rows.Next() {
		columns, err := rows.SliceScan()
		require.NoError(t, err)
		fmt.Fprintf(&plan, "%s\n", columns)
	}
	require.NoError(t, rows.Err())
	return plan.String()
}
