package schema

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"onrush/modules/sqldb"
)

// createTable creates the table of the changes that a database has. applied is 0 from the first statement of a change
// until its last.
const createTable = `CREATE TABLE IF NOT EXISTS schema_changes (
    version     BIGINT      NOT NULL PRIMARY KEY,
    fingerprint VARCHAR(64) NOT NULL,
    applied     SMALLINT    NOT NULL
) /*! ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin */;
`

// ForeignError says that a database has another schema than this program's.
type ForeignError struct{ found string }

func (e *ForeignError) Error() string {
	return "the database has another schema than this version of the program, which changes nothing in it: " + e.found
}

// build is what a version of the program changes.
type build struct {
	files   fs.ReadDirFS
	changes []change // in their order
}

// change is a file of a build.
type change struct {
	name        string
	text        string
	version     int64
	fingerprint string
}

// recorded is a change that a database has, or that was begun.
type recorded struct {
	Version     int64  `db:"version"`
	Fingerprint string `db:"fingerprint"`
	Applied     bool   `db:"applied"`
}

// State is how far the schema of a database has come.
type State struct {
	// Lacks is how many of this program's changes the database doesn't have, or not completely.
	Lacks int
	// Newer is how many changes a newer version of the program made.
	Newer int

	applied map[int64]recorded
}

// Begun reports whether the database has the schema of any version.
func (s State) Begun() bool { return len(s.applied) > 0 }

// Read compares the schema of a database with this program's, and changes nothing. The error is a *ForeignError if the
// database has changes with other fingerprints, or the tables without any.
func Read(ctx context.Context, db *sqldb.DB) (State, error) {
	b, err := own()
	if err != nil {
		return State{}, err
	}
	return b.read(ctx, db)
}

func (b *build) read(ctx context.Context, db *sqldb.DB) (State, error) {
	had, err := readRecords(ctx, db)
	if err == nil && len(had) > 0 {
		return compare(b.changes, had, nil)
	}
	tables, listErr := listTables(ctx, db)
	switch {
	case listErr != nil:
		return State{}, listErr
	case err != nil && slices.Contains(tables, "schema_changes"): // perhaps another program has just created it
		if had, err = readRecords(ctx, db); err != nil {
			return State{}, err
		}
	}
	return compare(b.changes, had, tables)
}

func readRecords(ctx context.Context, db *sqldb.DB) (had []recorded, err error) {
	const query = `SELECT version, fingerprint, applied FROM schema_changes`
	if err := db.Read.SelectContext(ctx, &had, query); err != nil {
		return nil, fmt.Errorf("read which changes of the schema are applied: %w", err)
	}
	return had, nil
}

func listTables(ctx context.Context, db *sqldb.DB) (names []string, err error) {
	query := `SHOW TABLES`
	if db.Dialect == sqldb.SQLite {
		query = `SELECT name FROM sqlite_master WHERE type = 'table'`
	}
	if err := db.Read.SelectContext(ctx, &names, query); err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	return names, nil
}

// own returns this build.
var own = sync.OnceValues(func() (*build, error) { return buildOf(files) })

func buildOf(files fs.ReadDirFS) (*build, error) {
	b := &build{files: files}
	entries, err := files.ReadDir(".") // sorted by name
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	for _, entry := range entries {
		text, err := fs.ReadFile(files, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		number, _, _ := strings.Cut(entry.Name(), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		b.changes = append(b.changes, change{entry.Name(), string(text), version, fingerprint(text)})
	}
	return b, nil
}

func fingerprint(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
