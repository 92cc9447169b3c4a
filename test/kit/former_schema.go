package kit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"onrush/modules/sqldb"
)

// formerSchema is as much of the schema of the versions before fingerprints as tests need: the version that goose kept,
// and tables that today's schema has too, with other columns.
var formerSchema = []string{
	`CREATE TABLE goose_db_version
		(id INTEGER NOT NULL PRIMARY KEY, version_id BIGINT NOT NULL, is_applied INT NOT NULL)`,
	`INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (1, 0, 1), (2, 1, 1)`,
	`CREATE TABLE activities (activity_id VARCHAR(64) NOT NULL PRIMARY KEY, state VARCHAR(10) NOT NULL)`,
	"CREATE TABLE payments (pay_number BIGINT NOT NULL PRIMARY KEY, `next` TEXT NOT NULL)",
	`CREATE TABLE write_checks (slot INT NOT NULL PRIMARY KEY, at_ms BIGINT NOT NULL)`,
	"INSERT INTO payments (pay_number, `next`) VALUES (7, '{}')",
}

// MakeFormerSchema makes a database as a version before fingerprints left it.
func MakeFormerSchema(tb testing.TB, db *sqldb.DB) {
	tb.Helper()
	for _, statement := range formerSchema {
		_, err := db.Write.ExecContext(tb.Context(), statement)
		require.NoError(tb, err, statement)
	}
}
