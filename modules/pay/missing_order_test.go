package pay

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onrush/modules/clock"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/redisdb"
	"onrush/test/kit"
)

// noOrders are stores that answer and have none of the orders.
type noOrders struct{}

func (noOrders) EnsureStored(context.Context, string, order.Number) (*order.Order, error) {
	return nil, problem.NotFound("order")
}

// withoutOrders returns a Processor of payments whose orders are in no store.
func withoutOrders(stores *kit.Stores) *Processor {
	return NewProcessor(Config{}, Deps{
		DB: stores.DB, Ensure: noOrders{}, Locks: redisdb.NewLocks(stores.Redis), Keys: stores.Keys,
		Clock: clock.Fixed(testClock), Number: func() order.Number { return 9000 },
		Random: func() uint64 { return 0 }, Log: slog.New(slog.DiscardHandler),
	})
}

var moneyOf1 = Notification{EventID: "evt_1", TransactionID: "t1", PayNumber: 1, Amount: 1, Currency: "EUR"}

func refundsOf(t *testing.T, stores *kit.Stores) (refunds []Refund) {
	t.Helper()
	require.NoError(t, stores.DB.Write.SelectContext(t.Context(), &refunds, `SELECT `+RefundColumns+` FROM refunds`))
	return refunds
}

// A Redis that is being restored may have the order soon.
func TestMoneyForAnOrderThatNoStoreHasWaitsAndThenGoesBackOnce(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		pending(t, stores, "slow")
		s, ctx := withoutOrders(stores), context.WithoutCancel(t.Context())
		for range 4 {
			require.Equal(t, problem.CodeUnavailable, problem.CodeOf(s.Process(ctx, "slow", moneyOf1)))
		}
		assert.Empty(t, refundsOf(t, stores))
		kit.Crowd(48, func(int) { // one of them sees the fifth delivery
			err := s.Process(ctx, "slow", moneyOf1)
			assert.True(t, err == nil || problem.CodeOf(err) == problem.CodeUnavailable, "%v", err)
		})
		require.Eventually(t, func() bool { // on a busy machine a lock may have to expire first
			return s.Process(ctx, "slow", moneyOf1) == nil
		}, time.Minute, 50*time.Millisecond)
		refunds := refundsOf(t, stores)
		require.Len(t, refunds, 1)
		assert.Equal(t, ReasonNoOrder, refunds[0].Reason)
		assert.EqualValues(t, 1, refunds[0].Amount)
		status, flag := statusOf(t, stores, 1)
		assert.Equal(t, Refunding, status)
		assert.Equal(t, ReasonNoOrder, flag)
	})
}

func TestMoneyWaitsWhileAnotherHolderHasTheLockOfItsOrder(t *testing.T) {
	t.Parallel()
	stores := kit.OnEmbedded(t)
	pending(t, stores, "slow")
	s := withoutOrders(stores)
	lock := order.LockNames(stores.Keys, 1)[0]
	require.NoError(t, stores.Redis.Set(t.Context(), lock, "another", time.Hour).Err())
	err := s.Process(t.Context(), "slow", moneyOf1)
	require.Equal(t, problem.CodeUnavailable, problem.CodeOf(err), "the gateway sends it again")
	require.ErrorIs(t, err, redisdb.ErrLocked)
	p, err := SelectPayment(t.Context(), stores.DB.Write, 1)
	require.NoError(t, err)
	assert.Zero(t, p.Deliveries, "it was not processed")
}

// closingGateway takes the money of a payment between the query and the close.
type closingGateway struct{ askedGateway }

func (*closingGateway) Close(context.Context, *Payment) error { return ErrPaid }

func TestAPaymentThatIsPaidWhileItIsClosedIsProcessedAsPaid(t *testing.T) {
	t.Parallel()
	kit.Each(t, func(t *testing.T, stores *kit.Stores) {
		pending(t, stores, "slow")
		_, err := stores.DB.Write.ExecContext(t.Context(), `UPDATE payments SET deliveries = 10`)
		require.NoError(t, err)
		bank := &closingGateway{}
		bank.answer = func(context.Context) (Found, error) {
			if bank.asked.Load() == 1 {
				return Found{}, nil
			}
			return Found{Paid: true, TransactionID: "t1", Amount: 1, Currency: "EUR"}, nil
		}
		settles := withoutOrders(stores)
		_, err = NewReconciler(Config{}, Deps{
			DB: stores.DB, Gateways: Gateways{"slow": bank}, Clock: clock.Fixed(testClock),
			Log: slog.New(slog.DiscardHandler),
		}, settles).RunOnce(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 2, bank.asked.Load())
		require.Len(t, refundsOf(t, stores), 1, "the money is known")
		status, _ := statusOf(t, stores, 1)
		assert.Equal(t, Refunding, status)
	})
}
