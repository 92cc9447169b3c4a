// Package schema contains the tables, as goose migrations, and applies them.
//
// A change of the schema is a file, in the order of the numbers that the names of the files begin with. A database
// records which changes it has in the table schema_changes, each with the fingerprint of its file: so a database whose
// changes have other texts than this program's is refused, and nothing in it is changed.
//
// A change of version 1 has a number below 10000, of version 2 one below 20000, and so on: a program refuses a database
// with changes of a later major version. Within one, older programs run under the changes of newer ones, so these only
// add, widen, or give defaults. A change says in a line "-- Locks:" what it locks, and tells MySQL how to run where the
// table has the orders of years: in a comment that SQLite doesn't read, such as /*! , ALGORITHM=INPLACE, LOCK=NONE */.
package schema

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"

	"onrush/modules/loop"
	"onrush/modules/sqldb"
)

//go:embed *.sql
var files embed.FS

// patientConns is how many connections changes need: one runs the statements, one reads which are left, and one what
// they wait for.
const patientConns = 3

// sqliteTries and sqlitePause bound how often and how fast Up tries again on SQLite, where
// another program may have applied the same change meanwhile.
const (
	sqliteTries = 5
	sqlitePause = 50 * time.Millisecond
)

// Up applies the changes that the database does not have yet, and completes a change that was cut off. Programs that
// start together may all call it: one applies them, and the others wait and find nothing to apply. The error is ErrBusy
// if another program still applies them after lockWaitS, and a *ForeignError if the database has another schema. On
// MySQL it opens connections of its own, whose statements may take as long as a change of a large table does.
func Up(ctx context.Context, db *sqldb.DB) error {
	return Upgrade(ctx, db, slog.New(slog.DiscardHandler))
}

// Upgrade is Up that logs each change, and twice a minute what a change that takes long is doing or waiting for.
func Upgrade(ctx context.Context, db *sqldb.DB, log *slog.Logger) error {
	b, err := own()
	if err != nil {
		return err
	}
	return b.up(ctx, db, progress{log, tellEvery})
}

func (b *build) up(ctx context.Context, db *sqldb.DB, p progress) error {
	for try := 1; ; try++ {
		err := b.tryUp(ctx, db, p)
		if _, foreign := errors.AsType[*ForeignError](err); err == nil || foreign || db.Dialect != sqldb.SQLite ||
			try == sqliteTries {
			return err
		}
		if loop.Wait(ctx, sqlitePause) != nil {
			return err
		}
	}
}

func (b *build) tryUp(ctx context.Context, db *sqldb.DB, p progress) (err error) {
	state, err := b.read(ctx, db)
	if err != nil || state.Lacks == 0 {
		return err
	}
	if db.Dialect == sqldb.MySQL {
		if db, err = db.Patient(patientConns); err != nil {
			return err
		}
		defer func(patient *sqldb.DB) { err = errors.Join(err, patient.Close()) }(db)
	}
	provider, err := b.provider(ctx, db)
	if err != nil {
		return err
	}
	for _, source := range provider.ListSources() {
		stop := func(error) {}
		if !state.applied[source.Version].Applied {
			stop = p.tell(ctx, db, filepath.Base(source.Path))
		}
		_, err := provider.ApplyVersion(ctx, source.Version, true)
		if stop(err); err != nil {
			return fmt.Errorf("apply schema: %w", err)
		}
	}
	return nil
}

// provider returns what runs the changes on a database. It keeps no versions: the statements that record a change
// are part of the text that it runs.
func (b *build) provider(ctx context.Context, db *sqldb.DB) (*goose.Provider, error) {
	dialect, options := goose.DialectSQLite3, []goose.ProviderOption{
		goose.WithDisableVersioning(true), goose.WithDisableGlobalRegistry(true),
	}
	if db.Dialect == sqldb.MySQL {
		lock, err := lockFor(ctx, db)
		if err != nil {
			return nil, err
		}
		dialect, options = goose.DialectMySQL, append(options, goose.WithSessionLocker(lock))
	}
	provider, err := goose.NewProvider(dialect, db.Write.DB, remaining{ctx, b, db}, options...)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return provider, nil
}

// ErrBusy says that another program applies changes of the schema: call Up again until it has ended.
var ErrBusy = errors.New("another program changes the tables")

// lockWaitS is how many seconds Up waits while another program applies the schema. It is below
// mysqlCallTimeout of modules/sqldb, after which the connection would be closed.
const lockWaitS = 5

// namedLock lets one program at a time change the schema of a MySQL store, where a change of tables can't be rolled
// back. It is held by the connection that runs the statements: the last statement of a program that was killed ends
// before another program gets the lock.
type namedLock string

// lockFor returns the lock for the database that db uses. The program computes its name, since not every server takes
// an expression as the name of a lock.
func lockFor(ctx context.Context, db *sqldb.DB) (namedLock, error) {
	name, err := databaseName(ctx, db)
	return namedLock("onrush_schema:" + fingerprint([]byte(name))[:32]), err
}

func databaseName(ctx context.Context, db *sqldb.DB) (name string, err error) {
	if err := db.Read.GetContext(ctx, &name, `SELECT DATABASE()`); err != nil {
		return "", fmt.Errorf("read the name of the database: %w", err)
	}
	return name, nil
}

// SessionLock implements lock.SessionLocker of goose.
func (l namedLock) SessionLock(ctx context.Context, conn *sql.Conn) error {
	var got sql.NullBool
	if err := conn.QueryRowContext(ctx, `SELECT GET_LOCK(?, ?)`, string(l), lockWaitS).Scan(&got); err != nil {
		return fmt.Errorf("take the lock: %w", err)
	}
	if !got.Bool {
		return ErrBusy
	}
	return nil
}

// SessionUnlock implements lock.SessionLocker of goose.
func (l namedLock) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	var released sql.NullBool
	if err := conn.QueryRowContext(ctx, `SELECT RELEASE_LOCK(?)`, string(l)).Scan(&released); err != nil {
		return fmt.Errorf("release the lock: %w", err)
	}
	return nil
}
