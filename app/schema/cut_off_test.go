package schema_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/schema"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// statements returns the statements of the first change, with which a database begins.
func statements(t *testing.T, s *kit.Stores) (all []string) {
	t.Helper()
	build, err := schema.BuildOf(schema.Files)
	require.NoError(t, err)
	text, err := build.Remaining(t.Context(), s.DB, "00001_schema.sql")
	require.NoError(t, err)
	up, _, _ := strings.Cut(text, "-- +goose Down")
	for statement := range strings.SplitSeq(up, ";\n") {
		if strings.TrimSpace(statement) != "" {
			all = append(all, statement)
		}
	}
	return all
}

// whole returns the description of a database with the whole schema.
func whole(t *testing.T) []string {
	t.Helper()
	s := kit.OnReal(t)
	return describe(t, s)
}

func TestAFirstSchemaThatWasCutOffIsCompleted(t *testing.T) {
	t.Parallel()
	want := whole(t)
	all := len(statements(t, kit.OnReal(t, kit.NoSchema())))
	require.Greater(t, all, 100)
	for _, cut := range []int{1, 2, 3, 5, all / 3, all - 12, all - 1} {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			t.Parallel()
			s := kit.OnReal(t, kit.NoSchema())
			for _, statement := range statements(t, s)[:cut] {
				execute(t, s.DB, statement)
			}
			require.NoError(t, schema.Up(t.Context(), s.DB))
			assert.Equal(t, want, describe(t, s))
			state, err := schema.Read(t.Context(), s.DB)
			require.NoError(t, err)
			assert.Zero(t, state.Lacks)
		})
	}
}

// goose's own table is left from a former version that could not write to it.
func TestAnEmptyTableOfGooseIsNoSchema(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t, kit.NoSchema())
	execute(t, s.DB, `CREATE TABLE goose_db_version (id SERIAL, version_id BIGINT NOT NULL,
		is_applied BOOLEAN NOT NULL, tstamp DATETIME NULL)`)
	require.NoError(t, schema.Up(t.Context(), s.DB))
}

// A killed program loses its connections. Its last statement may still run.
func TestASchemaWhoseProgramIsKilledIsCompletedByTheOthers(t *testing.T) {
	t.Parallel()
	want := whole(t)
	s := kit.OnReal(t, kit.NoSchema())
	killed := s.ConnectSQL(t)
	others := s.ConnectSQL(t)
	ctx, kill := context.WithCancel(t.Context())
	started := make(chan error, 1)
	go func() { started <- schema.Up(ctx, killed) }()
	require.Eventually(t, func() bool {
		var tables []string
		require.NoError(t, s.DB.Read.SelectContext(t.Context(), &tables, `SHOW TABLES`))
		return len(tables) > 10
	}, 20*time.Second, time.Millisecond)
	kill()
	require.NoError(t, schema.Up(t.Context(), others), "it waits for the lock of the connection that still runs")
	require.Error(t, <-started)
	assert.Equal(t, want, describe(t, s))
}

// own starts a server of the test's own, with a user that is no administrator. open opens new connections of that user.
func own(t *testing.T, privileges string, options ...kit.Option) (admin *sqldb.DB, open func() *sqldb.DB) {
	t.Helper()
	kit.NotOnVitess(t, kit.NoUsers)
	o := kit.Own(t, append(options, kit.NoSchema())...)
	execute(t, o.DB, "CREATE USER shop@'%' IDENTIFIED BY ''")
	execute(t, o.DB, "GRANT "+privileges+" ON *.* TO shop@'%'")
	return o.DB, func() *sqldb.DB {
		db, err := sqldb.OpenMySQL(t.Context(), strings.Replace(o.MySQLDSN, "root@", "shop@", 1), 4)
		require.NoError(t, err)
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
}

func execute(t *testing.T, db *sqldb.DB, statement string) {
	t.Helper()
	_, err := db.Write.ExecContext(t.Context(), statement)
	require.NoError(t, err, statement)
}

// requireRefused starts several times: the cause is the same each time.
func requireRefused(t *testing.T, db *sqldb.DB, says string) {
	t.Helper()
	for range 3 {
		err := db.ExplainWrite(t.Context(), schema.Up(t.Context(), db))
		no, ok := errors.AsType[*problem.NoWritesError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, says, no.Reason)
	}
}

func TestASchemaThatLacksAPrivilegeSaysSoAndIsCompletedWithIt(t *testing.T) {
	t.Parallel()
	admin, open := own(t, "SELECT, INSERT, UPDATE, CREATE")
	requireRefused(t, open(), "no privilege") // to create an index, or to add a column
	execute(t, admin, "GRANT INDEX, ALTER ON *.* TO shop@'%'")
	require.NoError(t, schema.Up(t.Context(), open()))
}

func TestASchemaThatTheBinaryLogRefusesSaysSoAndIsCompletedLater(t *testing.T) {
	t.Parallel()
	admin, open := own(t, "ALL", kit.SQLArgs("--log-bin=binlog", "--server-id=1", "--binlog-format=STATEMENT"))
	requireRefused(t, open(), "binlog_format=STATEMENT")
	execute(t, admin, "SET GLOBAL binlog_format = ROW")
	require.NoError(t, schema.Up(t.Context(), open()))
}
