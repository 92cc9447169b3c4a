package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
)

// readCommitted opens MySQL connections whose transactions are READ COMMITTED unless they ask for
// another level. It is set once per connection, by a statement that MySQL and MariaDB share, since
// they call the variable by different names, and a level per transaction costs a round trip.
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
	return conn, nil
}
