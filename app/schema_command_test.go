package main

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/app/embedded"
	"onrush/app/servers"
	"onrush/lua"
	"onrush/modules/site"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// tablesOf returns the tables of a database with the number of their rows.
func tablesOf(t *testing.T, db *sqldb.DB) map[string]int {
	t.Helper()
	query := `SHOW TABLES`
	if db.Dialect == sqldb.SQLite {
		query = `SELECT name FROM sqlite_master WHERE type = 'table'`
	}
	var names []string
	require.NoError(t, db.Read.SelectContext(t.Context(), &names, query))
	rows := map[string]int{}
	for _, name := range names {
		var n int
		require.NoError(t, db.Read.GetContext(t.Context(), &n, `SELECT COUNT(*) FROM `+name))
		rows[name] = n
	}
	return rows
}

func TestEveryCommandRefusesADatabaseOfAFormerVersionInOneLine(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t, kit.NoSchema())
	kit.MakeFormerSchema(t, stores.DB)
	had := tablesOf(t, stores.DB)
	env := []string{"ONRUSH_MYSQL_DSN=" + stores.MySQLDSN, "ONRUSH_REDIS_URL=" + stores.RedisURL}
	for _, secret := range []string{"ONRUSH_JWT_SECRET=", "ONRUSH_PATH_SECRET="} {
		env = append(env, secret+strings.Repeat("s", 32))
	}
	for _, args := range [][]string{{"serve"}, {"schema"}, {"doctor"}, {"restore"}} {
		out, logged, code := run(t, env, args...)
		assert.NotZero(t, code, args)
		assert.Contains(t, out+logged, "it has the table activities, but no fingerprint of any change", args)
		assert.Contains(t, out+logged, "run the version that made it, or set ONRUSH_MYSQL_DSN to an empty database",
			args)
		if args[0] != "doctor" { // which prints a table
			assert.Equal(t, 1, strings.Count(out+logged, "another schema"), out+logged)
		}
	}
	assert.Equal(t, had, tablesOf(t, stores.DB), "nothing was changed")
}

func TestEveryCommandRefusesADatabaseOfALaterMajorVersionInOneLine(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	_, err := stores.DB.Write.ExecContext(t.Context(), `INSERT INTO schema_changes VALUES (10000, 'of version 2', 1)`)
	require.NoError(t, err)
	had := tablesOf(t, stores.DB)
	env := []string{"ONRUSH_MYSQL_DSN=" + stores.MySQLDSN, "ONRUSH_REDIS_URL=" + stores.RedisURL}
	for _, secret := range []string{"ONRUSH_JWT_SECRET=", "ONRUSH_PATH_SECRET="} {
		env = append(env, secret+strings.Repeat("s", 32))
	}
	for _, args := range [][]string{
		{"serve"},
		{"schema", "up"},
		{"schema", "check"},
		{"schema", "status"},
		{"doctor"},
	} {
		out, logged, code := run(t, env, args...)
		assert.NotZero(t, code, args)
		assert.Equal(t, 1, strings.Count(out+logged, "version 2 of the program upgraded it, and this is version 1, "+
			"to which there is no way back"), "%v: %s%s", args, out, logged)
		if args[0] == "schema" { // serve logs that it starts, and doctor prints a table
			assert.Equal(t, 1, strings.Count(logged, "\n"), logged)
		}
	}
	assert.Equal(t, had, tablesOf(t, stores.DB), "nothing was changed")
}

// TestAnEmptyDatabaseBesideTheKeysOfASiteStaysEmpty has the DSN of another database than that of the site.
func TestAnEmptyDatabaseBesideTheKeysOfASiteStaysEmpty(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t, kit.NoSchema())
	scripts := lua.New(stores.Redis, lua.Keys{Prefix: lua.DefaultPrefix})
	require.NoError(t, scripts.KeepSite(t.Context(), `{"id":"the other","lanes":16}`, false))
	env := []string{"ONRUSH_MYSQL_DSN=" + stores.MySQLDSN, "ONRUSH_REDIS_URL=" + stores.RedisURL}
	for _, secret := range []string{"ONRUSH_JWT_SECRET=", "ONRUSH_PATH_SECRET="} {
		env = append(env, secret+strings.Repeat("s", 32))
	}
	requireRefused := func(args ...string) {
		t.Helper()
		out, logged, code := run(t, env, args...)
		assert.NotZero(t, code, args)
		assert.Contains(t, out+logged, "the keys in Redis are of another site than the SQL store", args)
		assert.NotContains(t, out, "Onrush listens")
		if args[0] != "doctor" { // its last line says that a check failed
			lines := strings.Split(strings.TrimSpace(logged), "\n")
			assert.Contains(t, lines[len(lines)-1], "delete its keys, first onrush:site", args)
		}
		assert.Contains(t, out+logged, "give this site another ONRUSH_REDIS_PREFIX", args)
	}
	for _, command := range []string{"serve", "schema", "doctor"} {
		requireRefused(command)
	}
	assert.Empty(t, tablesOf(t, stores.DB))

	out, _, code := run(t, env[:1], "schema", "up") // it knows no Redis
	require.Zero(t, code, out)
	requireRefused("doctor")
	v, err := site.ReadCopy(t.Context(), scripts)
	require.NoError(t, err)
	_, err = stores.DB.Write.ExecContext(t.Context(), `INSERT INTO site (id, site_id, lanes, lanes_before, raised_ms,
		number_key) VALUES (1, ?, 16, 16, 0, '')`, v.ID)
	require.NoError(t, err)
	out, _, _ = run(t, env, "doctor")
	assert.Contains(t, out, "Redis and SQL are of one site")
}

func TestTheSchemaIsComparedWithoutAChange(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t, kit.NoSchema())
	env := []string{"ONRUSH_MYSQL_DSN=" + stores.MySQLDSN}
	out, _, code := run(t, env, "schema", "status")
	assert.Zero(t, code)
	assert.Regexp(t, `(?m)^00001_schema.sql +missing +[0-9a-f]{12}$`, out)
	_, logged, code := run(t, env, "schema", "check")
	assert.Equal(t, 1, code)
	assert.Regexp(t, `the database lacks (\d+) of (\d+) changes: run onrush schema up`, logged)
	statements, _, code := run(t, env, "schema", "up", "--dry-run")
	assert.Zero(t, code)
	assert.Contains(t, statements, "CREATE TABLE IF NOT EXISTS orders (")
	assert.NotContains(t, statements, "DROP TABLE")
	assert.Contains(t, statements, "CREATE TABLE IF NOT EXISTS schema_changes (")
	assert.Contains(t, statements, "UPDATE schema_changes SET applied = 1 WHERE version = 1;")
	assert.Empty(t, tablesOf(t, stores.DB), "nothing was changed")

	_, _, code = run(t, env, "schema", "up")
	require.Zero(t, code)
	had := tablesOf(t, stores.DB)
	out, _, code = run(t, env, "schema", "status")
	assert.Zero(t, code)
	assert.NotContains(t, out, "missing")
	out, _, code = run(t, env, "schema", "check")
	assert.Zero(t, code)
	assert.Equal(t, "The schema is up to date.\n", out)
	out, _, code = run(t, env, "schema", "--dry-run")
	assert.Zero(t, code)
	assert.Equal(t, "-- The schema is up to date.\n", out)

	_, err := stores.DB.Write.ExecContext(t.Context(), `INSERT INTO schema_changes VALUES (999, 'of tomorrow', 1)`)
	require.NoError(t, err)
	out, _, code = run(t, env, "schema", "check")
	assert.Zero(t, code)
	assert.Equal(t, "The schema is up to date, and has changes of a newer version, with which this one runs: 1.\n", out)
	out, _, _ = run(t, env, "schema", "status")
	assert.Regexp(t, `(?m)^999 +newer +of tomorrow$`, out)
	had["schema_changes"]++
	assert.Equal(t, had, tablesOf(t, stores.DB))

	_, err = stores.DB.Write.ExecContext(t.Context(), `DROP INDEX orders_task ON orders`)
	require.NoError(t, err)
	_, logged, code = run(t, env, "schema", "check")
	assert.Equal(t, 1, code)
	assert.Equal(t, "onrush: error: somebody has edited the tables: index orders_task of orders is missing\n", logged)
	for _, args := range [][]string{{"schema", "down"}, {"schema", "check", "--dry-run"}} {
		_, logged, code = run(t, env, args...)
		assert.NotZero(t, code, args)
		assert.Equal(t, 1, strings.Count(strings.TrimSpace(logged), "\n")+1, logged)
	}
	folder := filepath.Join(t.TempDir(), "data")
	_, logged, code = run(t, []string{"ONRUSH_DATA_DIR=" + folder}, "schema", "status")
	assert.Equal(t, 1, code)
	assert.Contains(t, logged, "there is no database in the folder "+folder)
	assert.NoDirExists(t, folder)
}

func TestAnInstanceThatStartsWarnsOfEditedTables(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	_, err := stores.DB.Write.ExecContext(t.Context(), `DROP INDEX orders_task ON orders`)
	require.NoError(t, err)
	env := []string{
		"ONRUSH_ADDR=127.0.0.1:0", "ONRUSH_MYSQL_DSN=" + stores.MySQLDSN, "ONRUSH_REDIS_URL=" + stores.RedisURL,
		"ONRUSH_JWT_SECRET=" + strings.Repeat("j", 32), "ONRUSH_PATH_SECRET=" + strings.Repeat("p", 32),
		"TMPDIR=/nowhere", // as in the image
	}
	dir := t.TempDir()
	program, _, err := servers.StartProgram(dir, env, built)
	require.NoError(t, err)
	t.Cleanup(program.Kill)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		said, err := os.ReadFile(filepath.Join(dir, "env.log"))
		assert.NoError(c, err)
		assert.Regexp(c, `level=WARN msg="somebody has edited the tables.*index orders_task of orders is missing`,
			string(said))
	}, 20*time.Second, 50*time.Millisecond)
}

func TestTheStatementsOfADryRunMakeTheSchemaByHand(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t, kit.NoSchema())
	env := []string{"ONRUSH_MYSQL_DSN=" + stores.MySQLDSN}
	statements, _, code := run(t, env, "schema", "up", "--dry-run")
	require.Zero(t, code)
	settings, err := mysql.ParseDSN(stores.MySQLDSN)
	require.NoError(t, err)
	settings.MultiStatements = true
	connector, err := mysql.NewConnector(settings)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.ExecContext(t.Context(), statements)
	require.NoError(t, err)
	out, logged, code := run(t, env, "schema", "check")
	assert.Zero(t, code, logged)
	assert.Equal(t, "The schema is up to date.\n", out)
	out, _, code = run(t, env, "schema", "up", "--dry-run")
	assert.Zero(t, code)
	assert.Equal(t, "-- The schema is up to date.\n", out)
}

// A table of SQLite lost a check. The page says how its rows get into one that has it.
func TestAnEditedTableOfSQLiteIsMadeAnew(t *testing.T) {
	t.Parallel()
	tool := kit.Tool(t, "sqlite3")
	page, err := os.ReadFile("../docs/operating/upgrading.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(page), "SQLite adds no `CHECK`")
	require.True(t, found)
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(after)[1]

	dir := t.TempDir()
	require.NoError(t, os.Symlink(built, filepath.Join(dir, "onrush")))
	sqlite := func(statements string) string {
		database := filepath.Join(dir, "data", "onrush.db")
		out, err := exec.CommandContext(t.Context(), tool, database, statements).CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.TrimSpace(string(out))
	}
	env := []string{"ONRUSH_DATA_DIR=" + filepath.Join(dir, "data")}
	_, logged, code := run(t, env, "schema")
	require.Zero(t, code, logged)
	statement := sqlite(`SELECT sql FROM sqlite_master WHERE name = 'activity_stock'`)
	edited := strings.ReplaceAll(statement, "sold <= total", "sold <= total OR sold > 0")
	require.NotEqual(t, statement, edited)
	sqlite("DROP TABLE activity_stock; " + edited + `; INSERT INTO stock_points
		(point_id, name, regions, freight_extra, pickup, updated_ms) VALUES ('0', 'n', '[]', 0, 0, 0)`)
	_, logged, code = run(t, env, "schema", "check")
	assert.Equal(t, 1, code)
	assert.Contains(t, logged, "table activity_stock lacks CHECK (sold >= 0 AND sold <= total), and has (sold >= 0 "+
		"AND sold <= total OR sold > 0): SQLite adds none to a table, so make a new one (docs/operating/upgrading.md)")

	paste := func() (string, error) {
		shell := exec.CommandContext(t.Context(), "bash", "-c", block)
		shell.Dir, shell.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		said, err := shell.CombinedOutput()
		return string(said), err
	}
	sqlite(`INSERT INTO activity_stock (activity_id, sku_id, point_id, total, sold, epoch)
		VALUES ('a', 's', '0', 1, 2, 0)`)
	said, err := paste()
	require.Error(t, err)
	assert.Contains(t, said, "CHECK constraint failed")
	assert.Equal(t, "2", sqlite(`SELECT sold FROM activity_stock`), "the database is where it was")
	sqlite(`DELETE FROM activity_stock`)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "fresh")))
	said, err = paste()
	require.NoError(t, err, said)
	out, logged, code := run(t, env, "schema", "check")
	assert.Zero(t, code, logged)
	assert.Equal(t, "The schema is up to date.\n", out)
	assert.Equal(t, "n", sqlite(`SELECT name FROM stock_points`))
}

func TestADataFolderOfAFormerVersionIsRefusedWithWhatToDo(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	db, err := embedded.SQL(t.Context(), data, nil)
	require.NoError(t, err)
	kit.MakeFormerSchema(t, db)
	had := tablesOf(t, db)
	require.NoError(t, db.Close())
	env := []string{"ONRUSH_DATA_DIR=" + data}
	for _, command := range []string{"serve", "schema", "doctor"} {
		out, logged, code := run(t, env, command)
		assert.NotZero(t, code, command)
		assert.Contains(t, out+logged, "it has the table activities, but no fingerprint of any change", command)
		assert.Contains(t, out+logged, "delete or move the folder "+data+", and start again", command)
	}
	db, err = embedded.SQL(t.Context(), data, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	assert.Equal(t, had, tablesOf(t, db), "nothing was changed")
}
