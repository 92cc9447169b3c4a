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
		{
			1105, "VT15001: transaction error, issue ROLLBACK and retry the transaction: " + target +
				"vttablet: rpc error: code = Code(17) desc = operation not allowed in state NOT_SERVING",
			verdict{unavailable: true},
		},
		{1105, "VT09032: previous transaction failed. Issue a ROLLBACK.", verdict{unavailable: true}},
		{1105, "syntax error at position 12 near 'USER'", verdict{refused: true}},
		{1235, "VT12001: unsupported: LOCK function and other expression", verdict{}},
		{
			1317, target + "vttablet: rpc error: code = Aborted desc = transaction 1: ended at 22:15:46",
			verdict{unavailable: true},
		},
		{1317, target + "vttablet: rpc error: code = Aborted desc = Row count exceeded 10000", verdict{}},
		{1317, target + "vttablet: rpc error: code = DeadlineExceeded desc = context", verdict{unavailable: true}},
		{1317, "Query execution was interrupted", verdict{}},
		{2003, target + "vttablet: rpc error: code = Unavailable desc = connect: refused", verdict{unavailable: true}},
		{2006, target + "vttablet: rpc error: code = Unavailable desc = broken pipe", verdict{unavailable: true}},
		{2013, target + "vttablet: rpc error: code = Canceled desc = EOF", verdict{unavailable: true}},
		{3024, target + "vttablet: rpc error: code = Canceled desc = (errno 3024)", verdict{}},
		{1213, target + "vttablet: rpc error: code = Aborted desc = Deadlock found", verdict{retryable: true}},
		{1205, target + "vttablet: rpc error: code = DeadlineExceeded desc = Lock wait", verdict{retryable: true}},
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
