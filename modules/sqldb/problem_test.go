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
		context.DeadlineExceeded, sql.ErrTxDone,
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
