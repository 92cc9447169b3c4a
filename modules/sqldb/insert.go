package sqldb

import (
	"context"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"
)

const (
	// leastPacket is the smallest max_allowed_packet, in bytes, that a server must have.
	leastPacket = 1 << 20
	// statementBytes bounds the values of one statement of Insert, in bytes; it leaves room for the rest of
	// the statement.
	statementBytes = leastPacket * 3 / 4
	// preparedRows is how many rows a prepared statement of Insert has.
	preparedRows = 50
)

// Insert inserts rows in as few statements as possible, each within the max_allowed_packet of any
// server that OpenMySQL accepts. insert ends with VALUES, group has a ? for each column of a row, and
// args are the values of all rows. A larger row is sent in its own statement. Many rows share a prepared
// statement, whose values the server need not parse.
func Insert(ctx context.Context, tx *sqlx.Tx, insert, group string, args []any) error {
	columns := strings.Count(group, "?")
	if columns == 0 || len(args)%columns != 0 {
		return fmt.Errorf("insert: %d values for rows of %d columns", len(args), columns)
	}
	if len(args) >= 2*preparedRows*columns {
		rest, err := insertPrepared(ctx, tx, insert+" "+Repeat(group, preparedRows), preparedRows*columns, args)
		if err != nil {
			return err
		}
		args = rest
	}
	for len(args) > 0 {
		n := rowsWithin(args, columns)
		if _, err := tx.ExecContext(ctx, insert+" "+Repeat(group, n), args[:n*columns]...); err != nil {
			return err
		}
		args = args[n*columns:]
	}
	return nil
}

// insertPrepared executes a statement with the next size values of args as long as they last, and fit into a packet. It
// returns the args that are left.
func insertPrepared(ctx context.Context, tx *sqlx.Tx, insert string, size int, args []any) (rest []any, err error) {
	stmt, err := tx.PrepareContext(ctx, insert)
	if err != nil {
		return nil, fmt.Errorf("prepare an insert: %w", err)
	}
	defer func() { _ = stmt.Close() }() // it ends with the transaction anyway
	for len(args) >= size && rowsWithin(args[:size], 1) == size {
		if _, err := stmt.ExecContext(ctx, args[:size]...); err != nil {
			return nil, err
		}
		args = args[size:]
	}
	return args, nil
}

// rowsWithin returns how many rows from the start of args fit into one statement, at least 1.
func rowsWithin(args []any, columns int) int {
	size := 0
	for i, arg := range args {
		size += valueBytes(arg)
		if size > statementBytes {
			return max(i/columns, 1)
		}
	}
	return len(args) / columns
}

// valueBytes returns the maximum length of a value in bytes, as a literal with a comma.
func valueBytes(arg any) int {
	const number, quotes = 21, 3
	text, ok := arg.(string)
	if !ok {
		return number
	}
	escapes := 0
	for i := range len(text) {
		escapes += int(escaped[text[i]])
	}
	return len(text) + escapes + quotes
}

// escaped has 1 for each byte that the driver writes as two.
var escaped = [256]uint8{0: 1, '\n': 1, '\r': 1, 0x1a: 1, '\'': 1, '"': 1, '\\': 1}
