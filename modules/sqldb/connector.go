package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// pinned are the statements that set, once per connection, what the session would have of the server's defaults, and
// what the statements of this program depend on beside sessionVars. Transactions are READ COMMITTED unless they ask for
// another level; MySQL and MariaDB have different names for that variable. In order: a statement is a transaction
// unless one was begun, a commit begins no transaction and keeps the connection, constraints and unique indexes are
// checked, statements need no key and no LIMIT, and "= NULL" finds nothing.
var pinned = []string{
	"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
	`SET autocommit = 1, completion_type = 0, unique_checks = 1, foreign_key_checks = 1,
		/*M! check_constraint_checks = 1, */ sql_safe_updates = 0, sql_big_selects = 1, sql_auto_is_null = 0`,
}

// allRows lets statements read all rows. vtgate has no default for it, takes no number as high, and with any it refuses
// GET_LOCK, since it adds a LIMIT.
const allRows = "SET sql_select_limit = 18446744073709551615"

// unlimited lets statements run as long as their callers wait, unless the DSN says otherwise. MariaDB and MySQL have
// different names for the limit, and each skips the other's.
const unlimited = `SET autocommit = 1 /*M! , max_statement_time = 0 */ /*!50708 , max_execution_time = 0 */`

// limits are the parameters of the DSN that limit how long a statement runs.
var limits = []string{"max_statement_time", "max_execution_time"}

// session opens MySQL connections with the pinned variables, and checks that the server accepts statements of
// leastPacket bytes.
type session struct {
	driver.Connector

	failover *failover
	limited  bool // by the DSN
}

func (c session) Connect(ctx context.Context) (driver.Conn, error) {
	var opened int64
	if c.failover != nil {
		opened = c.failover.count.Load()
	}
	made, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := made.(mysqlConn)
	if !ok {
		return nil, errors.Join(errors.New("open a connection: the driver lacks methods"), made.Close())
	}
	server, err := variables(ctx, conn)
	if err == nil {
		err = c.pin(ctx, conn, server.vitess)
	}
	switch {
	case err != nil:
		return nil, errors.Join(err, conn.Close())
	case server.packet < leastPacket: // a larger statement ends the connection, which looks like an unavailable store
		return nil, errors.Join(
			fmt.Errorf("max_allowed_packet is %d: it must be %d or more", server.packet, leastPacket), conn.Close())
	case c.failover == nil:
		return guarded(conn)
	case server.readOnly:
		onReadOnlyConn.Mark()
		c.failover.count.Add(1)
		opened = usedOnce
	}
	return guarded(&primaryConn{mysqlConn: conn, failover: c.failover, opened: opened})
}

// pin sets the variables of the session.
func (c session) pin(ctx context.Context, conn mysqlConn, vitess bool) error {
	statements := slices.Clone(pinned)
	if !vitess {
		statements = append(statements, allRows)
	}
	if !c.limited {
		statements = append(statements, unlimited)
	}
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement, nil); err != nil {
			return fmt.Errorf("set the variables of the session: %w", err)
		}
	}
	return nil
}

// serverVariables are what a connection must know of its server.
type serverVariables struct {
	packet   int64 // max_allowed_packet, in bytes
	readOnly bool
	vitess   bool
}

func variables(ctx context.Context, conn mysqlConn) (found serverVariables, err error) {
	rows, err := conn.QueryContext(ctx, "SELECT @@max_allowed_packet, @@global.read_only, @@version", nil)
	if err != nil {
		return found, fmt.Errorf("read the variables of the server: %w", err)
	}
	defer func() { _ = rows.Close() }()
	values := make([]driver.Value, 3)
	if err := rows.Next(values); err != nil {
		return found, fmt.Errorf("read the variables of the server: %w", err)
	}
	if found.packet, err = strconv.ParseInt(text(values[0]), 10, 64); err != nil {
		return found, fmt.Errorf("read max_allowed_packet: %w", err)
	}
	found.readOnly = text(values[1]) != "0" && text(values[1]) != "OFF"
	found.vitess = strings.Contains(text(values[2]), "Vitess")
	return found, nil
}

func text(value driver.Value) string {
	if bytes, ok := value.([]byte); ok {
		return string(bytes)
	}
	return fmt.Sprint(value)
}
