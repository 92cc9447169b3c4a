package schema

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"onrush/modules/sqldb"
)

// remaining are the files of the changes with what a database still needs of each, beside its Down. goose reads a file
// when it has the lock of the schema, just before it runs it.
//
// MySQL changes tables outside of transactions, so a change that was interrupted runs again from its first statement.
// Tables are created if they don't exist; for columns and indexes MySQL has no such syntax, so the statements whose
// column or index is there are left out. SQLite makes a change whole or not at all.
type remaining struct {
	ctx   context.Context //nolint:containedctx // fs.FS has no contexts; this one lives as long as a call of Up
	build *build
	db    *sqldb.DB
}

// Open implements fs.FS.
func (r remaining) Open(name string) (fs.File, error) {
	file, err := r.build.files.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return file, err
	}
	text, err := r.text(name)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return rewritten{file, strings.NewReader(text)}, nil
}

// rewritten is a file with another text.
type rewritten struct {
	fs.File
	text *strings.Reader
}

func (r rewritten) Read(p []byte) (int, error) { return r.text.Read(p) }

// text returns what the database needs of a change. The first statements record that the change has begun, the last
// one that it is complete.
func (r remaining) text(name string) (string, error) {
	state, err := r.build.read(r.ctx, r.db)
	if err != nil {
		return "", err
	}
	change := r.build.changes[slices.IndexFunc(r.build.changes, func(c change) bool { return c.name == name })]
	made, down, _ := strings.Cut(change.text, "-- +goose Down")
	down += fmt.Sprintf("\nDELETE FROM schema_changes WHERE version = %d;\n", change.version)
	if state.applied[change.version].Applied {
		return "-- +goose Up\n-- +goose Down" + down, nil
	}
	if made, err = r.without(made); err != nil {
		return "", err
	}
	begin := createTable
	if _, begun := state.applied[change.version]; !begun {
		begin += fmt.Sprintf("INSERT INTO schema_changes (version, fingerprint, applied) VALUES (%d, '%s', 0);\n",
			change.version, change.fingerprint)
	}
	made = strings.Replace(made, "-- +goose Up\n", "-- +goose Up\n"+begin, 1)
	made += fmt.Sprintf("\nUPDATE schema_changes SET applied = 1 WHERE version = %d;\n", change.version)
	return made + "-- +goose Down" + down, nil
}

// These patterns match the statements that must not run twice. The changes write each of these statements in one line.
var (
	addColumn = regexp.MustCompile(`(?m)^ALTER TABLE (\w+) ADD COLUMN (?:/\*M! IF NOT EXISTS \*/ )?(\w+).*;$`)
	addIndex  = regexp.MustCompile(`(?m)^CREATE (?:UNIQUE )?INDEX (?:/\*M! IF NOT EXISTS \*/ )?(\w+) ON (\w+).*;$`)
	dropIndex = regexp.MustCompile(`(?m)^DROP INDEX (?:/\*M! IF EXISTS \*/ )?(\w+) /\*! ON (\w+) \*/;$`)
)

// without leaves out the statements whose column or index the database has. SQLite gives numbers to the rows of a
// table only in a column of this type.
func (r remaining) without(text string) (string, error) {
	if r.db.Dialect == sqldb.SQLite {
		return strings.ReplaceAll(text, "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY", "INTEGER PRIMARY KEY"), nil
	}
	has, err := parts(r.ctx, r.db)
	if err != nil {
		return "", err
	}
	for _, s := range []struct {
		statement *regexp.Regexp
		part      string
		drop      bool
	}{
		{addColumn, "column $1.$2", false}, {addIndex, "index $2.$1", false}, {dropIndex, "index $2.$1", true},
	} {
		text = s.statement.ReplaceAllStringFunc(text, func(statement string) string {
			if has[s.statement.ReplaceAllString(statement, s.part)] != s.drop {
				return ""
			}
			return statement
		})
	}
	return text, nil
}

// parts returns the columns and indexes of a MySQL store.
func parts(ctx context.Context, db *sqldb.DB) (map[string]bool, error) {
	name, err := databaseName(ctx, db)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, query := range []string{ // a UNION of both lacks rows on Vitess
		`SELECT CONCAT('column ', table_name, '.', column_name) FROM information_schema.columns
			WHERE table_schema = ?`,
		`SELECT CONCAT('index ', table_name, '.', index_name) FROM information_schema.statistics
			WHERE table_schema = ?`,
	} {
		var found []string
		if err := db.Read.SelectContext(ctx, &found, query, name); err != nil {
			return nil, fmt.Errorf("read the columns and indexes: %w", err)
		}
		for _, part := range found {
			has[part] = true
		}
	}
	return has, nil
}
