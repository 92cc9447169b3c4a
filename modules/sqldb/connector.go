package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
)

// readCommitted opens MySQL connections whose transactions are READ COMMITTED unless they ask for
// another level, and checks that the server accepts statements of leastPacket bytes. It sets the level
// once per connection, since setting it per transaction costs a round trip, and by a statement, since
// MySQL and MariaDB have different names for the variable.
type readCommitted struct {
	driver.Connector

	failover *failover
}

func (c readCommitted) Connect(ctx context.Context) (driver.Conn, error) {
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
	if _, err := conn.ExecContext(ctx, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", nil); err != nil {
		return nil, errors.Join(fmt.Errorf("set the isolation level: %w", err), conn.Close())
	}
	packet, readOnly, err := variables(ctx, conn)
	switch {
	case err != nil:
		return nil, errors.Join(err, conn.Close())
	case packet < leastPacket: // a larger statement would end the connection, which looks like an unavailable store
		return nil, errors.Join(
			fmt.Errorf("max_allowed_packet is %d: it must be %d or more", packet, leastPacket), conn.Close())
	case c.failover == nil:
		return conn, nil
	case readOnly:
		c.failover.count.Add(1)
		opened = usedOnce
	}
	return &primaryConn{mysqlConn: conn, failover: c.failover, opened: opened}, nil
}

// variables reads max_allowed_packet, in bytes, and whether the server is read-only.
func variables(ctx context.Context, conn mysqlConn) (packet int64, readOnly bool, err error) {
	rows, err := conn.QueryContext(ctx, "SELECT @@max_allowed_packet, @@global.read_only", nil)
	if err != nil {
		return 0, false, fmt.Errorf("read the variables of the server: %w", err)
	}
	defer func() { _ = rows.Close() }()
	values := make([]driver.Value, 2)
	if err := rows.Next(values); err != nil {
		return 0, false, fmt.Errorf("read the variables of the server: %w", err)
	}
	if packet, err = strconv.ParseInt(text(values[0]), 10, 64); err != nil {
		return 0, false, fmt.Errorf("read max_allowed_packet: %w", err)
	}
	return packet, text(values[1]) != "0" && text(values[1]) != "OFF", nil
}

func text(value driver.Value) string {
	if bytes, ok := value.([]byte); ok {
		return string(bytes)
	}
	return fmt.Sprint(value)
}
