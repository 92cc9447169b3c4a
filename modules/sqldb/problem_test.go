package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

func TestOnlyAFailedStoreIsUnavailableToClients(t *testing.T) {
	t.Parallel()
	for _, failed := range []error{
		&mysql.MySQLError{Number: 1213}, &mysql.MySQLError{Number: 1205}, &mysql.MySQLError{Number: 1290},
		&mysql.MySQLError{Number: 1114}, &net.OpError{Op: "dial", Err: errors.New("refused")}, mysql.ErrInvalidConn,
		context.DeadlineExceeded, sql.ErrTxDone, afterClose(t),
	} {
		err := sqldb.Unavailable(fmt.Errorf("read: %w", failed))
		assert.Equal(t, problem.CodeUnavailable, problem.CodeOf(err), "%v", failed)
		require.ErrorIs(t, err, failed)
	}
	for _, other := range []error{
		nil, problem.NotFound("order"), sql.ErrNoRows, errors.New("script returned 7"),
		&mysql.MySQLError{Number: 1062}, &mysql.MySQLError{Number: 1406}, &mysql.MySQLError{Number: 4025},
	} {
		assert.Equal(t, other, sqldb.Unavailable(other))
	}
}

// afterClose returns the error of a statement on a pool that was closed.
func afterClose(t *testing.T) error {
	t.Helper()
	db, err := sql.Open("mysql", "onrush@tcp(127.0.0.1:1)/onrush")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = db.ExecContext(t.Context(), "SELECT 1")
	require.Error(t, err)
	return err
}
