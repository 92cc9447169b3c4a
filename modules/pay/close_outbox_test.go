package pay

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/sqldb"
	"onrush/test/kit"
)

// decided stores n payments of decided orders, the first of which somebody has locked until the transaction ends. It
// returns a Reconciler that has the pool of jobs.
func decided(t *testing.T, stores *kit.Stores, n, locked int) (*Reconciler, *sqlx.Tx) {
	t.Helper()
	pending(t, stores, slices.Repeat([]string{"bank"}, n)...)
	exec := func(q sqlx.ExecerContext, statement string, args ...any) {
		_, err := q.ExecContext(t.Context(), statement, args...)
		require.NoError(t, err)
	}
	exec(stores.DB.Write, `INSERT INTO payment_closes (order_number) SELECT order_number FROM payment_orders`)
	exec(stores.DB.Write, `UPDATE payments SET ask_ms = ?`, int64(1)<<50)
	tx, err := stores.DB.Write.BeginTxx(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback() })
	exec(tx, `UPDATE payments SET flag = flag WHERE pay_number <= ?`, locked)
	db, err := stores.DB.Pool(sqldb.Work(4))
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	bank := &askedGateway{answer: func(context.Context) (Found, error) { return Found{}, nil }}
	return NewReconciler(Config{}, Deps{
		DB: db, Gateways: Gateways{"bank": bank}, Clock: clock.Fixed(time.Now), Log: slog.New(slog.DiscardHandler),
	}, &Processor{}), tx
}

// open returns the payments that are not closed, and how many orders wait until theirs are.
func open(t *testing.T, stores *kit.Stores) (payments []order.Number, waiting int) {
	t.Helper()
	require.NoError(t, stores.DB.Write.SelectContext(t.Context(), &payments,
		`SELECT pay_number FROM payments WHERE status <> 'closed' ORDER BY pay_number`))
	require.NoError(t, stores.DB.Write.GetContext(t.Context(), &waiting, `SELECT COUNT(*) FROM payment_closes`))
	return payments, waiting
}

// Somebody has locked the payment of the first of several pages.
func TestALockedPaymentDoesNotKeepOthersOfDecidedOrdersFromBeingClosed(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	r, tx := decided(t, stores, closePage+2, 1)
	now := kit.NewClock(time.Now()) // stands still: a run takes seconds on a busy machine
	r.db.Busy = sqldb.NewBusy(now.Now)
	_, err := r.RunOnce(t.Context())
	require.ErrorContains(t, err, "close payment 1:", "the job names the payment that is left")
	payments, waiting := open(t, stores)
	assert.Equal(t, []order.Number{1}, payments)
	assert.Equal(t, 1, waiting)
	assert.Equal(t, 1, r.db.Busy.Len())
	_, err = r.RunOnce(t.Context())
	require.NoError(t, err, "a locked one is not tried again at once")

	require.NoError(t, tx.Rollback())
	now.Advance(time.Minute)
	require.Eventually(t, func() bool {
		_, err := r.RunOnce(t.Context())
		payments, waiting := open(t, stores)
		return assert.NoError(t, err) && len(payments)+waiting == 0
	}, 10*time.Second, 20*time.Millisecond)
}

func TestARunWaitsForFewLockedPaymentsAndTheNextOneContinues(t *testing.T) {
	t.Parallel()
	stores := kit.OnReal(t)
	r, _ := decided(t, stores, maxFailed+2, maxFailed+1)
	_, err := r.RunOnce(t.Context())
	require.Error(t, err)
	payments, _ := open(t, stores)
	assert.Len(t, payments, maxFailed+2, "the others wait for the next run")
	_, err = r.RunOnce(t.Context())
	require.ErrorContains(t, err, "close payment 6:")
	payments, waiting := open(t, stores)
	assert.Len(t, payments, maxFailed+1)
	assert.Equal(t, maxFailed+1, waiting)
}
