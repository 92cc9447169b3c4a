package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/go-sql-driver/mysql"
	"modernc.org/sqlite"

	"onrush/modules/problem"
)

// Unavailable returns an error of a store that failed as unavailable to clients. It returns any other error unchanged:
// a problem, an error that is not of the store, and a row that the store refuses, which is internal to clients, since
// the program should have refused it. InTx and InView return such errors, and the HTTP server turns what handlers
// return.
func Unavailable(err error) error {
	if err == nil || problem.Is(err) || !failed(err) {
		return err
	}
	return problem.Unavailable(err, "The store is temporarily unavailable.")
}

// failed reports whether the store failed, rather than refused a statement.
func failed(err error) bool {
	if _, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return !IsRefused(err)
	}
	if _, ok := errors.AsType[*sqlite.Error](err); ok {
		return !IsRefused(err)
	}
	return IsUnavailable(err) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, sql.ErrTxDone) ||
		errors.Is(err, context.Canceled) || errors.Is(err, ErrHost) || errors.Is(err, errClosed)
}

// errClosed is the error of statements after Close, which a request gets that outlives its time at a stop. database/sql
// doesn't export it.
var errClosed = func() error {
	closed := sql.OpenDB(unopened{})
	_ = closed.Close()
	return closed.PingContext(context.Background())
}()

// unopened makes no connections.
type unopened struct{}

func (unopened) Connect(context.Context) (driver.Conn, error) { return nil, driver.ErrBadConn }
func (unopened) Driver() driver.Driver                        { return nil }
