package sqldb_test

import (
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// unlikely are defaults of a server that would change what statements do, with the value that sessions have instead.
var unlikely = []struct{ name, value, want string }{
	{"autocommit", "0", "1"},
	{"completion_type", "'RELEASE'", "NO_CHAIN"},
	{"unique_checks", "0", "1"},
	{"foreign_key_checks", "0", "1"},
	{"check_constraint_checks", "0", "1"},
	{"sql_safe_updates", "1", "0"},
	{"sql_big_selects", "0", "1"},
	{"sql_select_limit", "1", "18446744073709551615"},
	{"sql_auto_is_null", "1", "0"},
	{"max_statement_time", "0.5", "0"},
	{"max_execution_time", "500", "0"},
	{
		"sql_mode", "'NO_BACKSLASH_ESCAPES,ANSI_QUOTES,IGNORE_SPACE,PIPES_AS_CONCAT'",
		"STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
	},
	{"innodb_lock_wait_timeout", "1000", "5"},
	{"transaction_isolation", "'SERIALIZABLE'", "READ-COMMITTED"},
	{"tx_isolation", "'SERIALIZABLE'", "READ-COMMITTED"},
	{"transaction_read_only", "1", "0"},
	{"tx_read_only", "1", "0"},
	{"collation_connection", "'utf8mb4_general_ci'", "utf8mb4_bin"},
	{"character_set_client", "'latin1'", "utf8mb4"},
	{"character_set_results", "'latin1'", "utf8mb4"},
}

const unknownVariable = 1193

func TestSessionsHaveNothingOfTheServersDefaults(t *testing.T) {
	t.Parallel()
	kit.NotOnVitess(t, kit.NoUsers)
	s := kit.Own(t)
	set := map[string]bool{}
	for _, v := range unlikely {
		_, err := s.DB.Write.ExecContext(t.Context(), "SET GLOBAL "+v.name+" = "+v.value)
		if my, ok := errors.AsType[*mysql.MySQLError](err); ok && my.Number == unknownVariable {
			continue // MySQL and MariaDB have some names each
		}
		require.NoError(t, err, v.name)
		set[v.name] = true
	}
	require.Greater(t, len(set), 12)
	db, err := sqldb.OpenMySQL(t.Context(), s.MySQLDSN, 1)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	for _, v := range unlikely {
		if !set[v.name] {
			continue
		}
		var got string
		require.NoError(t, db.Write.GetContext(t.Context(), &got, "SELECT @@SESSION."+v.name))
		assert.Equal(t, v.want, got, v.name)
	}
}
