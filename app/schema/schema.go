// Package schema contains the tables, as goose migrations, and applies them.
package schema

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/pressly/goose/v3"

	"onrush/modules/sqldb"
)

//go:embed *.sql
var changes embed.FS

// lockWaitS is how many seconds Up waits while another program applies the schema. It is below
// mysqlCallTimeout of modules/sqldb, after which the connection would be closed.
const lockWaitS = 20

// sqliteTries and sqlitePause bound how often and how fast Up tries again on SQLite, where
// another program may have applied the same change meanwhile.
const (
	sqliteTries = 5
	sqlitePause = 50 * time.Millisecond
)

// Up applies the changes that the database does not have yet. Programs that start together may all call it:
// one applies them, and the others wait and find nothing to apply. The pool must allow two connections on
// MySQL.
func Up(ctx context.Context, db *sqldb.DB) error {
	if db.Dialect == sqldb.SQLite {
		return upSQLite(ctx, db)
	}
	return upMySQL(ctx, db)
}

// upMySQL holds a named lock, since a change of tables can't be rolled back there.
func upMySQL(ctx context.Context, db *sqldb.DB) (err error) {
	conn, err := db.Write.Connx(ctx)
	if err != nil {
		return fmt.Errorf("apply schema: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	const lock = `SELECT COALESCE(GET_LOCK(CONCAT('onrush_schema:', LEFT(SHA2(DATABASE(), 256), 32)), ?), 0)`
	var got bool
	if err := conn.GetContext(ctx, &got, lock, lockWaitS); err != nil {
		return fmt.Errorf("apply schema: take the lock: %w", err)
	}
	if !got {
		return fmt.Errorf("apply schema: another program has been at it for %d s", lockWaitS)
	}
	defer func() {
		const unlock = `DO RELEASE_LOCK(CONCAT('onrush_schema:', LEFT(SHA2(DATABASE(), 256), 32)))`
		// Also when ctx has ended: the connection goes back to the pool and must not keep the lock.
		if _, unlockErr := conn.ExecContext(context.WithoutCancel(ctx), unlock); unlockErr != nil {
			err = errors.Join(err, fmt.Errorf("apply schema: release the lock: %w", unlockErr))
		}
	}()
	return up(ctx, goose.DialectMySQL, db)
}

// upSQLite tries again if another program applied a change at the same time. Each change is one transaction on
// SQLite, so the next try finds it either applied or not.
func upSQLite(ctx context.Context, db *sqldb.DB) error {
	for try := 1; ; try++ {
		err := up(ctx, goose.DialectSQLite3, db)
		if err == nil || try == sqliteTries {
			return err
		}
		pause := time.NewTimer(sqlitePause)
		select {
		case <-ctx.Done():
			pause.Stop()
			return err
		case <-pause.C:
		}
	}
}

func up(ctx context.Context, dialect goose.Dialect, db *sqldb.DB) error {
	files, err := changesFor(ctx, db)
	if err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	provider, err := goose.NewProvider(dialect, db.Write.DB, files)
	if err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("apply schema: %w", err)
	}
	return nil
}
