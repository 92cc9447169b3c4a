package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync/atomic"
)

// failover ends the use of a former primary by all pools of a store. That server may go on answering reads, from data
// that gets older, while new connections lead to the new primary. It counts how often a write or a new connection found
// the server read-only or gone; connections from before the last time are not used again. It is nil for a replica.
type failover struct{ count atomic.Int64 }

// mysqlConn has the methods of the driver's connections.
type mysqlConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.NamedValueChecker
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// primaryConn is a connection to the primary.
type primaryConn struct {
	mysqlConn

	failover *failover
	opened   int64 // the count of failovers before it was opened, or usedOnce
}

// usedOnce is for connections whose server was read-only from the start.
const usedOnce = -1

// ExecContext notices that the server takes no writes any more, for which the driver answers ErrBadConn.
func (c *primaryConn) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	result, err := c.mysqlConn.ExecContext(ctx, query, args)
	if errors.Is(err, driver.ErrBadConn) {
		onBadConn.Mark()
		c.failover.count.CompareAndSwap(c.opened, c.opened+1) // once for all that were open
	}
	return result, err
}

// ResetSession is called before the connection is used again.
func (c *primaryConn) ResetSession(ctx context.Context) error {
	if c.opened != c.failover.count.Load() {
		onFormer.Mark()
		return driver.ErrBadConn
	}
	return c.mysqlConn.ResetSession(ctx)
}
