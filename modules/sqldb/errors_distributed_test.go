package sqldb_test

import (
	"fmt"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"

	"onrush/modules/sqldb"
)

// What a distributed store answers while a part of it is away must not count against the rows of an order.
func TestErrorsOfDistributedStoresAreNoneOfTheRows(t *testing.T) {
	t.Parallel()
	type verdict struct{ refused, retryable, unavailable bool }
	const target = "target: onrush.0.primary: "
	for _, tt := range []struct {
		number uint16
		text   string
		want   verdict
	}{
		{8005, "Write Conflict", verdict{retryable: true}},
		{8022, "KV error safe to retry", verdict{retryable: true}},
		{8028, "Information schema is changed during the execution of the statement", verdict{retryable: true}},
		{9004, "Resolve lock timeout", verdict{retryable: true}},
		{9007, "Write conflict", verdict{retryable: true}},
		{8027, "Information schema is out of date", verdict{}},
		{9001, "PD server timeout", verdict{unavailable: true}},
		{9002, "TiKV server timeout", verdict{unavailable: true}},
		{9003, "TiKV server is busy", verdict{unavailable: true}},
		{9005, "Region is unavailable", verdict{unavailable: true}},
		{1105, target + "vttablet: rpc error: code = Unavailable desc = refused", verdict{unavailable: true}},
		{1105, target + "vttablet: rpc error: code = ClusterEvent desc = a reparent", verdict{unavailable: true}},
		{1105, target + "primary is not serving", verdict{unavailable: true}},
		{1105, target + "no healthy tablet available", verdict{unavailable: true}},
		{1105, "VT14003: no connection for tablet", verdict{unavailable: true}},
		{1105, target + "vttablet: rpc error: code = Unknown desc = something else", verdict{refused: true}},
		{1317, target + "vttablet: rpc error: code = Aborted desc = transaction 1: ended", verdict{}},
		{1203, target + "vttablet: rpc error: code = ResourceExhausted desc = pool", verdict{unavailable: true}},
		{1041, "Transaction throttled", verdict{unavailable: true}},
		{1062, target + "vttablet: rpc error: code = AlreadyExists desc = Duplicate entry", verdict{refused: true}},
		{1406, target + "vttablet: rpc error: code = FailedPrecondition desc = Data too long", verdict{refused: true}},
	} {
		err := fmt.Errorf("store: %w", &mysql.MySQLError{Number: tt.number, Message: tt.text})
		assert.Equal(t, tt.want, verdict{
			refused: sqldb.IsRefused(err), retryable: sqldb.IsRetryable(err), unavailable: sqldb.IsUnavailable(err),
		}, "%d %s", tt.number, tt.text)
		assert.Equal(t, tt.number == 1062, sqldb.IsDuplicate(err))
		assert.Equal(t, tt.number == 1406, sqldb.IsRowError(err))
	}
}
