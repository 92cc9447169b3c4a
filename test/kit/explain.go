package kit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"
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

// RowsRead returns how many rows and keys a server reads for queries; 0 of SQLite, which doesn't count them.
func RowsRead(t testing.TB, db *sqldb.DB, queries func(q sqlx.QueryerContext)) (n int) {
	t.Helper()
	conn, err := db.Read.Connx(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	read := func() (n int) {
		if db.Dialect == sqldb.SQLite {
			return 0
		}
		var rows []struct {
			Name  string `db:"Variable_name"`
			Value int    `db:"Value"`
		}
		require.NoError(t, conn.SelectContext(t.Context(), &rows, `SHOW SESSION STATUS LIKE 'Handler_read_%'`))
		for _, r := range rows {
			n += r.Value
		}
		return n
	}
	began := read()
	queries(conn)
	return read() - began
}
