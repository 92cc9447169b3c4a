package sqldb

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"onrush/modules/problem"
)

// noWrites are answers of MySQL and MariaDB to a write that tell why no write succeeds.
var noWrites = map[uint16]string{
	1021: "disk full",
	1026: "disk full", // a file can't be written
	1114: "disk full", // the table is full
	1044: "no privilege",
	1142: "no privilege",
	1143: "no privilege",
	1047: "node not in the cluster",
	1665: "binlog_format=STATEMENT", // READ COMMITTED needs rows, or MIXED
}

// readOnlyError says why a write failed. The driver only says that the connection is broken.
type readOnlyError struct {
	variable string // such as read_only
	cause    error
}

func (e readOnlyError) Error() string { return "the server has " + e.variable + " = 1" }
func (e readOnlyError) Unwrap() error { return e.cause }

// CheckWrite writes a row, to see whether the store takes writes. Instances with different slots don't wait for each
// other. If the store answers and refuses the write, the error is a *problem.NoWritesError. On SQLite, which is a file
// of the program's own, CheckWrite does nothing.
func (db *DB) CheckWrite(ctx context.Context, slot int, nowMS int64) error {
	if db.Dialect == SQLite {
		return nil
	}
	_, err := db.Write.ExecContext(ctx, `REPLACE INTO write_checks (slot, at_ms) VALUES (?, ?)`, slot, nowMS)
	if err == nil {
		return nil
	}
	return db.ExplainWrite(ctx, fmt.Errorf("write: %w", err))
}

// ExplainWrite returns the error of a write as a *problem.NoWritesError if the store answers and takes no writes, and
// unchanged otherwise. What IsUnavailable says of it stays the same.
func (db *DB) ExplainWrite(ctx context.Context, err error) error {
	if err == nil || db.Dialect == SQLite {
		return err
	}
	if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
		if reason := noWrites[my.Number]; reason != "" {
			onNoWrites.Mark()
			return &problem.NoWritesError{Reason: reason, Err: err}
		}
	}
	if !IsUnavailable(err) {
		return err
	}
	// The driver closes the connections of a server that is read-only, and doesn't say why.
	const query = `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'super_read_only', 'innodb_read_only',
		'transaction_read_only', 'tx_read_only') AND Value NOT IN ('OFF', '0')`
	var variable, value string
	if db.Read.QueryRowxContext(ctx, query).Scan(&variable, &value) == nil {
		onReadOnly.Mark()
		return &problem.NoWritesError{Reason: "read-only", Err: readOnlyError{variable, err}}
	}
	return err
}
