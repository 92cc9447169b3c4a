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
type readCommitted struct{ driver.Connector }

func (c readCommitted) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	execer, ok := conn.(driver.ExecerContext)
	if !ok {
		return nil, errors.Join(errors.New("set the isolation level: the driver runs no statements"), conn.Close())
	}
	if _, err := execer.ExecContext(ctx, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", nil); err != nil {
		return nil, errors.Join(fmt.Errorf("set the isolation level: %w", err), conn.Close())
	}
	if err := checkPacket(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// checkPacket checks max_allowed_packet of the server. A larger statement would end the connection,
// which looks like an unavailable store.
func checkPacket(ctx context.Context, conn driver.Conn) error {
	queryer, ok := conn.(driver.QueryerContext)
	if !ok {
		return errors.New("read max_allowed_packet: the driver runs no queries")
	}
	rows, err := queryer.QueryContext(ctx, "SELECT @@max_allowed_packet", nil)
	if err != nil {
		return fmt.Errorf("read max_allowed_packet: %w", err)
	}
	defer func() { _ = rows.Close() }()
	value := make([]driver.Value, 1)
	if err := rows.Next(value); err != nil {
		return fmt.Errorf("read max_allowed_packet: %w", err)
	}
	text := fmt.Sprint(value[0])
	if bytes, ok := value[0].([]byte); ok {
		text = string(bytes)
	}
	packet, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("read max_allowed_packet: %w", err)
	}
	if packet < leastPacket {
		return fmt.Errorf("max_allowed_packet is %d: it must be %d or more", packet, leastPacket)
	}
	return nil
}
