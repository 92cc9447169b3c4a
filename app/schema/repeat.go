package schema

import (
	"bytes"
	"context"
	"io/fs"
	"regexp"
	"strings"

	"onrush/modules/sqldb"
)

// MySQL and MariaDB change tables outside of transactions, so a change that was interrupted runs again from its first
// statement. MariaDB then passes over the columns and indexes that are there (IF NOT EXISTS), for which MySQL has no
// syntax: there, each of these statements is preceded by a query for what it would make or drop.

// changesFor returns the changes as the server of db takes them.
func changesFor(ctx context.Context, db *sqldb.DB) (fs.FS, error) {
	if db.Dialect == sqldb.SQLite {
		return changes, nil
	}
	version, err := db.Version(ctx)
	if err != nil {
		return nil, err
	}
	if version.IsMariaDB() {
		return changes, nil
	}
	return forMySQL{changes}, nil
}

// forMySQL are changes that MySQL may run twice.
type forMySQL struct{ fs.FS }

// ReadFile implements fs.ReadFileFS.
func (f forMySQL) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(f.FS, name)
	if err != nil {
		return nil, err
	}
	return repeatable(text), nil
}

// Open implements fs.FS.
func (f forMySQL) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return file, err
	}
	text, err := f.ReadFile(name)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return rewritten{file, bytes.NewReader(text)}, nil
}

// rewritten is a file with another text.
type rewritten struct {
	fs.File
	text *bytes.Reader
}

func (r rewritten) Read(p []byte) (int, error) { return r.text.Read(p) }

// The statements that MariaDB passes over, in the form in which the changes write them: each in one line.
var (
	addColumn = regexp.MustCompile(`(?m)^ALTER TABLE (\w+) ADD COLUMN /\*M! IF NOT EXISTS \*/ (\w+).*;$`)
	addIndex  = regexp.MustCompile(`(?m)^CREATE (?:UNIQUE )?INDEX /\*M! IF NOT EXISTS \*/ (\w+) ON (\w+).*;$`)
	dropIndex = regexp.MustCompile(`(?m)^DROP INDEX /\*M! IF EXISTS \*/ (\w+) /\*! ON (\w+) \*/;$`)
)

func repeatable(text []byte) []byte {
	const columnExists = `EXISTS (SELECT 1 FROM information_schema.columns
		WHERE table_schema = DATABASE() AND table_name = '$1' AND column_name = '$2')`
	const indexExists = `EXISTS (SELECT 1 FROM information_schema.statistics
		WHERE table_schema = DATABASE() AND table_name = '$2' AND index_name = '$1')`
	for _, conditional := range []struct {
		statement *regexp.Regexp
		unless    string
	}{
		{addColumn, columnExists}, {addIndex, indexExists}, {dropIndex, "NOT " + indexExists},
	} {
		text = conditional.statement.ReplaceAllFunc(text, func(statement []byte) []byte {
			unless := conditional.statement.ReplaceAll(statement, []byte(conditional.unless))
			quoted := strings.ReplaceAll(strings.TrimSuffix(string(statement), ";"), "'", "''")
			return []byte("SET @statement = IF(" + string(unless) + ", 'DO 0', '" + quoted + "');\n" +
				"PREPARE next FROM @statement;\nEXECUTE next;\nDEALLOCATE PREPARE next;")
		})
	}
	return text
}
