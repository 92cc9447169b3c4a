package sqldb_test

import (
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

func TestDSNDoesNotChangeHowStatementsWork(t *testing.T) {
	t.Parallel()
	s := kit.OnReal(t)
	addStock(t, s.DB, "s1", 10)
	const params = "&multiStatements=true&clientFoundRows=false&parseTime=true&charset=gbk&sql_mode=''" +
		"&allowAllFiles=true&collation=utf8mb4_general_ci&columnsWithAlias=true" +
		"&innodb_lock_wait_timeout=1000&interpolateParams=false"
	dsn := s.MySQLDSN
	if !strings.Contains(dsn, "?") {
		dsn += "?loc=UTC"
	}
	db, err := sqldb.OpenMySQL(t.Context(), dsn+params, 2)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })

	var session struct {
		Mode    string `db:"mode"`
		Charset string `db:"charset"`
		Order   string `db:"collation"`
		Wait    int    `db:"wait"`
	}
	require.NoError(t, db.Read.GetContext(t.Context(), &session, `SELECT @@sql_mode AS mode,
		@@character_set_client AS charset, @@collation_connection AS collation, @@innodb_lock_wait_timeout AS wait`))
	assert.Contains(t, session.Mode, "STRICT_ALL_TABLES")
	assert.Equal(t, "utf8mb4", session.Charset)
	if !kit.OnVitess() { // which keeps its own connections' order; the columns have theirs
		assert.Equal(t, "utf8mb4_bin", session.Order)
	}
	assert.Equal(t, 5, session.Wait)

	_, err = db.Write.ExecContext(t.Context(), `UPDATE activity_stock SET sold = 5; DELETE FROM activity_stock`)
	require.Error(t, err, "two statements in one call")
	res, err := db.Write.ExecContext(t.Context(), `UPDATE activity_stock SET sold = 0 WHERE sku_id = ?`, "s1")
	require.NoError(t, err)
	met, err := res.RowsAffected()
	require.NoError(t, err)
	assert.EqualValues(t, 1, met, "rows that met the condition, changed or not")
}

func TestAffectedRowsAreThoseThatMetTheCondition(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, s *kit.Stores) {
		addStock(t, s.DB, "s1", 10)
		for _, sku := range []string{"s1", "s2"} {
			res, err := s.DB.Write.ExecContext(t.Context(), `UPDATE activity_stock SET sold = 0 WHERE sku_id = ?`, sku)
			require.NoError(t, err)
			met, err := res.RowsAffected()
			require.NoError(t, err)
			assert.Equal(t, sku == "s1", met == 1)
		}
	})
}

func TestDSNsThatWouldChangeTheSessionAreRefused(t *testing.T) {
	t.Parallel()
	for _, params := range []string{
		"SQL%5FMODE=''", "@@sql_mode=''", "session sql_mode=''", "autocommit=0",
		"transaction_isolation='READ-UNCOMMITTED'",
		"foreign_key_checks=0", "check_constraint_checks=0", "a=1,sql_mode=''",
	} {
		_, err := sqldb.OpenMySQL(t.Context(), "user:geheim@tcp(127.0.0.1:1)/shop?"+params, 2)
		require.ErrorContains(t, err, "not supported", params)
		assert.NotContains(t, err.Error(), "geheim")
	}
}

func TestErrorsOfOpeningHoldNoPassword(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"", "user:geheim@", "user:geheim@tcp(127.0.0.1:1)/", "user:geheim@tcp(127.0.0.1:1)/shop",
		"mysql://user:geheim@host/x",
	} {
		_, err := sqldb.OpenMySQL(t.Context(), dsn, 2)
		require.Error(t, err, dsn)
		assert.NotContains(t, err.Error(), "geheim")
	}
}

func TestSQLiteConnectionsAreSetUp(t *testing.T) {
	t.Parallel()
	s := kit.OnEmbedded(t)
	for pool, readOnly := range map[*sqlx.DB]int{s.DB.Write: 0, s.DB.Read: 1} {
		for pragma, want := range map[string]any{
			"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10000, "query_only": readOnly,
		} {
			var got string
			require.NoError(t, pool.GetContext(t.Context(), &got, "PRAGMA "+pragma))
			assert.Equal(t, fmt.Sprint(want), got, pragma)
		}
	}
	_, err := s.DB.Read.ExecContext(t.Context(), `DELETE FROM skus`)
	require.Error(t, err, "readers don't write")
}

func TestSQLitePathIsNeverTakenForParameters(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b.db", "a?mode=memory.db", "a#b.db", "a%20b.db", "ä&_pragma=query_only(1).db"} {
		path := filepath.Join(t.TempDir(), name)
		db, err := sqldb.OpenSQLite(t.Context(), path)
		require.NoError(t, err, name)
		_, err = db.Write.ExecContext(t.Context(), `CREATE TABLE t (x INT)`)
		require.NoError(t, err, name)
		require.NoError(t, db.Close())
		assert.FileExists(t, path)
	}
}

func TestSQLiteThatCannotBeOpenedIsAnError(t *testing.T) {
	t.Parallel()
	_, err := sqldb.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "none", "onrush.db"))
	require.Error(t, err)
}

func TestAPasswordStandsInTheDSNAsItIs(t *testing.T) {
	t.Parallel()
	kit.NotOnVitess(t, kit.NoUsers)
	s := kit.OnReal(t)
	const password = "p@:/#?%41&+ x"
	login := "u" + s.Keys.Prefix[:12]
	for _, statement := range []string{
		"CREATE USER " + login + "@'%' IDENTIFIED BY '" + password + "'", "GRANT ALL ON *.* TO " + login + "@'%'",
	} {
		_, err := s.DB.Write.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	_, at, found := strings.Cut(s.MySQLDSN, "@")
	require.True(t, found)
	db, err := sqldb.OpenMySQL(t.Context(), login+":"+password+"@"+at, 1)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = sqldb.OpenMySQL(t.Context(), "mysql://"+login+":"+password+"@127.0.0.1/shop", 1)
	require.ErrorContains(t, err, "stand as they are, without escapes")
	assert.NotContains(t, err.Error(), password)
}

// For each of them the driver only says that the connection is broken.
func TestAServerThatIsReadOnlySaysByWhichVariable(t *testing.T) {
	t.Parallel()
	kit.NotOnVitess(t, kit.NoUsers)
	own := kit.Own(t)
	require.ErrorIs(t, own.DB.ExplainWrite(t.Context(), driver.ErrBadConn), driver.ErrBadConn, "it takes writes")
	for statement, variable := range map[string]string{
		"SET GLOBAL read_only = 1":         `has read_only = 1`,
		"SET GLOBAL TRANSACTION READ ONLY": `has (transaction|tx)_read_only = 1`,
	} {
		_, err := own.DB.Write.ExecContext(t.Context(), statement)
		require.NoError(t, err)
		err = own.DB.ExplainWrite(t.Context(), driver.ErrBadConn)
		require.ErrorAs(t, err, new(*problem.NoWritesError), statement)
		assert.Regexp(t, variable, err.Error())
		for _, writable := range []string{"SET GLOBAL read_only = 0", "SET GLOBAL TRANSACTION READ WRITE"} {
			_, err := own.DB.Write.ExecContext(t.Context(), writable)
			require.NoError(t, err)
		}
	}
}
