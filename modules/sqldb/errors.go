package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Numbers of MySQL and MariaDB errors:
// https://mariadb.com/kb/en/mariadb-error-code-reference/
const (
	mysqlDuplicate       = 1062
	mysqlLockWaitTimeout = 1205
	mysqlDeadlock        = 1213
	mysqlRecordChanged   = 1020 // MariaDB: a row changed since the snapshot was taken
	mysqlUnknown         = 1105 // Vitess: any error that has no number
	mysqlInterrupted     = 1317
	// Vitess passes on the numbers with which a vttablet lost its mysqld, which are the errors of a client.
	leastOfClients, mostOfClients = 2000, 2099
)

// tidbAgain are errors of TiDB after which the whole transaction, which was rolled back, may succeed:
// https://docs.pingcap.com/tidb/stable/error-codes
var tidbAgain = map[uint16]bool{
	8005: true, // write conflict in a transaction of the optimistic kind
	8022: true, // the commit failed
	8028: true, // the schema changed during the transaction
	9004: true, // too many transactions want the same rows
	9007: true, // write conflict
}

// mysqlRow are errors caused by the data of one row: writing it again can't succeed.
var mysqlRow = map[uint16]bool{
	1048: true, // column can't be null
	1264: true, // value out of range
	1292: true, // wrong value
	1366: true, // wrong string or number
	1406: true, // data too long
	3819: true, // MySQL: check violated
	4025: true, // MariaDB: check violated
	3988: true, // character can't be converted
}

// IsDuplicate reports whether a unique key refused a row.
func IsDuplicate(err error) bool {
	if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return my.Number == mysqlDuplicate
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return false
}

// IsRowError reports whether the error is caused by the data of a row: too long, out of range, or
// violating a check. It is false for an unavailable store.
func IsRowError(err error) bool {
	if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return mysqlRow[my.Number]
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		switch lite.Code() {
		case sqlite3.SQLITE_CONSTRAINT_CHECK, sqlite3.SQLITE_CONSTRAINT_NOTNULL,
			sqlite3.SQLITE_CONSTRAINT_DATATYPE, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH:
			return true
		}
	}
	return false
}

// mysqlServer are errors of the server, the session or the schema: every other row would get them too.
var mysqlServer = map[uint16]bool{
	1021: true, // disk full
	1040: true, // too many connections
	1044: true, // access denied to the database
	1045: true, // access denied
	1047: true, // the node of a cluster isn't ready
	1049: true, // unknown database
	1053: true, // shutdown
	1054: true, // unknown column
	1114: true, // table full
	1129: true, // host blocked
	1142: true, // no right to the table
	1143: true, // no right to the column
	1146: true, // no such table
	1203: true, // the user has too many connections
	1226: true, // the user has used up a resource
	1235: true, // Vitess: the statement is not supported
	1290: true, // read-only
	1317: true, // interrupted
	1836: true, // read-only
	1927: true, // connection killed
	1969: true, // MariaDB: max_statement_time
	3024: true, // MySQL: max_execution_time

	8027: true, // TiDB: the schema is too old
}

// IsRefused reports whether the store ran a statement and refused it, perhaps because of its rows. It is
// false for an unavailable store and for errors that IsRetryable accepts.
func IsRefused(err error) bool {
	if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return !mysqlServer[my.Number] && !isBusy(my) && !IsRetryable(err)
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH:
			return true
		}
	}
	return false
}

// IsRetryable reports whether running the whole transaction again may succeed.
func IsRetryable(err error) bool {
	if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return my.Number == mysqlDeadlock || my.Number == mysqlLockWaitTimeout || my.Number == mysqlRecordChanged ||
			tidbAgain[my.Number]
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return lite.Code()&0xff == sqlite3.SQLITE_BUSY || lite.Code()&0xff == sqlite3.SQLITE_LOCKED
	}
	return false
}

// endsTransaction reports whether a transaction has ended by the error of a statement in it. vtgate goes on with one
// whose tablet is gone: it would answer that the transaction was committed.
func endsTransaction(err error) bool {
	my, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && (my.Number == mysqlDeadlock || isBusy(my))
}

// IsDeadlock reports whether MySQL rolled a transaction back because it and another one waited for each other.
func IsDeadlock(err error) bool {
	my, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && my.Number == mysqlDeadlock
}

// mysqlBusy are errors of a server that accepts no connections for now.
var mysqlBusy = map[uint16]bool{
	1040: true, // too many connections
	1041: true, // Vitess: transactions are throttled
	1053: true, // shutting down
	1129: true, // host blocked after too many errors
	1203: true, // too many connections of this user
	9001: true, // TiDB: the placement driver does not answer
	9002: true, // TiDB: the storage does not answer
	9003: true, // TiDB: the storage is busy
	9005: true, // TiDB: a region is unavailable
}

// vitessAway are parts of the texts of errors of Vitess, which share a number, that say that no tablet takes the
// statement for now, or that the transaction has ended: https://vitess.io/docs/reference/errors/query-serving/
var vitessAway = map[uint16][]string{
	mysqlUnknown: {
		"code = Unavailable", "code = ClusterEvent", "code = Code(17)", "not serving", "NOT_SERVING",
		"no healthy tablet", "VT14",
		"VT15001", // the transaction failed
		"VT09032", // it has failed before
	},
	mysqlInterrupted: {
		"rpc error: code = Aborted desc = transaction ", // the tablet has lost it, or it took too long
		"rpc error: code = DeadlineExceeded", "rpc error: code = Canceled",
	},
}

// isBusy reports whether a server accepts no statement for now.
func isBusy(my *mysql.MySQLError) bool {
	return mysqlBusy[my.Number] || my.Number >= leastOfClients && my.Number <= mostOfClients ||
		slices.ContainsFunc(vitessAway[my.Number], func(part string) bool { return strings.Contains(my.Message, part) })
}

// errNotOpen says that the gate of ConnectMySQL lets no connection be made yet.
var errNotOpen = errors.New("no connection is made")

// IsUnavailable reports whether the store can't be reached, or accepts no connections for now. It is
// false if the store refuses for another reason, such as a wrong password.
func IsUnavailable(err error) bool {
	if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return isBusy(my)
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, errNotOpen) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) ||
		errors.Is(err, context.DeadlineExceeded)
}

// IsLockTimeout reports whether a statement waited too long for a locked row of MySQL. It is false on SQLite, which
// locks no rows.
func IsLockTimeout(err error) bool {
	my, ok := errors.AsType[*mysql.MySQLError](err)
	return ok && my.Number == mysqlLockWaitTimeout
}
